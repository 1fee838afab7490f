"""What a participant hands in."""
