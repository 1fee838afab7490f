"""Evaluations, their statistics by hand, and the win rates that are known; what is told of a strategy; and one game,
move by move: the game that a run plays, what was true beside what was told, and what was printed."""

import csv
import inspect
import math
import shlex
import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from experiments import strategies as experiment
from tests.support.helpers import SMALL, TINY, Sometimes
from wordpl import Answer, Ask, HistoryStrategy, clue, evaluate, simulation
from wordpl.base.defaults import QUANTILES
from wordpl.simulation import describe_strategy, percentile_interval, win_interval
from wordpl.simulation.outcomes import turn_shares


@pytest.fixture(scope="module")
def found():
    return evaluate("Greedy(epsilon=9, certainty=0.6)", 400, seed=2, words=SMALL)


def test_scores_and_intervals_of_another_confidence(found):
    frame = found.frame
    scores = np.where(won := frame["verdict"] == "WIN", frame["budget"], math.inf)
    assert (won == (frame["answer"] == frame["proposed"])).all() and 0 < won.sum() < 400
    assert (found.scores == scores).all() and (frame["score"] == scores).all()
    low, high = win_interval(int(won.sum()), 400)
    budgets = ", ".join(f"{name} {simulation.percentile(scores, q):.4g}" for name, q in QUANTILES.items())
    told = f"400 trials, win rate {won.mean():.4f} [{low:.4f}, {high:.4f}], {budgets}"
    assert repr(found) == f"<Evaluation {found.task.strategy}: {told}>"
    surer = replace(found, confidence=0.9)
    assert surer.percentile_interval(0.5) == percentile_interval(scores, 0.5, 0.9)
    assert surer.interval == win_interval(int(won.sum()), 400, 0.9) and surer.summary()["confidence"] == 0.9
    assert surer.posterior_interval == simulation.mean_interval(frame["chance"], 0.1)


def test_posterior_win_rates_are_told_unless_all_games_failed():
    never = evaluate(Sometimes(), 30, seed=4, words=SMALL)
    failed = replace(never, results=never.results[(never.frame["verdict"] != "LOSS").to_numpy()].repeat(300))
    for found in (never, failed):
        assert ("posterior win rate" in [row[0] for row in found.estimates]) == (found is never), found
    shares = [(n / 30, win_interval(n, 30, 0.5)) for n in (0, 30)]
    assert turn_shares(replace(never, confidence=0.5), (1,)) == shares


@pytest.mark.parametrize(("wins", "budget", "told"), [(5, 9.0, True), (6, 9.0, True), (6, math.inf, False)])
def test_a_percentile_is_told_unless_it_is_infinite_for_want_of_noise(found, wins, budget, told):
    results = found.results[:101].copy()
    results["verdict"], results["budget"] = ["WIN"] * wins + ["LOSS"] * (101 - wins), budget
    some = replace(found, results=results)
    assert some.p05 == (9.0 if told and wins > 5 else math.inf)
    assert ("budget, 5th percentile" in [row[0] for row in some.estimates]) == told


def test_times_count_the_proposal_but_in_wordle_and_do_not_tell_evaluations_apart(found):
    asks, seconds = found.frame["asks"].sum(), found.frame["seconds"].sum()
    wordle = replace(found, task=replace(found.task, format="wordle:6"))
    assert [one.seconds_per_move for one in (found, wordle)] == pytest.approx([seconds / (asks + 400), seconds / asks])
    slower, other = found.results.copy(), found.results.copy()
    slower["seconds"] += 1.0
    other["chance"][3] += 0.1
    assert found == replace(found, results=slower) != replace(found, results=other)
    assert found != replace(found, confidence=0.9) and found != replace(found, results=found.results[:399])


@pytest.mark.published
def test_max_clue_entropy_wins_as_often_as_the_published_code():
    """0.5140 +- 0.0023 with 200 draws for each candidate, as published. 500 games have a standard error of 0.0145."""
    run = evaluate("MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)", 500, jobs=2)
    chances = run.results["chance"]
    error = math.hypot(chances.std(ddof=1) / math.sqrt(500), 0.0023)
    assert abs(run.posterior_win_rate - 0.5140) < 3 * error
    assert set(run.results["budget"]) == {39.0}
    assert run.errors == run.timeouts == 0
    assert run.p05 == 39.0


