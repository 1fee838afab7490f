"""Errors, checks, text, progress, the clock, files on disk and worker processes: nothing here knows of a game."""
