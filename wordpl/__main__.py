"""`python -m wordpl`: the command line."""

from wordpl.cli import main

if __name__ == "__main__":
    main()
