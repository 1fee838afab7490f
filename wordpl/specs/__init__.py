"""From what a user types to strategies and tasks: specs, grids, and studies."""
