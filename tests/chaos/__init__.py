"""Kills, full disks, damaged files and generated inputs: `python -m tests.chaos` tries many, the suite ten of each."""
