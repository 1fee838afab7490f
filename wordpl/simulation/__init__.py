"""Many games: tasks run in parallel, batch by batch, until they have the trials they need."""
