"""Many games: tasks, sweeps, the results file, statistics and evaluations."""
