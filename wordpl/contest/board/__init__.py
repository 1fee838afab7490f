"""What people see of a contest: the leaderboard on a terminal, in a file and in a report."""
