"""Scoring of strategies that are not trusted: referee and contestant in different processes.

The referee (`host`, `scoring`) owns answer, noise, clock and score. The contestant (`contestant`) runs inside
a sandbox (`sandbox`) from the import of its file onward, and sees nothing but moves and clues (`wire`).
This file imports nothing, since the contestant's process passes through it.
"""
