"""From what a user types to strategies and tasks: specs, grids, and studies."""

from wordpl.specs.parsing import parse_spec as parse_spec
from wordpl.specs.parsing import parse_strategy as parse_strategy
from wordpl.specs.study import GriddedSpec as GriddedSpec
from wordpl.specs.study import Study as Study
from wordpl.specs.study import WordFiles as WordFiles
from wordpl.specs.study import load_study as load_study
