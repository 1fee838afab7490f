"""Help for a player of ordinary Wordle: the session of `solve`, and the analysis of a finished game."""
