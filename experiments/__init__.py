"""Declared experiments: each reproduces one published table or one record, with one command."""
