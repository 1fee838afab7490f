"""Every public call of the core rooms that takes a number or a boolean: what it accepts, and its line for the rest."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.helpers import SMALL, TINY
from wordpl import Ask, Posterior, RandomizedResponse, Referee, Setting, WordplError, from_contest
from wordpl.library.renyi import Renyi

BELIEF, SETTING = Posterior(TINY), Setting(TINY)
GUESS = TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
POLICY = wordpl.Policy(9.0, 2, {(): (GUESS, 5.0)}, ((0.0, 0.5),))
TREE = wordpl.build_tree(TINY, wordpl.Heuristic())

# Neither a number nor a boolean.
OTHER_TYPES = ["1", b"1", 1j, Decimal(1), [1.0], (1,), {}, object(), np.array([1.0]), np.array([1, 2])]


class Kind(NamedTuple):
    """What is allowed: by examples that are, and values that are not."""

    good: list[Any]
    bad: st.SearchStrategy[Any]


def real(good: list[float], *bad: float, low: float = -math.inf, high: float = math.inf) -> Kind:
    """Numbers from `low` to `high`, without those listed as bad."""
    floats = [math.nan, *bad]
    out: st.SearchStrategy[Any] = st.sampled_from([*OTHER_TYPES, True, False, np.True_, 10**400, *floats])
    out |= st.sampled_from([np.float32(value) for value in floats])
    if low > -math.inf:
        out |= st.floats(max_value=low, exclude_max=True) | st.integers(max_value=math.floor(low) - 1)
    if high < math.inf:
        out |= st.floats(min_value=high, exclude_min=True) | st.integers(min_value=math.ceil(high) + 1)
    return Kind([*good, *(kind(x) for x in good for kind in (np.float64, np.float32))], out)


def whole(good: int, low: int, high: int | None = None) -> Kind:
    out: st.SearchStrategy[Any] = st.sampled_from([*OTHER_TYPES, True, False, np.True_, 1.0, 1.5, math.nan, math.inf])
    out |= st.floats() | st.integers(max_value=low - 1) | st.just(-(10**400))
    if high is not None:
        out |= st.integers(min_value=high + 1) | st.just(10**400)
    return Kind([good, np.int64(good), np.uint8(good)], out)


EPSILON = real([2.0, 0], -math.inf, low=0.0)
POSITIVE = real([2.0], -math.inf, 0.0, low=0.0)
FINITE = real([9.0], -math.inf, 0.0, math.inf, low=0.0)
FRACTION = real([0.5, 1], math.inf, low=0.0, high=1.0)
OPEN = real([0.5], 0.0, 1.0, math.inf, low=0.0, high=1.0)
ORDER = real([2.0, math.inf], 0.0, low=0.1)
SEED = whole(3, 0, 2**256 - 1)
COUNT = whole(2, 1)
FIRST = whole(3, 0, 10**12)
FROM_0 = whole(2, 0)
ANSWERS = whole(9, 1, 2**53 - 1)
MARKS = whole(5, 1, 8)
BOOLEAN = Kind(
    [True, False, np.True_, np.False_],
    st.sampled_from([*OTHER_TYPES, 0, 1, 1.0, "yes", "", np.int64(1)]) | st.floats() | st.integers(),
)

Case = tuple[Kind, Callable[[Any], Any]]
CASES: dict[str, Case] = {
    # model
    "RandomizedResponse.epsilon": (EPSILON, lambda x: RandomizedResponse(x)),
    "RandomizedResponse.length": (whole(5, 1, 8), lambda x: RandomizedResponse(2.0, x)),
    "Fibble.epsilon": (real([math.inf], 1.0, low=0.0), lambda x: wordpl.Fibble(x)),
    "Fibble.length": (whole(5, 1, 8), lambda x: wordpl.Fibble(length=x)),
    "Fibble.lies": (whole(2, 0, 5), lambda x: wordpl.Fibble(lies=x)),
    "Clue.code": (whole(3, 0, 242), lambda x: wordpl.Clue(x)),
    "Clue.length": (whole(4, 1, 8), lambda x: wordpl.Clue(0, x)),
    "Posterior.update": (EPSILON, lambda x: BELIEF.update(GUESS, x, ".....")),
    "Posterior.clue_probabilities": (EPSILON, lambda x: BELIEF.clue_probabilities(GUESS, x)),
    "Posterior.truncate": (FRACTION, lambda x: BELIEF.truncate(x)),
    # scoring
    "score_word.epsilon": (EPSILON, lambda x: wordpl.score_word(BELIEF, x, GUESS)),
    "counts_answers.epsilon": (EPSILON, lambda x: wordpl.counts_answers(BELIEF, x)),
    "expected_wins.epsilon": (
        real([math.inf], 1.0, low=0.0),
        lambda x: wordpl.expected_wins(BELIEF, x, np.ones(len(TINY.answers) + 1)),
    ),
    "chances_in_three.epsilon": (real([math.inf], 1.0, low=0.0), lambda x: wordpl.chances_in_three(BELIEF, x, [0])),
    "score_guesses.epsilon": (EPSILON, lambda x: wordpl.score_guesses(BELIEF, x)),
    "score_guesses.guesses": (
        whole(1, 0, len(TINY.guesses) - 1),
        lambda x: wordpl.score_guesses(BELIEF, 2.0, guesses=[x]),
    ),
    "score_guesses.draws": (whole(5, 1, 10**9), lambda x: wordpl.score_guesses(BELIEF, 2.0, draws=x, rng=1)),
    "score_guesses.rng": (FROM_0, lambda x: wordpl.score_guesses(BELIEF, 2.0, draws=3, rng=x)),
    "score_guesses.order": (ORDER, lambda x: wordpl.score_guesses(BELIEF, 2.0, "renyi", order=x)),
    "score_guesses.separate_draws": (
        BOOLEAN,
        lambda x: wordpl.score_guesses(BELIEF, 2.0, draws=3, rng=1, separate_draws=x),
    ),
    "best_guess.epsilon": (EPSILON, lambda x: wordpl.best_guess(BELIEF, x)),
    "best_guess.guesses": (
        whole(1, 0, len(TINY.guesses) - 1),
        lambda x: wordpl.best_guess(BELIEF, 2.0, guesses=[x]),
    ),
    "best_guess.draws": (whole(5, 1, 10**9), lambda x: wordpl.best_guess(BELIEF, 2.0, draws=x, rng=1)),
    "best_guess.rng": (FROM_0, lambda x: wordpl.best_guess(BELIEF, 2.0, draws=3, rng=x)),
    "best_guess.order": (ORDER, lambda x: wordpl.best_guess(BELIEF, 2.0, "renyi", order=x)),
    "best_guess.separate_draws": (BOOLEAN, lambda x: wordpl.best_guess(BELIEF, 2.0, draws=3, rng=1, separate_draws=x)),
    "best_last_guess.relative_cutoff": (
        FRACTION,
        lambda x: wordpl.best_last_guess(BELIEF.probabilities, RandomizedResponse(2.0), TINY, "letterwise", x),
    ),
    "best_ask.candidates": (POSITIVE, lambda x: wordpl.best_ask(BELIEF, [(GUESS, x)], 9.0)),
    "best_ask.budget": (real([9.0], 0.0, low=0.0), lambda x: wordpl.best_ask(BELIEF, [(GUESS, 2.0)], x)),
    "two_step_lookahead.epsilon": (
        POSITIVE,
        lambda x: wordpl.two_step_lookahead(BELIEF, GUESS, x, 9.0, budget_fraction=0.5, clue_probability=0.1),
    ),
    "two_step_lookahead.budget": (
        real([9.0], 0.0, low=0.0),
        lambda x: wordpl.two_step_lookahead(BELIEF, GUESS, 2.0, x, budget_fraction=0.5, clue_probability=0.1),
    ),
    "two_step_lookahead.budget_fraction": (
        OPEN,
        lambda x: wordpl.two_step_lookahead(BELIEF, GUESS, 2.0, 9.0, budget_fraction=x, clue_probability=0.1),
    ),
    "two_step_lookahead.clue_probability": (
        real([0.5], 0.0, math.inf, low=0.0, high=1.0),
        lambda x: wordpl.two_step_lookahead(BELIEF, GUESS, 2.0, 9.0, budget_fraction=0.5, clue_probability=x),
    ),
    "two_step_lookahead.order": (
        ORDER,
        lambda x: wordpl.two_step_lookahead(
            BELIEF, GUESS, 2.0, 9.0, budget_fraction=0.5, clue_probability=0.1, order=x
        ),
    ),
    "shortlist.epsilon": (EPSILON, lambda x: wordpl.shortlist(BELIEF, x, (1.0,), 2)),
    "shortlist.orders": (ORDER, lambda x: wordpl.shortlist(BELIEF, 2.0, (x,), 2)),
    "shortlist.each": (COUNT, lambda x: wordpl.shortlist(BELIEF, 2.0, (1.0,), x)),
    # play
    "GameFormat.guesses": (whole(6, 1, 100), lambda x: wordpl.GameFormat(x)),
    "Posterior.right_ends": (BOOLEAN, lambda x: Posterior(TINY, right_ends=x)),
    "Setting.noiseless": (BOOLEAN, lambda x: Setting(TINY, noiseless=x)),
    "Referee.seed": (SEED, lambda x: Referee(SETTING, x).seeds.answer(0, 9)),
    "Referee.game_seconds": (POSITIVE, lambda x: Referee(SETTING, 1, x).game_seconds),
    "Referee.max_asks": (FROM_0, lambda x: game(Referee(SETTING, 1, max_asks=x))),
    "Referee.min_epsilon": (EPSILON, lambda x: game(Referee(SETTING, 1, min_epsilon=x))),
    "Referee.play": (whole(3, 0, 2**64 - 1), lambda x: game(Referee(SETTING, 1), x)),
    "Adversary.play": (POSITIVE, lambda x: wordpl.Adversary(TINY).play(Proposes(), x).won),
    "epsilon_at.ask": (FROM_0, lambda x: wordpl.epsilon_at((3.0, 4.0), x)),
    "schedule.n_guesses": (
        Kind([2, np.int64(2)], COUNT.bad | st.integers(min_value=3)),
        lambda x: wordpl.schedule((4.0, 3.0), x),
    ),
    "schedule.epsilon": (POSITIVE, lambda x: wordpl.schedule((x, 3.0))),
    "MaxClueEntropy.n_guesses": (COUNT, lambda x: wordpl.library.MaxClueEntropy(x, 9.0)),
    "MaxClueEntropy.monte_carlo": (COUNT, lambda x: wordpl.library.MaxClueEntropy(2, 9.0, monte_carlo=x)),
    "MaxClueEntropy.shared_draws": (BOOLEAN, lambda x: wordpl.library.MaxClueEntropy(2, 9.0, shared_draws=x)),
    "NGuess.n_guesses": (COUNT, lambda x: wordpl.library.NGuess(x, 9.0)),
    "Greedy.certainty": (FRACTION, lambda x: wordpl.library.Greedy(9.0, certainty=x)),
    "BayesianGreedy.certainty": (FRACTION, lambda x: wordpl.library.BayesianGreedy(9.0, x)),
    "Fifth.budget": (FINITE, lambda x: wordpl.library.Fifth(x)),
    # trees
    "Heuristic.answers_only": (BOOLEAN, lambda x: wordpl.Heuristic(answers_only=x)),
    "Heuristic.hard": (BOOLEAN, lambda x: wordpl.build_tree(TINY, wordpl.Heuristic(hard=x)).total),
    "Heuristic.priority": (
        real([2.0, 0.0], math.inf, low=0.0),
        lambda x: wordpl.build_tree(TINY, wordpl.Heuristic(priority={GUESS: x})).total,
    ),
    "solve_tree.worst": (whole(20, 1), lambda x: wordpl.solve_tree(TINY, GUESS, worst=x).tree.total),
    "solve_tree.openers": (COUNT, lambda x: wordpl.solve_tree(TINY, openers=x).tree.total),
    "solve_tree.hard": (BOOLEAN, lambda x: wordpl.solve_tree(TINY, TINY.answers[0], hard=x).proven),
    "verify.hard": (Kind([False, np.False_], BOOLEAN.bad), lambda x: wordpl.verify(TREE, TINY, hard=x)),
    # bounds
    "guess_limit_bound.guesses": (whole(2, 1, 12), lambda x: wordpl.guess_limit_bound(x, TINY)),
    "guess_limit_bound.lies": (whole(2, 0, 5), lambda x: wordpl.guess_limit_bound(2, TINY, x)),
    "win_rate_bound.budget": (EPSILON, lambda x: wordpl.win_rate_bound(x, TINY, 1)),
    "win_rate_bound.rounds": (whole(1, 0), lambda x: wordpl.win_rate_bound(2.0, TINY, x)),
    "win_rate_bound.first_at_least": (
        real([9.0], low=0.0),
        lambda x: wordpl.win_rate_bound(2.0, TINY, first_at_least=x),
    ),
    "budget_bound.win_rate": (FRACTION, lambda x: wordpl.budget_bound(x, TINY, 0)),
    "budget_bound.rounds": (whole(0, 0), lambda x: wordpl.budget_bound(0.9, TINY, x)),
    "budget_bound.first_at_least": (EPSILON, lambda x: wordpl.budget_bound(0.0, TINY, first_at_least=x)),
    "fixed_split_win_rate.epsilons": (EPSILON, lambda x: wordpl.fixed_split_win_rate([x, 3.0], 9)),
    "fixed_split_win_rate.answers": (ANSWERS, lambda x: wordpl.fixed_split_win_rate([3.0], x)),
    "fixed_split_win_rate.marks": (MARKS, lambda x: wordpl.fixed_split_win_rate([3.0], 9, x)),
    "find_parts_of_two.floor": (FROM_0, lambda x: wordpl.find_parts_of_two(TINY, floor=x)),
    "prior_success.answers": (ANSWERS, lambda x: wordpl.prior_success(x)),
    "pure_success.budget": (EPSILON, lambda x: wordpl.pure_success(x, 9)),
    "pure_success.answers": (ANSWERS, lambda x: wordpl.pure_success(2.0, x)),
    "pure_budget.success": (FRACTION, lambda x: wordpl.pure_budget(x, 9)),
    "pure_budget.answers": (ANSWERS, lambda x: wordpl.pure_budget(0.5, x)),
    "approximate_budget.success": (FRACTION, lambda x: wordpl.approximate_budget(x, 2, 9)),
    "approximate_budget.rounds": (whole(3, 1, 1000), lambda x: wordpl.approximate_budget(0.5, x, 9)),
    "approximate_budget.answers": (ANSWERS, lambda x: wordpl.approximate_budget(0.5, 2, x)),
    "approximate_budget.marks": (MARKS, lambda x: wordpl.approximate_budget(0.5, 2, 9, x)),
    **{
        f"{call.__name__}.{name}": (kind, lambda x, call=call, name=name: call(**{**PRIVACY, name: x}))
        for call in (wordpl.approximate_success, wordpl.renyi_success)
        for name, kind in {"budget": EPSILON, "rounds": whole(3, 1, 1000), "answers": ANSWERS, "marks": MARKS}.items()
    },
    # simulation
    "evaluate.trials": (COUNT, lambda x: wordpl.evaluate(RENYI, x, words=TINY).wins),
    "evaluate.seed": (SEED, lambda x: wordpl.evaluate(RENYI, 2, x, words=TINY).wins),
    "evaluate.until_width": (OPEN, lambda x: wordpl.evaluate(RENYI, 2, until_width=x, words=TINY).wins),
    "evaluate.first_trial": (FIRST, lambda x: wordpl.evaluate(RENYI, 2, first_trial=x, words=TINY).wins),
    "evaluate.game_seconds": (POSITIVE, lambda x: wordpl.evaluate(RENYI, 2, game_seconds=x, words=TINY).wins),
    "make_task.seed": (SEED, lambda x: wordpl.make_task(RENYI, x, words=TINY).id),
    "make_task.game_seconds": (POSITIVE, lambda x: wordpl.make_task(RENYI, words=TINY, game_seconds=x).id),
    "watch.trial": (whole(3, 0, 2**64 - 1), lambda x: wordpl.watch(RENYI, x, words=TINY)),
    "watch.seed": (SEED, lambda x: wordpl.watch(RENYI, 0, x, words=TINY)),
    "watch.game_seconds": (POSITIVE, lambda x: wordpl.watch(RENYI, 0, words=TINY, game_seconds=x)),
    "watch.top": (COUNT, lambda x: wordpl.watch(RENYI, 0, words=TINY, top=x).moves[0]),
    "sweep.trials": (COUNT, lambda x: wordpl.sweep([TASK], x)[0].wins),
    "sweep.until_width": (OPEN, lambda x: wordpl.sweep([TASK], 2, until_width=x)[0].wins),
    "sweep.first_trial": (FIRST, lambda x: wordpl.sweep([TASK], 2, first_trial=x)[0].wins),
    "sweep.batch": (COUNT, lambda x: wordpl.sweep([TASK], 2, batch=x)[0].wins),
    "percentile.q": (FRACTION, lambda x: wordpl.percentile([1.0, 2.0], x)),
    "percentile_interval.q": (FRACTION, lambda x: wordpl.percentile_interval([1.0, 2.0], x)),
    "percentile_interval.confidence": (FRACTION, lambda x: wordpl.percentile_interval([1.0, 2.0], 0.5, x)),
    "win_interval.wins": (whole(2, 0, 9), lambda x: wordpl.win_interval(x, 9)),
    "win_interval.trials": (whole(9, 1, 2**53 - 1), lambda x: wordpl.win_interval(0, x)),
    "win_interval.confidence": (real([0.5], math.inf, low=0.0, high=1.0), lambda x: wordpl.win_interval(2, 9, x)),
    "win_rate_to_hold.q": (FRACTION, lambda x: wordpl.win_rate_to_hold(x, 9)),
    "win_rate_to_hold.games": (whole(9, 1, 2**53 - 1), lambda x: wordpl.win_rate_to_hold(0.5, x)),
    "win_rate_to_hold.probability": (FRACTION, lambda x: wordpl.win_rate_to_hold(0.5, 9, x)),
    "find_crossing.win_rate": (OPEN, lambda x: wordpl.find_crossing([1.0, 2.0], [1, 8], [9, 9], x)),
    "find_crossing.confidence": (OPEN, lambda x: wordpl.find_crossing([1.0, 2.0], [1, 8], [9, 9], 0.5, x)),
    "anytime_interval.error": (OPEN, lambda x: wordpl.anytime_interval([0.5], x)),
    "log_wealths.mean": (OPEN, lambda x: wordpl.log_wealths([0.5], x)),
    "compare.trials": (COUNT, lambda x: compared(trials=x)),
    "compare.batch": (COUNT, lambda x: compared(batch=x)),
    "ComparisonRule.margin": (FRACTION, lambda x: wordpl.ComparisonRule(margin=x)),
    "ComparisonRule.error": (OPEN, lambda x: wordpl.ComparisonRule(error=x)),
    "ComparisonRule.until_settled": (BOOLEAN, lambda x: wordpl.ComparisonRule(until_settled=x)),
    "ComparisonRule.draws": (whole(200, 100, 10**6), lambda x: wordpl.ComparisonRule(draws=x)),
    "mcnemar.only_first": (whole(2, 0, 2**53 - 1), lambda x: wordpl.mcnemar(x, 3)),
    "mcnemar.only_second": (whole(2, 0, 2**53 - 1), lambda x: wordpl.mcnemar(3, x)),
    "paired_win_interval.only_first": (whole(2, 0, 9), lambda x: wordpl.paired_win_interval(x, 0, 9)),
    "paired_win_interval.only_second": (whole(2, 0, 9), lambda x: wordpl.paired_win_interval(0, x, 9)),
    "paired_win_interval.trials": (whole(9, 2, 2**53 - 1), lambda x: wordpl.paired_win_interval(1, 1, x)),
    "paired_win_interval.confidence": (OPEN, lambda x: wordpl.paired_win_interval(2, 1, 9, x)),
    # search
    "compute_win_rate.standard_error": (OPEN, lambda x: win_rate(standard_error=x)),
    "compute_win_rate.exact": (BOOLEAN, lambda x: win_rate(exact=x, standard_error=0.5)),
    "compute_win_rate.max_histories": (whole(200, 0), lambda x: win_rate(max_histories=x, standard_error=0.5)),
    "compute_win_rate.seed": (SEED, lambda x: win_rate(seed=x)),
    "WinRate.interval": (FRACTION, lambda x: wordpl.WinRate("", 1.0, 0.5, 0.1, False, "", 9, 0.0).interval(x)),
    "play_games.start": (whole(0, 0, 2**63 - 1), lambda x: wordpl.play_games(RENYI, SETTING, x, 2, 1)),
    "play_games.stop": (whole(2, 0, 2**63 - 1), lambda x: wordpl.play_games(RENYI, SETTING, 0, x, 1)),
    "play_games.seed": (SEED, lambda x: wordpl.play_games(RENYI, SETTING, 0, 2, x)),
    "select_best.rungs": (COUNT, lambda x: wordpl.select_best([RENYI], SETTING, [(x, 1)]).contenders),
    "select_best.left": (COUNT, lambda x: wordpl.select_best([RENYI], SETTING, [(2, x)]).contenders),
    "select_best.seed": (SEED, lambda x: wordpl.select_best([RENYI], SETTING, [(2, 1)], seed=x).contenders),
    "select_best.standard_error": (
        OPEN,
        lambda x: wordpl.select_best([RENYI], SETTING, [(2, 1)], standard_error=x).contenders,
    ),
    "smallest_budgets.win_rates": (FRACTION, lambda x: wordpl.smallest_budgets([], [], [x])),
    "Policy.budget": (FINITE, lambda x: wordpl.Policy(x, 1, {(): (GUESS, 2.0)})),
    "Policy.clues": (whole(1, 1), lambda x: wordpl.Policy(9.0, x, {(): (GUESS, 9.0)})),
    "Policy.moves": (FINITE, lambda x: wordpl.Policy(9.0, 1, {(): (GUESS, x)})),
    "Policy.order": (ORDER, lambda x: wordpl.Policy(9.0, 1, {(): (GUESS, 9.0)}, order=x)),
    "Policy.relative_cutoff": (
        real([0.5], 1.0, math.inf, low=0.0, high=1.0),
        lambda x: wordpl.Policy(9.0, 1, {(): (GUESS, 9.0)}, relative_cutoff=x),
    ),
    "Policy.budget_fractions": (OPEN, lambda x: wordpl.Policy(9.0, 1, {(): (GUESS, 9.0)}, ((0.0, x),))),
}
PRIVACY = {"budget": 2.0, "rounds": 2, "answers": 9, "marks": 5}
TASK = wordpl.make_task(RENYI, words=TINY)
TASKS = TASK, wordpl.make_task(Renyi((5.0, 5.0), first_guess=None), words=TINY)

# Public calls of these rooms whose numbers are not a user's, or are checked elsewhere, with the reason.
ELSEWHERE = {
    "Ask": "the referee reads moves (tests/play/test_moves.py)",
    "Channel": "abstract",
    "Contender": "a result", "Crossing": "a result", "Duel": "a result", "Evaluation": "a result", "Game": "a result",
    "ComparedPair": "a result", "Difference": "a result", "WinsDifference": "a result",
    "GameRecord": "a result", "MoveRecord": "a result", "Selection": "a result",
    "Run": "a result", "Solution": "a result", "TaskRow": "a result", "WinRate": "a result",
    "Posterior.prior": "an array, see below",
    "expected_wins.values": "an array, see below",
    "expected_wins.guesses": "as in score_guesses",
    "chances_in_three.guesses": "as in score_guesses",
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


class Proposes:
    def first_move(self) -> Any:
        return wordpl.Answer(TINY.answers[0])

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        raise AssertionError


def game(referee: Referee, trial: Any = 0) -> str:
    return str(referee.play(trial, Proposes()))[:40]


def compared(trials: Any = 2, **options: Any) -> str:
    return str(wordpl.compare([TASKS], trials, rule=wordpl.ComparisonRule(draws=100), **options).frame)


def win_rate(**options: Any) -> float:
    return wordpl.compute_win_rate(RENYI, SETTING, **options).win_rate


def shown(result: Any) -> str:
    return repr(result.tolist() if isinstance(result, np.ndarray) else result)


@pytest.mark.parametrize("name", CASES)
def test_good_numbers_of_every_type(name: str) -> None:
    kind, call = CASES[name]
    results = [shown(call(value)) for value in kind.good]
    for value, result in zip(kind.good, results, strict=True):
        plain = next(other for other in kind.good if other == value)
        assert result == shown(call(plain)), f"{name}: {value!r} is not taken as {plain!r}"


@pytest.mark.parametrize("name", CASES)
def test_anything_else_is_refused_in_one_line(name: str) -> None:
    kind, call = CASES[name]

    @settings(max_examples=60)
    @given(kind.bad)
    def refused(value: Any) -> None:
        with pytest.raises(WordplError) as caught:
            call(value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 250

    refused()


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


@pytest.mark.parametrize(
    "values",
    ["abc", ["1"], [None], [[1.0], [1.0, 2.0]], [10**400], object()],
    ids=["text", "list of text", "None", "ragged", "too large", "object"],
)
def test_arrays_of_other_things_are_refused(values: Any) -> None:
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


@pytest.mark.parametrize("channel", ["fible", None, 3.0, RandomizedResponse(3.0), ["fibble"]], ids=repr)
def test_what_is_no_channel_is_refused_everywhere(channel: Any) -> None:
    for call in (
        lambda: wordpl.evaluate(RENYI, 2, words=TINY, channel=channel),
        lambda: wordpl.make_task(RENYI, words=TINY, channel=channel),
        lambda: Setting(TINY, channel=channel),
        lambda: Posterior(TINY, channel=channel),
    ):
        with pytest.raises(WordplError, match="channel") as caught:
            call()
        assert "\n" not in str(caught.value)


def test_a_channel_by_name_where_words_are_by_name() -> None:
    asks = from_contest(Proposes())
    task = wordpl.make_task(asks, words="original", channel="fibble")
    assert task.setting.channel is wordpl.Fibble
    assert task.id == wordpl.make_task(asks, channel=wordpl.Fibble).id
    assert wordpl.evaluate(RENYI, 20, words=SMALL, channel="randomized_response").errors == 0
    for made in (lambda: Setting(TINY, channel="fibble"), lambda: Posterior(TINY, channel="fibble")):  # type: ignore[arg-type]
        with pytest.raises(WordplError, match=r"channel 'fibble' is not allowed; a channel family"):
            made()


def test_a_setting_is_made_of_what_it_says() -> None:
    with pytest.raises(WordplError, match=r"words 'original' is not a word list; wordpl.load_words makes one"):
        Setting("original")  # type: ignore[arg-type]
    with pytest.raises(WordplError, match="unknown repeat rule 'loose'"):
        Setting(TINY, "loose")
    assert Ask(GUESS, 1.0) == Ask(GUESS, 1.0)
