"""Scoring of strategies that are not trusted: referee and contestant in different processes.

This file imports nothing, since the contestant's process passes through it.
"""
