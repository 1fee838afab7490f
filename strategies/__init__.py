"""The strategy library: one file per strategy or family, found by name without being listed anywhere."""
