"""Win rates of strategies, and policies found by search."""
