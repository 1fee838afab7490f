"""From bytes to a queued entry."""
