"""Play an entry here."""
