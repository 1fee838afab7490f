"""From outcomes to a rank."""
