"""Play and compute again."""
