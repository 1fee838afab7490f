"""The game as mathematics: words, clues, hard mode, channels and the posterior."""
