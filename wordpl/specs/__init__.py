"""From what a user types to strategies and tasks: specs, grids, and studies."""

from wordpl.specs.parsing import parse_spec as parse_spec
from wordpl.specs.parsing import parse_strategy as parse_strategy