NAMES = sorted(wordpl.library.places())


def rows() -> list[dict[str, str]]:
    with simulation.WIN_RATES_FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_and_three_win_rates_of_a_strategy_are_told(name):
    kind, told = wordpl.strategies()[name], describe_strategy(name)
    assert [one.name for one in told.parameters] == list(inspect.signature(kind).parameters)
    for one in told.parameters:
        assert one.meaning.endswith(".") and len(one.meaning) >= 12
        given = inspect.signature(kind).parameters[one.name].default
        assert one.default == (None if given is inspect.Parameter.empty else repr(given))
    assert told.account and told.source
    command = told.win_rates[1].command if told.win_rates else f'wordpl score "{name}(path=...)"'
    assert told.example == command and shlex.split(command)[2].startswith(f"{name}(")
    assert len(told.win_rates) == (0 if name == "FromTable" else 3)
    for row in told.win_rates[:1]:  # since a tree is replayed for each task
        assert wordpl.parse_strategy(row.spec) == experiment.task_of(f"{row.spec} {row.options}".rstrip()).strategy
    for row in told.win_rates:
        assert row.interval[0] <= row.win_rate <= row.interval[1]


@pytest.mark.published
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["spec"] + row["options"])
def test_the_win_rates_are_those_of_the_strategies_as_they_are(row):
    """A code tells more, but is another in each version of Python. What counts is that they play as they played."""
    task = experiment.task_of(f"{row['spec']} {row['options']}".rstrip())
    found = wordpl.sweep([task], experiment.FIRST)[0]
    assert experiment.digest_of(found) == row["first_games"], "run python -m experiments.strategies"


def test_the_games_and_statistics_of_a_row():
    """One row is played whole, and there is a row for each spec."""
    assert sorted(f"{row['spec']} {row['options']}".rstrip() for row in rows()) == sorted(experiment.SPECS)
    (row,) = [row for row in rows() if row["spec"] == "TwoGuess(epsilon=36.0)"]
    found = wordpl.evaluate(row["spec"], int(row["trials"]))
    statistics = found.mean_budget, found.posterior_win_rate, *found.posterior_interval
    assert [float(row[name]) for name in ("budget", "win_rate", "low", "high")] == pytest.approx(statistics, abs=6e-4)


# One game, move by move


@pytest.mark.parametrize(
    ("spec", "terms"),
    [
        ("TwoGuess(inf)", {"rule": "counted"}),
        ("BayesianRandom(certainty=0.5, epsilon=20)", {"rule": "counted"}),
        ("BayesianSolver()", {"channel": "fibble:3", "format": "wordle:4"}),
        ("BayesianSolver()", {"channel": "fibble", "format": f"wordle:6:{SMALL.answers[0]}"}),
        ("BayesianSolver()", {"channel": "randomized_response:9", "format": "wordle:4"}),
    ],
)
def test_the_game_is_the_trial_of_a_run(spec, terms):
    """In games of Wordle, the posterior excludes the guesses that have not ended the game."""
    given: dict[str, Any] = {"seed": 5, "words": SMALL, **terms}
    format, verdicts = terms.get("format", ""), set()
    for trial, row in wordpl.evaluate(spec, 10 if format else 3, **given).frame.iterrows():
        shown = wordpl.watch(spec, trial, **given)
        game, moves = shown.game, shown.moves
        said = {name: row[name] for name in ("answer", "proposed", "verdict", "budget", "turns", "score")}
        assert said == {name: getattr(game, name) for name in said}
        assert row["asks"] == sum(move.kind == "ask" for move in moves)
        assert all(p > 0.0 for move in moves for _, p in move.top), "what cannot be is not shown"
        verdicts.add(game.verdict)
        last = moves[-1]
        if not format:
            assert row["chance"] == pytest.approx(dict(last.top).get(game.proposed, row["chance"]))
            likely = shown.setting.belief(game.history).most_probable(3)  # equal ones by alphabet
            assert last.top == tuple((word, p) for word, p in likely.items() if p > 0.0)
            continue
        assert len(moves) == game.turns == row["asks"]
        if game.won:
            assert (last.word, last.noisy_clue, last.true_clue) == (game.answer, "ccccc", "ccccc")
            assert (last.top, last.bits) == (((game.answer, 1.0),), 0.0)
        belief = wordpl.Posterior(SMALL, channel=terms["channel"], right_ends=True)
        for move in moves[:-1] if game.won else moves:
            assert move.word != game.answer
            belief = belief.update(move.word, move.epsilon, move.noisy_clue)
            assert move.bits == pytest.approx(belief.entropy)
            assert game.answer in [SMALL.answers[i] for i in belief.possible]
        assert len(moves) == 4 or game.won
        assert row["chance"] == 1.0 or len(moves) == int(format[7]), "only the last row was a matter of chance"
        assert "6" not in format or moves[0].word == SMALL.answers[0]
    assert not format or len(verdicts) == (1 if "6" in format else 2)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**256 - 1), st.sampled_from(["letterwise", "counted"]))
