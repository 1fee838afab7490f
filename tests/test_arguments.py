"""Every public call refuses what is no number that it allows.

`tests/base/test_checks.py` holds the checks themselves to every kind of number; this holds that each call has its own.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wordpl
from tests.support.helpers import TINY, rows_of
from tests.support.ledgers import started
from tests.support.public import public
from wordpl import Posterior, Setting, WordplError
from wordpl.base.errors import shown
from wordpl.library.renyi import Renyi

BELIEF, SETTING, GUESS = Posterior(TINY), Setting(TINY), TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
TASK = wordpl.make_task(RENYI, words=TINY)


def public_calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions, classes and methods of public classes, by name."""
    for name, thing in public().items():
        if inspect.isclass(thing):
            yield name, thing
            for method, call in vars(thing).items():
                if not method.startswith("_") and inspect.isfunction(getattr(call, "__func__", call)):
                    yield f"{name}.{method}", getattr(thing, method)
        elif inspect.isfunction(inspect.unwrap(thing)):
            yield name, thing


def parameters_of(call: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(call).parameters.values())
    except ValueError:  # an error, or a type of Python's own
        return []


GIVEN: dict[str, Any] = {
    "words": TINY, "setting": SETTING, "belief": BELIEF, "epsilon": 9.0, "guess": GUESS, "word": GUESS, "seed": 1,
    "answer": TINY.answers[0], "rule": "letterwise", "strategy": RENYI, "trials": 2, "trial": 0, "start": 0, "stop": 2,
    "budget": 9.0, "win_rate": 0.0, "rounds": 2, "epsilons": [3.0], "success": 0.5, "q": 0.5, "wins": 0,
    "scores": [1.0, 2.0], "values": [0.5], "games": 9, "strategies": [RENYI], "tasks": [RENYI], "task": TASK,
    "heuristic": wordpl.wordle.Heuristic(),
    "answers": 9, "channel": wordpl.RandomizedResponse(2.0), "weights": BELIEF.probabilities, "game": [GUESS],
    "clue": ".....", "by": "word",
}  # fmt: skip
"""What a parameter of this name is given in most calls; others are given None, as they are not looked at before."""
OWN: dict[str, dict[str, Any]] = {
    "evaluate": {"strategy": "TwoGuess(18)", "words": TINY, "format": "contest"},
    "make_task": {"strategy": "TwoGuess(18)", "words": TINY},
    "watch": {"strategy": "TwoGuess(18)", "words": TINY},
    "explain": {"epsilon": 9.0},
    **{name: {"draws": 3, "rng": 1} for name in ("score_guesses", "best_guess", "best_guesses")},
    "schedule": {"epsilon": (4.0, 3.0)},
    "best_ask": {"candidates": [(GUESS, 2.0)]},
    "compute_win_rate": {"setting": SETTING},
    "win_rates": {"strategies": ["NGuess(2, 5)"], "words": TINY},
    "Policy": {"clues": 1, "moves": {(): (GUESS, 2.0)}},
    "solve_tree": {"first": TINY.answers[0]},
    "verify": {"tree": wordpl.wordle.build_tree(TINY, "parts")},
}
"""What is given instead."""


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What calls are given by name."""
    folder = tmp_path_factory.mktemp("given")
    with wordpl.Store(folder / "run.sqlite") as store, started(folder / "ledger.sqlite") as ledger:
        store.add([(TASK, rows_of(TASK, 0, 2))])
        selves = {"Store": store, "Ledger": ledger, "Posterior": BELIEF, "Channel": wordpl.RandomizedResponse(2.0)}
        selves |= {"DistanceChannel": selves["Channel"], "Policy": wordpl.limits.Policy(9.0, 1, {(): (GUESS, 9.0)})}
        yield {**GIVEN, "store": store, "path": folder / "proof.csv", "selves": selves}


def called(name: str, call: Callable[..., Any], given: dict[str, Any], **chosen: Any) -> Any:
    """What a call returns with this choice, and what is usual for all else that it needs."""
    needed = [
        p.name for p in parameters_of(call) if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    own = {**given, "self": given["selves"].get(name.partition(".")[0]), **OWN.get(name, {})}
    return call(**{**{name: own.get(name) for name in needed}, **OWN.get(name, {}), **chosen})


FRACTIONS = {
    "q", "certainty", "success", "win_rate", "margin", "probability", "win_rates", "relative_cutoff", "confidence",
}  # fmt: skip
OPEN = {"until_width", "error", "mean", "standard_error", "budget_fraction", "budget_fractions"}
"""Between 0 and 1."""
FROM_0 = FRACTIONS | {
    "epsilon", "epsilons", "min_epsilon", "first", "second", "first_at_least", "budget", "rng", "max_asks", "ask",
    "start", "stop", "lies", "seed", "trial", "first_trial", "radius", "wins", "max_histories", "within", "priority",
}  # fmt: skip
FROM_1 = {
    "trials", "batch", "top", "count", "each", "n_guesses", "openers", "length", "marks", "rounds", "asks", "answers",
    "games", "guesses", "draws", "clues", "worst", "order", "orders", "candidates", "right_ends", "noiseless",
    "unlimited", "every_answer", "separate_draws", "answers_only", "exact", "hard",
}  # fmt: skip
"""Or above 0, or True or False."""
ABOVE_0 = {"Policy.budget", "Fifth.budget", "strategy_at_budget.budget", "best_ask.budget", "win_rates.epsilons"}
"""Where what is from 0 up elsewhere is not."""
WITHIN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("smallest_budgets.win_rates", "rank_guesses.epsilons", "win_rates.epsilons", "TaskFilter.epsilons"),
        lambda x: [x],
    ),
    "best_ask.candidates": lambda x: [(GUESS, x)],
    "Heuristic.priority": lambda x: {GUESS: x},
    "schedule.epsilon": lambda x: (x, 3.0),
    "Policy.budget_fractions": lambda x: ((0.0, x),),
}
"""Parameters that take numbers in something."""


def bad(both: str, kind: str) -> list[Any]:
    """Values that this parameter, annotated as a `bool`, an `int` or another number, refuses."""
    name = both.rpartition(".")[2]
    if kind == "bool":
        return [0, 1.0, "yes"]
    return [
        *("1", True, -1, *((1.0, 1.5) if kind == "int" else (math.nan, 10**400))),
        *[1.5] * (name in FRACTIONS | OPEN),
        *[0] * (name not in FROM_0 or both in ABOVE_0),
    ]


UNCHECKED = {
    "Analysis", "BudgetCurve", "ComparedPair", "Crossing", "Difference", "DifferenceWithin", "Evaluation",
    "Explanation", "Finished", "Game", "GameRecord", "MoveRecord", "PairedComparison", "PlayedBudget", "Run",
    "Solution", "TaskRow", "WinRate", "Exported", "Contest", "Board", "BoardEntry", "Standing", "Entry", "PlayedGame",
    "Evaluation.percentile", "Evaluation.percentile_interval",  # results
    "Ask", "Clue.parse", "Clue", "DistanceChannel", "Levels", "Player.next_move", "Referee.play", "Round", "Family",
    "Round.of_order", "Store.stored", "Store.missing", "Store.evaluation", "Task", "Turn", "as_tuple", "compare",
    "channel_family", "epsilon_at", "ContestRun", "ContestRun.seed_of_player", "Ledger.games", "Limits", "Plan",
    "check_strategy", "check_submission", "evaluate_submission", "replay_game", "start_contest", "Family.at",
    "measure_frontier", "draw_frontier", "plot_frontier", "expected_wins", "chances_in_three", "Assistant",
    "Assistant.suggestions", "Assistant.record", "analyze", "check_certificate", "read_finished", "read_turn",
    "score_guesses.guesses", "best_guess.guesses", "best_guesses.guesses", "tied_guesses.guesses",
}  # fmt: skip
"""Results, calls of ours alone, those whose moves and words others check, and those that pass the number on to one of
these."""
NUMBERS = [
    (f"{name}.{parameter.name}", name, call, parameter.name, kind[0])
    for name, call in public_calls()
    for parameter in parameters_of(call)
    if (kind := re.findall(r"\b(int|float|bool|Epsilon)\b", str(parameter.annotation)))
    and parameter.name in OPEN | FROM_0 | FROM_1
    and not {name, f"{name}.{parameter.name}"} & UNCHECKED
]


@pytest.mark.parametrize(("both", "name", "call", "parameter", "kind"), NUMBERS, ids=[both for both, *_ in NUMBERS])
def test_what_is_no_number_that_a_call_allows_is_refused(given, both, name, call, parameter, kind):
    within = WITHIN.get(both, lambda x: x)
    for value in bad(both, kind):
        with pytest.raises(WordplError) as caught:
            called(name, call, given, **{parameter: within(value)})
        assert len(str(caught.value)) < 250
        assert shown(value) in str(caught.value) or "too large for a float" in str(caught.value)
