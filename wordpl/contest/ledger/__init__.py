"""The file of a contest."""
