"""Bounds that no strategy passes; docs/converse.md and docs/fibble.md prove them."""
