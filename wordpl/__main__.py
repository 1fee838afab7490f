"""`python -m wordpl`: the command line."""

if __name__ == "__main__":
    from wordpl.cli import main

    main()
