"""Every public call of the core rooms that takes a number or a boolean: what it accepts, and its line for the rest.

`tests/base/test_checks.py` holds the checks themselves to every kind of number; this holds that each call has its own.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import wordpl
from tests.helpers import TINY
from tests.public import public
from wordpl import Posterior, RandomizedResponse, Referee, Setting, WordplError, limits
from wordpl.library.renyi import Renyi

BELIEF, SETTING = Posterior(TINY), Setting(TINY)
GUESS = TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
TWO = limits.TwoClues(GUESS, TINY)
TREE = wordpl.wordle.build_tree(TINY, wordpl.wordle.Heuristic())
TASK = wordpl.make_task(RENYI, words=TINY)
TASKS = TASK, wordpl.make_task(Renyi((5.0, 5.0), first_guess=None), words=TINY)


class Kind(NamedTuple):
    """What is allowed: by examples that are, and values that are not, the nearest to the limits among them."""

    good: list[Any]
    bad: list[Any]


def real(good: list[float], *bad: float, low: float = -math.inf, high: float = math.inf) -> Kind:
    """Numbers from `low` to `high`, without those listed as bad."""
    beyond = [np.nextafter(low, -math.inf)] * (low > -math.inf) + [np.nextafter(high, math.inf)] * (high < math.inf)
    return Kind([*good, np.float32(good[0])], ["1", True, 10**400, math.nan, *bad, *beyond])


def whole(good: int, low: int, high: int | None = None) -> Kind:
    beyond = [low - 1] + ([] if high is None else [high + 1])
    return Kind([good, np.uint8(good)], ["1", True, 1.0, *beyond])


EPSILON = real([2.0, 0.0], low=0.0)
SURE = real([math.inf], 1.0, low=0.0)
POSITIVE = real([2.0], 0.0, low=0.0)
FINITE = real([9.0], 0.0, math.inf, low=0.0)
BUDGET = real([9.0], 0.0, low=0.0)
FRACTION = real([0.5, 1.0], low=0.0, high=1.0)
OPEN = real([0.5], 0.0, 1.0, low=0.0, high=1.0)
ORDER = real([2.0, math.inf], 0.0, low=0.1)
COUNT, FROM_0 = whole(2, 1), whole(2, 0)
ANSWERS, GUESSES = whole(9, 1, 2**53 - 1), whole(2, 1, 12)
PLACE = whole(1, 0, len(TINY.guesses) - 1)
BOOLEAN = Kind([True, False, np.True_, np.False_], [0, 1.0, "yes"])
USUAL = {
    **dict.fromkeys(("epsilon", "min_epsilon", "first", "second"), EPSILON),
    **dict.fromkeys(("trials", "batch", "top", "count", "each", "n_guesses", "monte_carlo", "openers"), COUNT),
    **dict.fromkeys(("rng", "max_asks", "ask", "floor"), FROM_0),
    **dict.fromkeys(("length", "marks"), whole(5, 1, 8)),
    **dict.fromkeys(("rounds", "asks"), whole(3, 1, 1000)),
    **dict.fromkeys(("answers", "games"), ANSWERS),
    **dict.fromkeys(("q", "certainty", "success", "win_rate", "margin", "probability"), FRACTION),
    **dict.fromkeys(("until_width", "error", "mean", "standard_error", "budget_fraction"), OPEN),
    **dict.fromkeys(("right_ends", "noiseless", "separate_draws", "shared_draws", "answers_only"), BOOLEAN),
    **dict.fromkeys(("exact", "until_settled"), BOOLEAN),
    **dict.fromkeys(("start", "stop"), whole(2, 0, 2**63 - 1)),
    "lies": whole(2, 0, 5),
    "draws": whole(5, 1, 10**9),
    "order": ORDER,
    "seed": whole(3, 0, 2**256 - 1),
    "trial": whole(3, 0, 2**64 - 1),
    "first_trial": whole(3, 0, 10**12),
    "game_seconds": POSITIVE,
}
"""What a parameter of this name takes in most calls."""


class Proposes:
    def first_move(self) -> Any:
        return wordpl.Answer(TINY.answers[0])

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        raise AssertionError


def game(trial: Any = 0, **options: Any) -> str:
    return str(Referee(SETTING, 1, **options).play(trial, Proposes()))[:40]


def compared(**options: Any) -> str:
    rule = wordpl.ComparisonRule(draws=100)
    return str(wordpl.compare([TASKS], **{"trials": 2, "rule": rule, **options}).frame)


def each(call: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[str], Callable[[Any], Any]]:
    """A call with these arguments, of which one that is named is put in the place of the others."""
    return lambda name: lambda x: call(*arguments, **{**named, name: x})


def first(call: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[str], Callable[[Any], Any]]:
    """A call with one argument before these."""
    return lambda _: lambda x: call(x, *arguments, **named)


def row(call: str, make: Any, usual: str = "", **kinds: Kind) -> tuple[str, Any, dict[str, Kind]]:
    """A call, and what its parameters take: those named as usual, and others."""
    return call, make, {name: USUAL[name] for name in usual.split()} | kinds


OPTIONS = "epsilon draws rng order separate_draws"
SCORING = {"belief": BELIEF, "epsilon": 2.0, "draws": 3, "rng": 1}
LOOKAHEAD = {"epsilon": 2.0, "budget": 9.0, "budget_fraction": 0.5, "clue_probability": 0.1}
POLICY = {"budget": 9.0, "clues": 1, "moves": {(): (GUESS, 9.0)}}
PRIVACY = {"budget": 2.0, "rounds": 2, "answers": 9, "marks": 5}
NO_BUDGET = {"win_rate": 0.0, "words": TINY, "rounds": 0}
LAST_GUESS = BELIEF.probabilities, RandomizedResponse(2.0), TINY, "letterwise"
CALLS = [
    # model
    row("RandomizedResponse", each(RandomizedResponse, epsilon=2.0), "epsilon length"),
    row("Ball", each(wordpl.Ball, epsilon=2.0), "epsilon length", radius=whole(0, 0, 4)),
    row("Fibble", each(wordpl.Fibble), "length lies", epsilon=SURE),
    row("privacy_of", each(limits.privacy_of, wordpl.Ball(2.0)), "asks"),
    row("Clue", each(wordpl.Clue, code=0), code=whole(3, 0, 242), length=whole(4, 1, 8)),
    row("Posterior.update", each(BELIEF.update, GUESS, clue="....."), "epsilon"),
    row("Posterior.clue_probabilities", each(BELIEF.clue_probabilities, GUESS), "epsilon"),
    row("Posterior.truncate", first(BELIEF.truncate), **{"": FRACTION}),
    row("Posterior.most_probable", each(BELIEF.most_probable), "count"),
    row("Posterior", each(Posterior, TINY), "right_ends"),
    # scoring
    row("score_word", each(wordpl.score_word, BELIEF, word=GUESS), "epsilon"),
    row("counts_answers", each(wordpl.scoring.counts_answers, BELIEF), "epsilon"),
    row(
        "expected_wins", each(wordpl.scoring.expected_wins, BELIEF, values=np.ones(len(TINY.answers) + 1)), epsilon=SURE
    ),
    row("chances_in_three", each(wordpl.scoring.chances_in_three, BELIEF, guesses=[0]), epsilon=SURE),
    row("score_guesses", each(wordpl.score_guesses, **SCORING), OPTIONS),
    row("score_guesses", lambda _: lambda x: wordpl.score_guesses(BELIEF, 2.0, guesses=[x]), guesses=PLACE),
    row("best_guess", each(wordpl.best_guess, **SCORING), OPTIONS),
    row("best_guess", lambda _: lambda x: wordpl.best_guess(BELIEF, 2.0, guesses=[x]), guesses=PLACE),
    row("best_last_guess", each(wordpl.scoring.best_last_guess, *LAST_GUESS), relative_cutoff=FRACTION),
    row("best_ask", lambda _: lambda x: wordpl.scoring.best_ask(BELIEF, [(GUESS, x)], 9.0), candidates=POSITIVE),
    row("best_ask", each(wordpl.scoring.best_ask, BELIEF, [(GUESS, 2.0)]), budget=BUDGET),
    row(
        "two_step_lookahead",
        each(wordpl.scoring.two_step_lookahead, BELIEF, GUESS, **LOOKAHEAD),
        "order budget_fraction",
        **{"epsilon": POSITIVE, "budget": BUDGET, "clue_probability": real([0.5], 0.0, low=0.0, high=1.0)},
    ),
    row("shortlist", each(wordpl.scoring.shortlist, BELIEF, epsilon=2.0, orders=(1.0,), each=2), "epsilon each"),
    row("shortlist", lambda _: lambda x: wordpl.scoring.shortlist(BELIEF, 2.0, (x,), 2), orders=ORDER),
    # play
    row("GameFormat", first(wordpl.GameFormat), guesses=whole(6, 1, 100)),
    row("Setting", each(Setting, TINY), "noiseless"),
    row("Referee", lambda _: lambda x: Referee(SETTING, x).seeds.answer(0, 9), "seed"),
    row("Referee", each(game), "game_seconds max_asks min_epsilon"),
    row("Referee.play", first(game), **{"": USUAL["trial"]}),
    row("epsilon_at", each(wordpl.epsilon_at, (3.0, 4.0)), "ask"),
    row("schedule", each(wordpl.schedule, (4.0, 3.0)), n_guesses=Kind([2, np.int64(2)], [*COUNT.bad, 3])),
    row("schedule", lambda _: lambda x: wordpl.schedule((x, 3.0)), epsilon=POSITIVE),
    row(
        "MaxClueEntropy",
        each(wordpl.library.MaxClueEntropy, n_guesses=2, epsilon=9.0),
        "n_guesses monte_carlo shared_draws",
    ),
    row("NGuess", each(wordpl.library.NGuess, epsilon=9.0), "n_guesses"),
    row("Greedy", each(wordpl.library.Greedy, 9.0), "certainty"),
    row("BayesianGreedy", each(wordpl.library.BayesianGreedy, 9.0), "certainty"),
    row("Fifth", each(wordpl.library.Fifth), budget=FINITE),
    # trees
    row("Heuristic", each(wordpl.wordle.Heuristic), "answers_only"),
    row(
        "Heuristic",
        lambda _: lambda x: wordpl.wordle.build_tree(TINY, wordpl.wordle.Heuristic(hard=x)).total,
        hard=BOOLEAN,
    ),
    row(
        "Heuristic",
        lambda _: lambda x: wordpl.wordle.build_tree(TINY, wordpl.wordle.Heuristic(priority={GUESS: x})).total,
        priority=real([2.0, 0.0], math.inf, low=0.0),
    ),
    row(
        "solve_tree", lambda _: lambda x: wordpl.wordle.solve_tree(TINY, GUESS, worst=x).tree.total, worst=whole(20, 1)
    ),
    row("solve_tree", lambda _: lambda x: wordpl.wordle.solve_tree(TINY, openers=x).tree.total, "openers"),
    row("solve_tree", lambda _: lambda x: wordpl.wordle.solve_tree(TINY, TINY.answers[0], hard=x).proven, hard=BOOLEAN),
    row("verify", each(wordpl.wordle.verify, TREE, TINY), hard=Kind([False, np.False_], BOOLEAN.bad)),
    # bounds
    row("guess_limit_bound", each(limits.guess_limit_bound, guesses=2, words=TINY), "lies", guesses=GUESSES),
    row(
        "free_wins",
        each(limits.free_wins, guesses=2, lies=1, length=3, answers=4),
        **{"guesses": GUESSES, "lies": whole(1, 0, 3), "length": whole(3, 1, 8), "answers": whole(4, 1, 10**6)},
    ),
    row("TwoClues.splits", each(TWO.splits, budget=1.0, win_rate=0.9), "win_rate", budget=FINITE),
    row("TwoClues.win_rate", each(TWO.win_rate, first=1.0, second=2.0), "first second"),
    row("TwoClues.profile_bound", each(TWO.profile_bound, first=1.0, second=2.0), "first second"),
    row(
        "win_rate_bound",
        each(limits.win_rate_bound, budget=2.0, words=TINY, rounds=1),
        **{"budget": EPSILON, "rounds": whole(1, 0), "first_at_least": real([9.0], low=0.0)},
    ),
    row("budget_bound", each(limits.budget_bound, **NO_BUDGET), "win_rate", rounds=whole(0, 0)),
    row("budget_bound", each(limits.budget_bound, 0.0, TINY), first_at_least=EPSILON),
    row("fixed_split_win_rate", lambda _: lambda x: limits.fixed_split_win_rate([x, 3.0], 9), epsilons=EPSILON),
    row("fixed_split_win_rate", each(limits.fixed_split_win_rate, [3.0], answers=9), "answers marks"),
    row("find_parts_of_two", each(limits.find_parts_of_two, TINY), "floor"),
    row("prior_success", first(limits.prior_success), answers=ANSWERS),
    row("pure_success", each(limits.pure_success, budget=2.0, answers=9), "answers", budget=EPSILON),
    row("pure_budget", each(limits.pure_budget, success=0.5, answers=9), "success answers"),
    row(
        "approximate_budget",
        each(limits.approximate_budget, success=0.5, rounds=2, answers=9),
        "success rounds answers marks",
    ),
    row(
        "approximate_success",
        each(limits.approximate_success, **PRIVACY),
        "rounds answers marks",
        budget=EPSILON,
    ),
    row("renyi_success", each(limits.renyi_success, **PRIVACY), "rounds answers marks", budget=EPSILON),
    # simulation
    row(
        "evaluate",
        lambda name: lambda x: wordpl.evaluate(RENYI, **{"trials": 2, name: x}, words=TINY).wins,
        "trials seed until_width first_trial game_seconds",
    ),
    row("make_task", each(wordpl.make_task, RENYI, words=TINY), "seed game_seconds"),
    row(
        "watch",
        lambda name: lambda x: wordpl.watch(RENYI, **{"trial": 0, name: x}, words=TINY).moves[0],
        "trial seed game_seconds top",
    ),
    row(
        "sweep",
        lambda name: lambda x: wordpl.sweep([TASK], **{"trials": 2, name: x})[0].wins,
        "trials until_width first_trial batch",
    ),
    row("percentile", each(wordpl.simulation.percentile, [1.0, 2.0]), "q"),
    row(
        "percentile_interval", each(wordpl.simulation.percentile_interval, [1.0, 2.0], q=0.5), "q", confidence=FRACTION
    ),
    row(
        "win_interval",
        each(wordpl.simulation.win_interval, wins=0, trials=9),
        **{"wins": whole(2, 0, 9), "trials": ANSWERS, "confidence": real([0.5], low=0.0, high=1.0)},
    ),
    row("win_rate_to_hold", each(wordpl.simulation.win_rate_to_hold, q=0.5, games=9), "q games probability"),
    row(
        "find_crossing",
        each(wordpl.simulation.find_crossing, [1.0, 2.0], [1, 8], [9, 9], win_rate=0.5),
        **{"win_rate": OPEN, "confidence": OPEN},
    ),
    row("read_outcomes", each(wordpl.simulation.read_outcomes, ()), confidence=OPEN),
    row("anytime_interval", each(wordpl.simulation.anytime_interval, [0.5]), "error"),
    row("planned_interval", each(wordpl.simulation.planned_interval, [0.5]), "error"),
    row("log_wealths", each(wordpl.simulation.log_wealths, [0.5]), "mean"),
    row("compare", each(compared), "trials"),
    row("ComparisonRule", each(wordpl.ComparisonRule), "margin error until_settled", draws=whole(200, 100, 10**6)),
    # search
    row(
        "compute_win_rate",
        lambda name: lambda x: limits.compute_win_rate(RENYI, SETTING, **{"standard_error": 0.5, name: x}).win_rate,
        "standard_error exact seed",
        max_histories=whole(200, 0),
    ),
    row(
        "WinRate.interval",
        first(limits.WinRate("", 1.0, 0.5, 0.1, False, "", 9, 0.0).interval),
        **{"": FRACTION},
    ),
    row("play_games", each(limits.play_games, RENYI, SETTING, start=0, stop=2, seed=1), "start stop seed"),
    row("smallest_budgets", lambda _: lambda x: limits.smallest_budgets([], [], [x]), win_rates=FRACTION),
    row(
        "Policy",
        each(limits.Policy, **POLICY),
        "order",
        clues=whole(1, 1),
        relative_cutoff=real([0.5], 1.0, low=0.0),
    ),
    row("Policy", lambda _: lambda x: limits.Policy(x, 1, {(): (GUESS, 2.0)}), budget=FINITE),
    row("Policy", lambda _: lambda x: limits.Policy(9.0, 1, {(): (GUESS, x)}), moves=FINITE),
    row(
        "Policy",
        lambda _: lambda x: limits.Policy(9.0, 1, {(): (GUESS, 9.0)}, ((0.0, x),)),
        budget_fractions=OPEN,
    ),
]
CASES = {
    f"{call}.{parameter}".rstrip("."): (kind, make(parameter))
    for call, make, kinds in CALLS
    for parameter, kind in kinds.items()
}

# Public calls of these rooms whose numbers are not a user's, or are checked elsewhere, with the reason.
ELSEWHERE = {
    "Ask": "the referee reads moves (tests/play/test_moves.py)",
    "Channel": "abstract",
    "Crossing": "a result", "Evaluation": "a result", "Game": "a result",
    "ComparedPair": "a result", "Difference": "a result", "DifferenceWithin": "a result", "Outcome": "a result",
    "GameRecord": "a result", "MoveRecord": "a result",
    "Run": "a result", "Solution": "a result", "SplitBound": "a result", "TaskRow": "a result", "WinRate": "a result",
    "Posterior.prior": "an array, see below",
    "expected_wins.values": "an array, see below",
    "expected_wins.guesses": "as in score_guesses",
    "chances_in_three.guesses": "as in score_guesses",
    "DistanceChannel": "its subclasses check, and check_channel tests it",
    "Levels": "tests/model/test_channel.py",
    "Store.must_exist": "tests/simulation/test_store.py",
    "Store.read_only": "tests/simulation/test_store.py",
    "as_tuple.epsilon": "takes what schedule returns", "epsilon_at.epsilon": "takes what schedule returns",
    "Family": "measure_frontier makes a spec of its numbers, which is checked as one",
    "Plan": "made by strategies from numbers that they have checked", "Round": "as Plan",
    "Task": "make_task checks",
    "Turn": "Posterior.update checks",
    "channel_family.length": "that of a word list",
    "check_certificate": "needs a certificate (tests/wordle/trees/test_prove.py)",
    "measure_frontier": "passes its numbers on to compute_win_rate",
    "prove": "passes hard on to solve_tree",
}  # fmt: skip
ROOMS = re.compile(r"wordpl\.(model|scoring|play|wordle\.trees|limits|simulation)\.(?!study)")
JOBS = {"jobs"}  # joblib's


def text_of(result: Any) -> str:
    return repr(result.tolist() if isinstance(result, np.ndarray) else result)


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_every_type_are_taken_and_anything_else_is_refused_in_one_line(name: str) -> None:
    kind, call = CASES[name]
    results: dict[Any, str] = {}
    for value in kind.good:  # those that are equal are one key
        result = text_of(call(value))
        assert results.setdefault(value, result) == result, f"{name}: {value!r}"
    for value in kind.bad:
        with pytest.raises(WordplError) as caught:
            call(value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 250


def takes_a_number(call: Any) -> list[str]:
    """The parameters that are annotated as a number or a boolean."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return []
    pattern = re.compile(r"\b(int|float|bool|Epsilon)\b")
    return [p.name for p in parameters if isinstance(p.annotation, str) and pattern.search(p.annotation)]


