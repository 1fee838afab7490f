"""The strategy library. It is imported as `wordpl.library`, wherever its files are."""

# A second copy of every class would have another identity.
raise ImportError("the strategy library is imported as wordpl.library, wherever its files are")
