"""The source of the strategy library, one file per strategy or family. It is imported as `wordpl.library`."""

raise ImportError("the strategy library is imported as wordpl.library, wherever its files are")
