"""The game as mathematics: words, clues, channels and the posterior."""
