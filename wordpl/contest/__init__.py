"""Scoring of strategies that are not trusted: referee and contestant in different processes.

The referee (`scoring`, `contestant_process`) owns answer, noise, clock and score. The contestant (`contestant`) runs
inside a sandbox (`sandbox`) from the import of its file onward, and sees nothing but moves and clues (`protocol`).
This file imports nothing, since the contestant's process passes through it.
"""
