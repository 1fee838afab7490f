"""What is possible: exact win rates, policies found by search, the frontier, and what no strategy can pass."""
