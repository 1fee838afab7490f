"""What the rest stands on: errors, checks, text, progress, the clock, files on disk, worker processes; nothing of a game."""