@settings(max_examples=15)
def test_the_posterior_and_the_true_clues_are_those_of_the_game(trial, seed, rule):
    game = wordpl.watch(Listed((("crane", 8.0), ("slimy", 3.0))), trial, seed, words=TINY, rule=rule, top=50)
    belief = wordpl.Posterior(TINY, rule)
    assert game.prior_bits == belief.entropy
    for move in game.moves[:-1]:
        assert move.true_clue == str(clue(move.word, game.game.answer, rule))
        assert [move.noisy_clue[i] != move.true_clue[i] for i in range(5)] == [i in move.flipped for i in range(5)]
        belief = belief.update(move.word, move.epsilon, move.noisy_clue)
        assert move.bits == pytest.approx(belief.entropy)
        assert dict(move.top) == pytest.approx(dict(zip(TINY.answers, belief.probabilities, strict=True)))
        assert [p for _, p in move.top] == sorted((p for _, p in move.top), reverse=True)
    assert game.moves[-1].kind == "answer" and game.moves[-1].word == game.game.proposed == belief.top[0]
    assert math.fsum(move.epsilon for move in game.moves[:-1]) == game.game.budget == 11.0


@dataclass(frozen=True, repr=False)
class Listed(HistoryStrategy):
    """Asks from a list, then proposes the most probable answer."""

    asks: tuple[tuple[str, float], ...]
    talk: int = 0
    fails: bool = False

    def decide(self, setting: Any, history: Any) -> Any:
        print(f"move {len(history)}" + "x" * self.talk)
        print("\x1b[31mred", file=sys.stderr)
        if len(history) < len(self.asks):
            word, epsilon = self.asks[len(history)]
            return Ask(word if word in setting.words.guess_index else setting.words.guesses[0], epsilon)
        if self.fails:
            raise RuntimeError("no idea")
        return Answer(setting.belief(history).top[0])


def test_what_a_strategy_prints_stands_at_its_move_and_nowhere_else(capsys):
    game = wordpl.watch(Listed((("crane", 8.0), ("crane", 3.0))), 0, words=TINY)
    assert [move.printed for move in game.moves] == [f"move {i}\n\ufffd[31mred" for i in range(3)]
    assert {len(move.top) for move in game.moves} == {3}, "unless more are asked for"
    for move in wordpl.watch(Listed((("crane", 8.0),), talk=100_000), 0, words=TINY).moves:
        assert len(move.printed) == 2048 and move.printed.endswith("x…")
    assert capsys.readouterr() == ("", "")
    wordpl.evaluate(Listed((("crane", 8.0),)), 2, words=TINY)
    out, err = capsys.readouterr()
    assert out == "" and "move 1" in err


def test_a_move_that_loses_the_game_is_shown_with_what_was_known():
    game = wordpl.watch(Listed((("crane", 8.0),), fails=True), 1, words=TINY)
    assert (str(game.game.verdict), game.game.proposed, math.isinf(game.game.score)) == ("CRASH", None, True)
    assert "no idea" in game.game.reason
    assert [move.kind for move in game.moves] == ["ask", "forfeit"]
    assert game.moves[1].word is None and game.moves[1].top == game.moves[0].top
    assert "move 1" in game.moves[1].printed
    assert len(repr(game)) <= 200 and "CRASH" in repr(game)
