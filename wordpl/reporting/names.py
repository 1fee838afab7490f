"""Names that say how a picture of results looks. This module loads nothing, so that help, which lists them, does not
wait."""

KINDS = ("all", "budgets", "wins", "percentiles", "turns")
GROUPS = ("family", "words", "rule", "channel", "format", "seed", "code", "engine")
"""The properties by which curves can be grouped: those that are the same all along a curve."""
LOGS = ("auto", "none", "x", "y", "xy")
