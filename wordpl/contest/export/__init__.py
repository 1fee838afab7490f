"""A file for the contest's own repository."""
