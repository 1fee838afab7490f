"""The search behind a record, its quick look-ahead, and games up to their last clue."""

import itertools
import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import records
from experiments.orders import win_chance
from experiments.quick_asks import CLOSE, near_value, quick_ask
from tests.support.helpers import TINY, list_of
from tests.support.tops import cases, value_of
from wordpl import Answer, Ask, HistoryStrategy, Posterior, Referee, Setting, WordList, channel_family
from wordpl.limits import compute_win_rate, load_policy
from wordpl.scoring import best_ask

WORDS = list_of("words", ("abc", "bca", "cab", "abb", "dad"))


@pytest.mark.heavy
def test_the_third_guess_is_the_best_and_a_stopped_search_resumes(tmp_path, monkeypatch):
    patches = {"setting": lambda *_: Setting(WORDS), "POLICIES": tmp_path, "STEPS": tmp_path}
    for name, value in (patches | {"EFFORTS": [(0.0, 1, 0.3, 1, 0.3)]}).items():
        monkeypatch.setattr(records, name, value)

    def search():
        records.ninety_fifth(24.0, "abc", 6.0, 7.0, 0.55, pairs=5, finely=3, widely=2, jobs=1)
        return (tmp_path / "ninety_fifth.json").read_bytes()

    table, moves = search(), load_policy(tmp_path / "ninety_fifth.json").moves
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    for step in map(json.loads, lines[-2:]):
        pair = tuple(map(int, step["step"].removeprefix("widely ").split()))
        guess, epsilon = moves[pair]
        belief, rest = records._after(pair, moves, 24.0)
        assert step["value"] == pytest.approx(value_of(belief, guess, epsilon, rest - epsilon), abs=1e-5)
        assert step["value"] > max(value_of(belief, word, 0.55 * rest, 0.45 * rest) for word in WORDS.guesses) - 1e-3
    path.write_text("".join(lines[:-4]) + lines[-4][:20])
    assert search() == table


@pytest.mark.published
@settings(max_examples=20)
@given(cases(most_answers=8, most_guesses=12, lengths=(3,), epsilons=(2.0,)), st.integers(1, 5))
def test_near_values_are_never_too_high(case, every):
    belief = Posterior(case.words, case.rule, prior=case.weights)
    asks = [(guess, 2.0) for guess in case.words.guesses]
    values = {guess: value_of(belief, guess, 2.0, 3.0) for guess in case.words.guesses}
    step = quick_ask(belief, asks, 5.0, every=every)
    assert step.value <= values[step.guess] + 1e-4
    assert step.value == max(near_value(belief, *ask, 5.0, every) for ask in asks)
    if every == 1:
        assert step.value >= max(values.values()) - CLOSE


def test_other_channels_are_valued_exactly():
    belief = Posterior(TINY, channel=channel_family("whole_clue"))
    asks = [(guess, 3.0) for guess in TINY.guesses]
    assert quick_ask(belief, asks, 8.0).value == best_ask(belief, asks, 8.0).value


ABC = tuple(map("".join, itertools.product("abc", repeat=3)))
EVERYTHING = Setting(WordList("abc", ABC, tuple(sorted((*ABC, "ddd")))))


@dataclass(frozen=True, repr=False)
class Fixed(HistoryStrategy):
    """Asks these words, then proposes the most probable answer."""

    guesses: tuple[str, ...]
    epsilon: float = 3.0
    tells: bool = True

    def decide(self, setting, history):
        if len(history) == len(self.guesses):
            return Answer(setting.belief(history).top[0])
        return Ask(self.guesses[len(history)], self.epsilon)

    def last_ask(self, setting, history):
        return self.tells and len(history) == len(self.guesses) - 1


def chances(strategy, setting, games, seed):
    return np.array([win_chance(strategy, Referee(setting, seed), trial) for trial in range(games)])


@pytest.mark.heavy
@pytest.mark.parametrize("tells", [True, False])
def test_chances_of_games_are_unbiased(tells):
    strategy = Fixed(("aab", "bca", "acc"), tells=tells)
    exact = compute_win_rate(strategy, EVERYTHING).win_rate
    found = chances(strategy, EVERYTHING, 800, 2)
    assert abs(found.mean() - exact) < 4 * found.std(ddof=1) / math.sqrt(800)
    assert ((found > 0) & (found <= 1)).all()
    # Of one ask that is the last, every game is worth its mean: its clue is not drawn.
    assert (np.ptp(chances(Fixed(("abc",), tells=tells), EVERYTHING, 20, 1)) == 0.0) == tells
