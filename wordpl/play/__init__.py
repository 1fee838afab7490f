"""A game: moves, seeds, strategies and their specs, and the referee."""
