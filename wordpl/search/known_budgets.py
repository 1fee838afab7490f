"""The budgets at which the frontier and the bound reach the contest's percentiles: with its words, rule and channel.

They are in a file of their own so that a table of results does not wait for the compiled kernels. Both are as in
`wordpl/search/data/frontier.csv`.
"""

from __future__ import annotations

BEST_BUDGETS = {0.05: 14.312, 0.50: 36.233, 0.95: 68.420}
"""The smallest budget of all families by win rate."""
BUDGET_BOUNDS = {0.05: 10.766, 0.50: 23.031, 0.95: 38.875}
"""What no strategy can pass there (`budget_bound`)."""
