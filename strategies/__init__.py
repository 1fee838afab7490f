"""The source of the strategy library, one file per strategy or family. It is imported as `wordpl.library`."""

if __name__ == "strategies":  # a second copy of every class would have another identity
    raise ImportError("the strategy library is imported as wordpl.library, wherever its files are")
