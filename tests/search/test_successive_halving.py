"""Successive halving: who wins, what all strategies share, and that the winner is measured on games of its own."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from tests.helpers import SMALL, TINY
from wordpl import (
    Answer,
    Ask,
    HistoryStrategy,
    Setting,
    WordList,
    WordplError,
    compute_win_rate,
    evaluate,
    select_best,
)
from wordpl.library.max_clue_entropy import MaxClueEntropy
from wordpl.library.renyi import Renyi
from wordpl.play.seeds import Seeds
from wordpl.search import history_samples, successive_halving, win_rate
from wordpl.search.successive_halving import play_games

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


def alike():
    """Strategies that are one under another naming of letters and places: equal in value, each with luck of its own."""
    images = set()
    for letters, places in itertools.product(itertools.permutations("abc"), itertools.permutations(range(3))):
        names = dict(zip("abc", letters, strict=True))
        images.add(tuple("".join(names[word[k]] for k in places) for word in ("aab", "bca", "acc")))
    return [Fixed(guesses) for guesses in sorted(images)]


GOOD, BAD = Fixed(("abc", "bca"), 9.0), Fixed(("ddd", "ddd"), 9.0)
FIELD = [BAD, Fixed(("aaa", "ddd"), 9.0), GOOD, Fixed(("aaa", "aaa"), 9.0), Fixed(("ddd", "abc"), 9.0)]
RUNGS = ((100, 3), (200, 2), (400, 1))


def test_the_obvious_winner():
    found = select_best(FIELD, EVERYTHING, RUNGS, seed=3)
    assert found.winner == GOOD == found.contenders[0].strategy
    assert found.measured.strategy == repr(GOOD)
    assert found.measured.win_rate == compute_win_rate(GOOD, EVERYTHING).win_rate
    assert [contender.games for contender in found.contenders] == [400, 400, 200, 100, 100]
    assert {contender.strategy for contender in found.contenders} == set(FIELD)
    assert found.contenders[-1].strategy == BAD


def test_standings_are_means_over_the_games_played():
    for contender in (found := select_best(FIELD, EVERYTHING, RUNGS, seed=3)).contenders:
        own = play_games(contender.strategy, EVERYTHING, 0, contender.games, 3)
        behind = own - play_games(GOOD, EVERYTHING, 0, contender.games, 3)
        assert contender.estimate == own.mean()
        assert contender.behind == pytest.approx(behind.std(ddof=1) / math.sqrt(contender.games))
    assert found.contenders[0].behind == 0.0
    estimates = [contender.estimate for contender in found.contenders]
    assert estimates[0] > estimates[1] and estimates[3] > estimates[4]


def test_a_field_of_one_and_the_same_twice():
    found = select_best([GOOD, Fixed(("abc", "bca"), 9.0)], EVERYTHING, ((10, 1),))
    assert [contender.strategy for contender in found.contenders] == [GOOD]


@pytest.mark.heavy
def test_seeds_and_workers():
    one, two, other = (
        select_best(alike()[:6], EVERYTHING, ((20, 2), (60, 1)), seed=s, jobs=j) for s, j in ((5, 1), (5, 2), (6, 1))
    )
    assert one.contenders == two.contenders
    assert one.measured.win_rate == two.measured.win_rate
    assert one.contenders != other.contenders


# The games


@pytest.mark.heavy
@pytest.mark.parametrize("strategy", [GOOD, Renyi((6.0, 4.0, 3.0), first_guess=None)], ids=repr)
def test_games_are_the_same_in_parts(strategy):
    whole = play_games(strategy, EVERYTHING, 0, 130, seed=4)
    parts = [
        play_games(strategy, EVERYTHING, start, stop, seed=4) for start, stop in ((0, 7), (7, 50), (50, 50), (50, 130))
    ]
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(play_games(strategy, EVERYTHING, 0, 130, seed=4, jobs=2), whole)
    assert not np.array_equal(play_games(strategy, EVERYTHING, 0, 130, seed=5), whole)


@pytest.mark.parametrize("seed", [1, 8])
def test_games_are_those_of_the_referee(seed):
    """Trial i has the answer and the noise that it has in any other run."""
    strategy, trials = Renyi((9.0, 7.0)), 40

    @dataclass(frozen=True, repr=False)
    class Quiet(HistoryStrategy):
        def decide(self, setting, history):
            return strategy.decide(setting, history)

    found = play_games(Quiet(), Setting(SMALL), 0, trials, seed)
    played = evaluate(strategy, trials, seed, words=SMALL, jobs=1).results
    np.testing.assert_allclose(found, played["chance"], rtol=1e-12)


@pytest.mark.heavy
@pytest.mark.parametrize("tells", [True, False])
def test_chances_of_games_are_unbiased(tells):
    strategy = Fixed(("aab", "bca", "acc"), tells=tells)
    exact = compute_win_rate(strategy, EVERYTHING).win_rate
    found = play_games(strategy, EVERYTHING, 0, 1500, seed=2)
    assert abs(found.mean() - exact) < 4 * found.std(ddof=1) / math.sqrt(1500)
    assert ((found > 0) & (found <= 1)).all()


def test_the_last_clue_is_not_drawn():
    """One ask, and it is the last: every game is worth its mean."""
    assert np.ptp(play_games(Fixed(("abc",)), EVERYTHING, 0, 20, seed=1)) == 0.0
    assert np.ptp(play_games(Fixed(("abc",), tells=False), EVERYTHING, 0, 20, seed=1)) > 0.0


def test_all_meet_the_same_answer_and_noise():
    """Strategies that ask alike get the same clues, so alike in all but name means equal game by game."""
    one, other = Fixed(("abc", "bca"), 4.0, tells=False), Fixed(("abc", "bca"), 4.0 + 1e-9, tells=False)
    np.testing.assert_allclose(
        play_games(one, EVERYTHING, 0, 80, 3), play_games(other, EVERYTHING, 0, 80, 3), atol=1e-6
    )


# The winner's curse


def test_the_winner_is_measured_on_draws_no_lap_has_seen(monkeypatch):
    """The roots of the rungs and of the measurement have nothing in common, nor have its pilot and the rest."""
    rungs, fresh = set(), []

    class Recorded(Seeds):
        def __init__(self, root):
            rungs.add(root)
            super().__init__(root)

    real_stream = history_samples.stream

    def recorded_stream(root, purpose):
        fresh.append((root, purpose, real_stream(root, purpose)))
        return fresh[-1][2]

    monkeypatch.setattr(successive_halving, "Seeds", Recorded)
    monkeypatch.setattr(history_samples, "stream", recorded_stream)
    monkeypatch.setattr(win_rate, "count_histories", lambda *given: math.inf)  # so that it is estimated
    select_best(alike()[:4], EVERYTHING, ((10, 2), (20, 1)), seed=7, standard_error=0.05)
    assert rungs == {7}
    roots, purposes, seeds = map(set, zip(*fresh, strict=True))
    assert not roots & rungs and not seeds & rungs
    assert len(roots) == 1
    assert len(purposes) == len(seeds) == len(fresh) == 2 * win_rate.REPLICATES
    # With another seed, all are different.
    before = seeds
    fresh.clear()
    select_best(alike()[:4], EVERYTHING, ((10, 2),), seed=8, standard_error=0.05)
    assert not before & {seed for *_, seed in fresh}


@pytest.mark.heavy
def test_the_luckiest_is_not_believed(monkeypatch):
    """Of equal strategies the winner's estimate is too high on average, its fresh value is not."""
    monkeypatch.setattr(win_rate, "count_histories", lambda *given: math.inf)  # so that it is estimated
    monkeypatch.setattr(win_rate, "PILOT", 5)
    field, races = alike(), 25
    assert len(field) >= 12
    truths = [compute_win_rate(strategy, EVERYTHING, exact=True).win_rate for strategy in field]
    assert np.ptp(truths) < 1e-12
    found = [
        select_best(field, EVERYTHING, ((15, 6), (40, 1)), seed=seed, standard_error=0.05) for seed in range(races)
    ]
    assert len({one.winner for one in found}) > 3
    estimates = np.array([one.contenders[0].estimate for one in found]) - truths[0]
    fresh = np.array([one.measured.win_rate for one in found]) - truths[0]
    assert estimates.mean() > 6 * estimates.std(ddof=1) / math.sqrt(races)
    assert abs(fresh.mean()) < 4 * fresh.std(ddof=1) / math.sqrt(races)
    assert abs(np.corrcoef(estimates, fresh)[0, 1]) < 0.6


# Bad input


@pytest.mark.parametrize(
    "rungs", [((0, 3),), ((10, 0),), ((-5, 1),), ((100, 3), (50, 1)), ((100, 3), (200, -1))], ids=repr
)
def test_rungs_that_are_none(rungs):
    with pytest.raises(WordplError, match=r"^(rungs|games|strategies left) .* not allowed") as caught:
        select_best(FIELD, EVERYTHING, rungs)
    assert "\n" not in str(caught.value)


def test_no_laps():
    with pytest.raises(WordplError, match="rungs"):
        select_best(FIELD, EVERYTHING, ())


def test_other_bad_races():
    with pytest.raises(WordplError, match="the field is empty"):
        select_best([], EVERYTHING)
    with pytest.raises(WordplError, match="'zzzzz' is not among the guesses"):
        select_best([Renyi((5.0, 4.0)), Renyi((5.0, 4.0), first_guess="zzzzz")], Setting(TINY))
    with pytest.raises(WordplError, match="seed -1"):
        select_best([GOOD], EVERYTHING, ((5, 1),), seed=-1)
    with pytest.raises(WordplError, match="draws its moves"):
        select_best([Renyi((5.0, 4.0)), MaxClueEntropy(2, 5.0)], Setting(TINY))
