"""One game, move by move: the game that a run plays, what was true beside what was told, and what was printed."""

import math
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.support.helpers import SMALL, TINY
from wordpl import Answer, Ask, HistoryStrategy, clue


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
    """In a bounded length."""
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
