"""Every public call of the core rooms that takes a number or a boolean: what it accepts, and its line for the rest.

`tests/test_checks.py` holds the checks themselves to every kind of number; this holds that each call has its own.
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
from wordpl import Posterior, RandomizedResponse, Referee, Setting, WordplError
from wordpl.library.renyi import Renyi

BELIEF, SETTING = Posterior(TINY), Setting(TINY)
GUESS = TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
TWO = wordpl.TwoClues(GUESS, TINY)
TREE = wordpl.build_tree(TINY, wordpl.Heuristic())
TASK = wordpl.make_task(RENYI, words=TINY)
TASKS = TASK, wordpl.make_task(Renyi((5.0, 5.0), first_guess=None), words=TINY)
OTHER_TYPES = ["1", 1j, [1.0], object(), np.array([1, 2])]


class Kind(NamedTuple):
    """What is allowed: by examples that are, and values that are not, the nearest to the limits among them."""

    good: list[Any]
    bad: list[Any]


def real(good: list[float], *bad: float, low: float = -math.inf, high: float = math.inf) -> Kind:
    """Numbers from `low` to `high`, without those listed as bad."""
    beyond = [np.nextafter(low, -math.inf)] * (low > -math.inf) + [np.nextafter(high, math.inf)] * (high < math.inf)
    of_numpy = [kind(x) for x in good for kind in (np.float64, np.float32)]
    return Kind([*good, *of_numpy], [*OTHER_TYPES, True, 10**400, math.nan, *bad, *beyond, *map(np.float32, bad)])


def whole(good: int, low: int, high: int | None = None) -> Kind:
    beyond = [low - 1, -(10**400)] + ([] if high is None else [high + 1, 10**400])
    return Kind([good, np.int64(good), np.uint8(good)], [*OTHER_TYPES, True, 1.0, math.nan, math.inf, *beyond])


EPSILON = real([2.0, 0], -math.inf, low=0.0)
SURE = real([math.inf], 1.0, low=0.0)
POSITIVE = real([2.0], -math.inf, 0.0, low=0.0)
FINITE = real([9.0], -math.inf, 0.0, math.inf, low=0.0)
BUDGET = real([9.0], 0.0, low=0.0)
FRACTION = real([0.5, 1], math.inf, low=0.0, high=1.0)
OPEN = real([0.5], 0.0, 1.0, math.inf, low=0.0, high=1.0)
ORDER = real([2.0, math.inf], 0.0, low=0.1)
SEED = whole(3, 0, 2**256 - 1)
TRIAL = whole(3, 0, 2**64 - 1)
COUNT = whole(2, 1)
FIRST = whole(3, 0, 10**12)
FROM_0 = whole(2, 0)
ANSWERS = whole(9, 1, 2**53 - 1)
ROUNDS = whole(3, 1, 1000)
MARKS = whole(5, 1, 8)
PLACE = whole(1, 0, len(TINY.guesses) - 1)
GAMES = whole(2, 0, 2**63 - 1)
BOOLEAN = Kind([True, False, np.True_, np.False_], [*OTHER_TYPES, 0, 1, 1.0, "yes", "", np.int64(1)])


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


OPTIONS = {"epsilon": EPSILON, "draws": whole(5, 1, 10**9), "rng": FROM_0, "order": ORDER, "separate_draws": BOOLEAN}
SCORING = {"belief": BELIEF, "epsilon": 2.0, "draws": 3, "rng": 1}
LOOKAHEAD = {"epsilon": 2.0, "budget": 9.0, "budget_fraction": 0.5, "clue_probability": 0.1}
POLICY = {"budget": 9.0, "clues": 1, "moves": {(): (GUESS, 9.0)}}
PRIVACY = {"budget": 2.0, "rounds": 2, "answers": 9, "marks": 5}

CALLS: list[tuple[str, Callable[[str], Callable[[Any], Any]], dict[str, Kind]]] = [
    # model
    ("RandomizedResponse", each(RandomizedResponse, epsilon=2.0), {"epsilon": EPSILON, "length": MARKS}),
    ("Ball", each(wordpl.Ball, epsilon=2.0), {"epsilon": EPSILON, "length": MARKS, "radius": whole(0, 0, 4)}),
    ("Fibble", each(wordpl.Fibble), {"epsilon": SURE, "length": MARKS, "lies": whole(2, 0, 5)}),
    ("privacy_of", each(wordpl.privacy_of, wordpl.Ball(2.0)), {"asks": ROUNDS}),
    ("Clue", each(wordpl.Clue, code=0), {"code": whole(3, 0, 242), "length": whole(4, 1, 8)}),
    ("Posterior.update", each(BELIEF.update, GUESS, clue="....."), {"epsilon": EPSILON}),
    ("Posterior.clue_probabilities", each(BELIEF.clue_probabilities, GUESS), {"epsilon": EPSILON}),
    ("Posterior.truncate", first(BELIEF.truncate), {"": FRACTION}),
    ("Posterior", each(Posterior, TINY), {"right_ends": BOOLEAN}),
    # scoring
    ("score_word", each(wordpl.score_word, BELIEF, word=GUESS), {"epsilon": EPSILON}),
    ("counts_answers", each(wordpl.counts_answers, BELIEF), {"epsilon": EPSILON}),
    ("expected_wins", each(wordpl.expected_wins, BELIEF, values=np.ones(len(TINY.answers) + 1)), {"epsilon": SURE}),
    ("chances_in_three", each(wordpl.chances_in_three, BELIEF, guesses=[0]), {"epsilon": SURE}),
    ("score_guesses", each(wordpl.score_guesses, **SCORING), OPTIONS),
    ("score_guesses", lambda _: lambda x: wordpl.score_guesses(BELIEF, 2.0, guesses=[x]), {"guesses": PLACE}),
    ("best_guess", each(wordpl.best_guess, **SCORING), OPTIONS),
    ("best_guess", lambda _: lambda x: wordpl.best_guess(BELIEF, 2.0, guesses=[x]), {"guesses": PLACE}),
    (
        "best_last_guess",
        each(wordpl.best_last_guess, BELIEF.probabilities, RandomizedResponse(2.0), TINY, "letterwise"),
        {"relative_cutoff": FRACTION},
    ),
    ("best_ask", lambda _: lambda x: wordpl.best_ask(BELIEF, [(GUESS, x)], 9.0), {"candidates": POSITIVE}),
    ("best_ask", each(wordpl.best_ask, BELIEF, [(GUESS, 2.0)]), {"budget": BUDGET}),
    (
        "two_step_lookahead",
        each(wordpl.two_step_lookahead, BELIEF, GUESS, **LOOKAHEAD),
        {"epsilon": POSITIVE, "budget": BUDGET, "budget_fraction": OPEN, "order": ORDER}
        | {"clue_probability": real([0.5], 0.0, math.inf, low=0.0, high=1.0)},
    ),
    (
        "shortlist",
        each(wordpl.shortlist, BELIEF, epsilon=2.0, orders=(1.0,), each=2),
        {"epsilon": EPSILON, "each": COUNT},
    ),
    ("shortlist", lambda _: lambda x: wordpl.shortlist(BELIEF, 2.0, (x,), 2), {"orders": ORDER}),
    # play
    ("GameFormat", first(wordpl.GameFormat), {"guesses": whole(6, 1, 100)}),
    ("Setting", each(Setting, TINY), {"noiseless": BOOLEAN}),
    ("Referee", lambda _: lambda x: Referee(SETTING, x).seeds.answer(0, 9), {"seed": SEED}),
    ("Referee", each(game), {"game_seconds": POSITIVE, "max_asks": FROM_0, "min_epsilon": EPSILON}),
    ("Referee.play", first(game), {"": TRIAL}),
    ("Adversary.play", lambda _: lambda x: wordpl.Adversary(TINY).play(Proposes(), x).won, {"": POSITIVE}),
    ("epsilon_at", each(wordpl.epsilon_at, (3.0, 4.0)), {"ask": FROM_0}),
    ("schedule", each(wordpl.schedule, (4.0, 3.0)), {"n_guesses": Kind([2, np.int64(2)], [*COUNT.bad, 3])}),
    ("schedule", lambda _: lambda x: wordpl.schedule((x, 3.0)), {"epsilon": POSITIVE}),
    (
        "MaxClueEntropy",
        each(wordpl.library.MaxClueEntropy, n_guesses=2, epsilon=9.0),
        {"n_guesses": COUNT, "monte_carlo": COUNT, "shared_draws": BOOLEAN},
    ),
    ("NGuess", each(wordpl.library.NGuess, epsilon=9.0), {"n_guesses": COUNT}),
    ("Greedy", each(wordpl.library.Greedy, 9.0), {"certainty": FRACTION}),
    ("BayesianGreedy", each(wordpl.library.BayesianGreedy, 9.0), {"certainty": FRACTION}),
    ("Fifth", each(wordpl.library.Fifth), {"budget": FINITE}),
    # trees
    ("Heuristic", each(wordpl.Heuristic), {"answers_only": BOOLEAN}),
    ("Heuristic", lambda _: lambda x: wordpl.build_tree(TINY, wordpl.Heuristic(hard=x)).total, {"hard": BOOLEAN}),
    (
        "Heuristic",
        lambda _: lambda x: wordpl.build_tree(TINY, wordpl.Heuristic(priority={GUESS: x})).total,
        {"priority": real([2.0, 0.0], math.inf, low=0.0)},
    ),
    (
        "solve_tree",
        lambda name: lambda x: wordpl.solve_tree(TINY, GUESS, **{name: x}).tree.total,
        {"worst": whole(20, 1)},
    ),
    ("solve_tree", lambda name: lambda x: wordpl.solve_tree(TINY, **{name: x}).tree.total, {"openers": COUNT}),
    ("solve_tree", lambda _: lambda x: wordpl.solve_tree(TINY, TINY.answers[0], hard=x).proven, {"hard": BOOLEAN}),
    ("verify", each(wordpl.verify, TREE, TINY), {"hard": Kind([False, np.False_], BOOLEAN.bad)}),
    # bounds
    ("guess_limit_bound", each(wordpl.guess_limit_bound, guesses=2, words=TINY), {"guesses": whole(2, 1, 12)}),
    ("guess_limit_bound", each(wordpl.guess_limit_bound, 2, TINY), {"lies": whole(2, 0, 5)}),
    (
        "free_wins",
        each(wordpl.free_wins, guesses=2, lies=1, length=3, answers=4),
        {"guesses": whole(2, 1, 12), "lies": whole(1, 0, 3), "length": whole(3, 1, 8), "answers": whole(4, 1, 10**6)},
    ),
    ("TwoClues.splits", each(TWO.splits, budget=1.0, win_rate=0.9), {"budget": FINITE, "win_rate": FRACTION}),
    ("TwoClues.win_rate", each(TWO.win_rate, first=1.0, second=2.0), {"first": EPSILON, "second": EPSILON}),
    ("TwoClues.profile_bound", each(TWO.profile_bound, first=1.0, second=2.0), {"first": EPSILON, "second": EPSILON}),
    (
        "win_rate_bound",
        each(wordpl.win_rate_bound, budget=2.0, words=TINY, rounds=1),
        {"budget": EPSILON, "rounds": whole(1, 0), "first_at_least": real([9.0], low=0.0)},
    ),
    (
        "budget_bound",
        each(wordpl.budget_bound, win_rate=0.0, words=TINY, rounds=0),
        {"win_rate": FRACTION, "rounds": whole(0, 0)},
    ),
    ("budget_bound", each(wordpl.budget_bound, 0.0, TINY), {"first_at_least": EPSILON}),
    ("fixed_split_win_rate", lambda _: lambda x: wordpl.fixed_split_win_rate([x, 3.0], 9), {"epsilons": EPSILON}),
    ("fixed_split_win_rate", each(wordpl.fixed_split_win_rate, [3.0], answers=9), {"answers": ANSWERS, "marks": MARKS}),
    ("find_parts_of_two", each(wordpl.find_parts_of_two, TINY), {"floor": FROM_0}),
    ("prior_success", first(wordpl.prior_success), {"answers": ANSWERS}),
    ("pure_success", each(wordpl.pure_success, budget=2.0, answers=9), {"budget": EPSILON, "answers": ANSWERS}),
    ("pure_budget", each(wordpl.pure_budget, success=0.5, answers=9), {"success": FRACTION, "answers": ANSWERS}),
    (
        "approximate_budget",
        each(wordpl.approximate_budget, success=0.5, rounds=2, answers=9),
        {"success": FRACTION, "rounds": ROUNDS, "answers": ANSWERS, "marks": MARKS},
    ),
    *(
        (
            call.__name__,
            each(call, **PRIVACY),
            {"budget": EPSILON, "rounds": ROUNDS, "answers": ANSWERS, "marks": MARKS},
        )
        for call in (wordpl.approximate_success, wordpl.renyi_success)
    ),
    # simulation
    (
        "evaluate",
        lambda name: lambda x: wordpl.evaluate(RENYI, **{"trials": 2, name: x}, words=TINY).wins,
        {"trials": COUNT, "seed": SEED, "until_width": OPEN, "first_trial": FIRST, "game_seconds": POSITIVE},
    ),
    (
        "make_task",
        lambda name: lambda x: wordpl.make_task(RENYI, words=TINY, **{name: x}).id,
        {"seed": SEED, "game_seconds": POSITIVE},
    ),
    (
        "watch",
        lambda name: lambda x: wordpl.watch(RENYI, **{"trial": 0, name: x}, words=TINY).moves[0],
        {"trial": TRIAL, "seed": SEED, "game_seconds": POSITIVE, "top": COUNT},
    ),
    (
        "sweep",
        lambda name: lambda x: wordpl.sweep([TASK], **{"trials": 2, name: x})[0].wins,
        {"trials": COUNT, "until_width": OPEN, "first_trial": FIRST, "batch": COUNT},
    ),
    ("percentile", each(wordpl.percentile, [1.0, 2.0]), {"q": FRACTION}),
    (
        "percentile_interval",
        each(wordpl.percentile_interval, [1.0, 2.0], q=0.5),
        {"q": FRACTION, "confidence": FRACTION},
    ),
    (
        "win_interval",
        each(wordpl.win_interval, wins=0, trials=9),
        {"wins": whole(2, 0, 9), "trials": ANSWERS, "confidence": real([0.5], math.inf, low=0.0, high=1.0)},
    ),
    (
        "win_rate_to_hold",
        each(wordpl.win_rate_to_hold, q=0.5, games=9),
        {"q": FRACTION, "games": ANSWERS, "probability": FRACTION},
    ),
    (
        "find_crossing",
        each(wordpl.find_crossing, [1.0, 2.0], [1, 8], [9, 9], win_rate=0.5),
        {"win_rate": OPEN, "confidence": OPEN},
    ),
    ("read_outcomes", each(wordpl.read_outcomes, ()), {"confidence": OPEN}),
    ("anytime_interval", each(wordpl.anytime_interval, [0.5]), {"error": OPEN}),
    ("planned_interval", each(wordpl.planned_interval, [0.5]), {"error": OPEN}),
    ("log_wealths", each(wordpl.log_wealths, [0.5]), {"mean": OPEN}),
    ("compare", each(compared), {"trials": COUNT}),
    ("Posterior.most_probable", each(BELIEF.most_probable), {"count": COUNT}),
    (
        "ComparisonRule",
        each(wordpl.ComparisonRule),
        {"margin": FRACTION, "error": OPEN, "until_settled": BOOLEAN, "draws": whole(200, 100, 10**6)},
    ),
    # search
    (
        "compute_win_rate",
        lambda name: lambda x: wordpl.compute_win_rate(RENYI, SETTING, **{"standard_error": 0.5, name: x}).win_rate,
        {"standard_error": OPEN, "exact": BOOLEAN, "max_histories": whole(200, 0), "seed": SEED},
    ),
    ("WinRate.interval", first(wordpl.WinRate("", 1.0, 0.5, 0.1, False, "", 9, 0.0).interval), {"": FRACTION}),
    (
        "play_games",
        each(wordpl.play_games, RENYI, SETTING, start=0, stop=2, seed=1),
        {"start": whole(0, 0, 2**63 - 1), "stop": GAMES, "seed": SEED},
    ),
    ("smallest_budgets", lambda _: lambda x: wordpl.smallest_budgets([], [], [x]), {"win_rates": FRACTION}),
    (
        "Policy",
        each(wordpl.Policy, **POLICY),
        {"clues": whole(1, 1), "order": ORDER, "relative_cutoff": real([0.5], 1.0, math.inf, low=0.0, high=1.0)},
    ),
    ("Policy", lambda _: lambda x: wordpl.Policy(x, 1, {(): (GUESS, 2.0)}), {"budget": FINITE}),
    ("Policy", lambda _: lambda x: wordpl.Policy(9.0, 1, {(): (GUESS, x)}), {"moves": FINITE}),
    ("Policy", lambda _: lambda x: wordpl.Policy(9.0, 1, {(): (GUESS, 9.0)}, ((0.0, x),)), {"budget_fractions": OPEN}),
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
    "ComparedPair": "a result", "Difference": "a result",
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
    "check_certificate": "needs a certificate (tests/trees/test_prove.py)",
    "measure_frontier": "passes its numbers on to compute_win_rate",
    "prove": "passes hard on to solve_tree",
}  # fmt: skip
ROOMS = re.compile(r"wordpl\.(model|scoring|play|trees|bounds|search|simulation)\.")
JOBS = {"jobs"}  # joblib's


def text_of(result: Any) -> str:
    return repr(result.tolist() if isinstance(result, np.ndarray) else result)


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_every_type_are_taken_and_anything_else_is_refused_in_one_line(name: str) -> None:
    kind, call = CASES[name]
    results = [text_of(call(value)) for value in kind.good]
    for value, result in zip(kind.good, results, strict=True):
        plain = kind.good.index(value)
        assert result == results[plain], f"{name}: {value!r} is not taken as {kind.good[plain]!r}"
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
    for name in wordpl.__all__:
        call = getattr(wordpl, name)
        if callable(call) and ROOMS.match(getattr(call, "__module__", "")):
            forgotten += [
                f"{name}.{parameter}"
                for parameter in takes_a_number(call)
                if parameter not in JOBS
                and name not in ELSEWHERE
                and f"{name}.{parameter}" not in CASES.keys() | ELSEWHERE.keys()
            ]
    assert forgotten == []
    assert {name.partition(".")[0] for name in ELSEWHERE} <= set(wordpl.__all__)


def test_arrays_of_other_things_are_refused() -> None:
    values = ["1"]
    for call in (
        lambda: Posterior(TINY, prior=values),
        lambda: wordpl.expected_wins(BELIEF, math.inf, values),
        lambda: wordpl.percentile(values, 0.5),
        lambda: wordpl.percentile_interval(values, 0.5),
        lambda: wordpl.anytime_interval(values),
        lambda: wordpl.log_wealths(values, 0.5),
        lambda: wordpl.best_last_guess(values, RandomizedResponse(2.0), TINY, "letterwise"),
    ):
        with pytest.raises(WordplError) as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("channel", ["fible", None, RandomizedResponse(3.0)], ids=repr)
def test_what_is_no_channel_is_refused_everywhere(channel: Any) -> None:
    for call in (
        lambda: wordpl.make_task(RENYI, words=TINY, channel=channel),
        lambda: Setting(TINY, channel=channel),
        lambda: Posterior(TINY, channel=channel),
    ):
        with pytest.raises(WordplError, match="channel") as caught:
            call()
        assert "\n" not in str(caught.value)


def test_a_setting_is_made_of_what_it_says() -> None:
    with pytest.raises(WordplError, match=r"words 'original' is not a word list; wordpl.load_words makes one"):
        Setting("original")  # type: ignore[arg-type]
    with pytest.raises(WordplError, match="unknown repeat rule 'loose'"):
        Setting(TINY, "loose")
