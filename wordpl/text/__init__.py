"""Text for people, and text from strangers: what fits one line, and what nobody can be fooled by."""
