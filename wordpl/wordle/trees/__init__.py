"""Noiseless decision trees: the type, its files, a verifier, heuristic builders and the exact optimum."""
