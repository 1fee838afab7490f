"""The golden file: what every strategy of the library plays, so that no change goes unnoticed.

`python -m tests.golden` writes `moves.json` anew; `tests/strategies/test_every_strategy.py` compares. The games are of
the contest's own list, and short of an exact search every strategy plays its first 20.
"""

import json
from pathlib import Path

from tests.support.helpers import ORIGINAL, POLICY, SMALL, all_variants
from wordpl import Clue, Fibble, Game, GameFormat, Referee, Setting, Strategy
from wordpl.base.engine import ENGINE_VERSION
from wordpl.library.bayesian_solver import BayesianSolver

FILE = Path(__file__).with_name("moves.json")
SEED, GAMES = 20, 20
# Without an opener these look for the best tree there is, which takes a minute for the contest's list.
SEARCHING = {"FollowTree(first_guess=None)", "NGuess(n_guesses=2, epsilon=9.0, first_guess=None)"}

ADVICE = (
    f"if that is meant, raise ENGINE_VERSION in wordpl/base/engine.py, now {ENGINE_VERSION}, for a change of"
    " the engine (anything in wordpl/), or nothing for a change of the strategy's own code, whose identity changes by"
    " itself; then run: python -m tests.golden"
)


def examples() -> dict[str, Strategy]:
    """Every strategy of the library in every form that the suite knows, by a name that holds on any machine."""
    policies = f"{Path(POLICY).parent}/"
    return {repr(strategy).replace(policies, ""): strategy for strategy in all_variants()}


def play(name: str, strategy: Strategy) -> list[str]:
    """The first games of a strategy, a line each."""
    setting = Setting(SMALL if name in SEARCHING else ORIGINAL, noiseless=strategy.noiseless)
    if isinstance(strategy, BayesianSolver):  # which needs a limited number of guesses
        setting = Setting(ORIGINAL, channel=Fibble, format=GameFormat(5))
    strategy.check(setting)
    # The time is no part of what is compared.
    referee, maker = Referee(setting, SEED), strategy.players(setting)
    return [told(referee.play(n, maker(referee.seeds.player(n, repr(strategy))))) for n in range(GAMES)]


def told(game: Game) -> str:
    """A game as `crane: trace@9=.i..c -> crane`. An epsilon has ten digits, for the last ones are the machine's."""
    turns = " ".join(f"{turn.guess}@{turn.epsilon:.10g}={Clue(turn.clue, len(turn.guess))}" for turn in game.history)
    return f"{game.answer}: {turns} -> {game.proposed or f'{game.verdict} {game.reason}'}"


def kept() -> dict[str, list[str]]:
    """The games in the file, by strategy."""
    found: dict[str, list[str]] = json.loads(FILE.read_text())["games"]
    return found
