"""Kills, full disks and generated inputs: a few of each; `make chaos` and `make fuzz` try many."""
