"""Kills, full disks and generated inputs: `python -m tests.chaos` tries many, the suite a few of each."""