def test_no_public_call_is_forgotten() -> None:
    forgotten = []
    for name, call in public().items():
        if callable(call) and ROOMS.match(getattr(call, "__module__", "")):
            forgotten += [
                f"{name}.{parameter}"
                for parameter in takes_a_number(call)
                if parameter not in JOBS
                and name not in ELSEWHERE
                and f"{name}.{parameter}" not in CASES.keys() | ELSEWHERE.keys()
            ]
    assert forgotten == []
    assert {name.partition(".")[0] for name in ELSEWHERE} <= public().keys()


def test_arrays_of_other_things_are_refused() -> None:
    values = ["1"]
    for call in (
        lambda: Posterior(TINY, prior=values),
        lambda: wordpl.scoring.expected_wins(BELIEF, math.inf, values),
        lambda: wordpl.simulation.percentile(values, 0.5),
        lambda: wordpl.simulation.percentile_interval(values, 0.5),
        lambda: wordpl.simulation.anytime_interval(values),
        lambda: wordpl.simulation.log_wealths(values, 0.5),
        lambda: wordpl.scoring.best_last_guess(values, *LAST_GUESS[1:]),
    ):
        with pytest.raises(WordplError, match=r"^[^\n]*$"):
            call()


@pytest.mark.parametrize("channel", ["fible", None, RandomizedResponse(3.0)], ids=repr)
def test_what_is_no_channel_is_refused_everywhere(channel: Any) -> None:
    for call in (
        lambda: wordpl.make_task(RENYI, words=TINY, channel=channel),
        lambda: Setting(TINY, channel=channel),
        lambda: Posterior(TINY, channel=channel),
    ):
        with pytest.raises(WordplError, match=r"^[^\n]*channel[^\n]*$"):
            call()


def test_a_setting_is_made_of_what_it_says() -> None:
    with pytest.raises(WordplError, match=r"words 'original' is not a word list; wordpl.load_words makes one"):
        Setting("original")  # type: ignore[arg-type]
    with pytest.raises(WordplError, match="unknown repeat rule 'loose'"):
        Setting(TINY, "loose")
