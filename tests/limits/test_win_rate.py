"""Win rates, also of games of Wordle: exact against all histories written out, estimates against exact, and published
numbers."""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.support.generators import Fade, Scatter
from tests.support.helpers import FEW, ORIGINAL, THREE, TINY, AtTwo, list_of
from tests.support.oracles import all_marks, fibble
from tests.support.refusals import refusal
from tests.support.small_games import TWO
from tests.support.tops import noise_matrix, true_codes
from wordpl import Answer, Ask, Fibble, HistoryStrategy, Setting, Turn, WordplError, WordplWarning, parse_strategy
from wordpl.library.renyi import Renyi
from wordpl.library.two_guess import TwoGuess
from wordpl.limits import WinRate, compute_win_rate, stratified, win_rate, win_rates
from wordpl.limits.histories import count_histories
from wordpl.simulation import mean_interval

MANY = list_of("many", ORIGINAL.answers[::4])


@dataclass(frozen=True, repr=False)
class Wavering(HistoryStrategy):
    """Asks more after some clues than after others, at budgets that depend on them; tells nobody which ask is last."""

    epsilon: float
    most: int = 3

    def decide(self, setting, history):
        belief = setting.belief(history)
        last = history[-1].clue if history else 4
        if len(history) == self.most or (history and last % 3 == 0):
            return Answer(belief.top[0])
        words = setting.words.guesses
        return Ask(words[(7 * last + len(history)) % len(words)], self.epsilon / (1 + last % 4))


@dataclass(frozen=True, repr=False)
class Planned(HistoryStrategy):
    """Asks the words in turn, `more` after an odd clue to the last but one. It tells which ask is the last."""

    asks: int
    more: int = 0
    epsilon: float = 4.0

    def planned(self, history):
        known = len(history) > self.asks - 2
        return self.asks + (self.more if known and history[self.asks - 2].clue % 2 else 0)

    def decide(self, setting, history):
        if len(history) == self.planned(history):
            return Answer(setting.belief(history).top[0])
        return Ask(setting.words.guesses[3 * len(history)], self.epsilon + len(history))

    def last_ask(self, setting, history):
        return len(history) >= self.asks - 1 and len(history) == self.planned(history) - 1


@dataclass(frozen=True, repr=False)
class Always(HistoryStrategy):
    """Proposes one word whatever the clues say."""

    place: int
    asks: int = 2
    epsilon: float = 5.0

    def decide(self, setting, history):
        if len(history) == self.asks:
            return Answer(setting.words.answers[self.place])
        return Ask(setting.words.guesses[len(history) % 10], self.epsilon)


@dataclass(frozen=True, repr=False)
class Either(wordpl.Strategy):
    """Plays one of two strategies, as its game's seed has it: not a function of the clues alone."""

    one: HistoryStrategy
    other: HistoryStrategy

    def players(self, setting):
        makers = self.one.players(setting), self.other.players(setting)
        return lambda seed: makers[seed % 2](seed)


def matrix_of(setting, epsilon):
    """P(noisy clue given true clue) from definitions: [noisy, true]."""
    length = setting.words.length
    if setting.channel is wordpl.RandomizedResponse:
        return noise_matrix(length, epsilon)
    if setting.channel is Fibble:
        marks = all_marks(length)
        return np.array([[fibble(length)(noisy, true) for true in marks] for noisy in marks])
    return setting.channel(epsilon, length).dense


def all_histories(strategy, setting):
    """(turns, chance of the turns, chance of the turns and to be right) of every game there can be."""
    words = setting.words
    codes = dict(zip(words.guesses, true_codes(words, setting.rule), strict=True))

    def follow(history, weights):
        move = strategy.decide(setting, history)
        if isinstance(move, Answer):
            yield history, weights.sum(), weights[words.answers.index(move.word)]
            return
        matrix = matrix_of(setting, move.epsilon)
        for noisy in range(words.n_clues):
            after = weights * matrix[noisy, codes[move.guess]]
            if after.sum() > 0:
                yield from follow((*history, Turn(move.guess, move.epsilon, noisy)), after)

    return list(follow((), np.full(len(words.answers), 1 / len(words.answers))))


RESPONSE, OTHERS = wordpl.RandomizedResponse, ((Fade, 3.0), (Scatter, 3.0), (Fibble, math.inf))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("strategy", "rule", "words", "channel"),
    [
        (Wavering(200.0, 1), "counted", THREE, RESPONSE),
        (Always(1, 2), "letterwise", THREE, RESPONSE),
        (Renyi((6.0, 4.5, 3.0)), "letterwise", TWO, RESPONSE),
        (Wavering(6.0), "letterwise", TWO, RESPONSE),
        (Planned(2, 1), "counted", TWO, RESPONSE),
        *((Wavering(epsilon, 2), "letterwise", THREE, channel) for channel, epsilon in OTHERS),
        *((Renyi((epsilon,) * 2, (1.3, math.inf), None), "letterwise", THREE, channel) for channel, epsilon in OTHERS),
    ],
)
def test_exact_value_is_that_of_all_histories(strategy, rule, words, channel):
    setting = Setting(words, rule, channel, noiseless=channel is Fibble)
    found = compute_win_rate(strategy, setting)
    every = all_histories(strategy, setting)
    assert math.fsum(chance for _, chance, _ in every) == pytest.approx(1.0, abs=1e-12)
    assert found.win_rate == pytest.approx(math.fsum(right for *_, right in every), abs=1e-12)
    spent = (math.fsum(turn.epsilon for turn in turns) for turns, *_ in every)
    assert found.budget == pytest.approx(max(spent), rel=1e-12)
    assert found.exact and found.standard_error == 0.0
    assert found.interval() == (found.win_rate, found.win_rate)
    if channel is RESPONSE and not isinstance(strategy, Planned):
        count = sum(chance > 1e-20 for _, chance, _ in every)  # the others are too rare to count
        assert found.histories == (count // words.n_clues if isinstance(strategy, Renyi) else count)


@pytest.mark.parametrize(
    ("spec", "win_rate", "digits"),
    [
        ("TwoGuess(17.9)", 0.0502, 4),
        ("NGuess(2, 7.8)", 0.05449, 5),
        pytest.param("Renyi(epsilon=(9.3, 5.3))", 0.05288, 5, marks=pytest.mark.published),
        pytest.param("Renyi(epsilon=(9.3, 6.3))", 0.0641, 4, marks=pytest.mark.published),
    ],
)
def test_reference_values(spec, win_rate, digits):
    found = compute_win_rate(parse_strategy(spec), Setting(ORIGINAL))
    assert found.exact
    assert round(found.win_rate, digits) == win_rate


def z_score(found: WinRate, exact: float) -> float:
    return (found.win_rate - exact) / found.standard_error


@pytest.mark.heavy
@pytest.mark.parametrize("strategy", [Renyi((6.0, 4.0, 3.0)), Always(2, 3), Planned(3, 1)], ids=repr)
def test_estimate_is_near_the_exact_value(strategy):
    setting = Setting(TWO)
    exact, found = (compute_win_rate(strategy, setting, exact=flag, standard_error=0.02) for flag in (True, False))
    assert not found.exact and "sample" in found.method
    assert found.histories >= 2 * win_rate.PILOT and found.standard_error < 0.03
    assert abs(z_score(found, exact.win_rate)) < 4
    assert found.budget == pytest.approx(exact.budget, rel=0.3)
    low, high = found.interval(0.9999)
    assert 0 <= low < exact.win_rate < high <= 1


@pytest.mark.heavy
def test_estimate_where_some_clues_end_the_game_sooner():
    """Without noise, where an enumeration is short however many clues there are. 25 standard errors lie between."""
    strategy, setting = Planned(4, 1, math.inf), Setting(MANY, "counted", noiseless=True)
    exact = compute_win_rate(strategy, setting, exact=True).win_rate
    sooner = compute_win_rate(Planned(4, 0, math.inf), setting, exact=True).win_rate
    found = compute_win_rate(strategy, setting, exact=False, standard_error=0.006)
    assert abs(z_score(found, exact)) < 4 < abs(z_score(found, sooner))
    assert found.standard_error < 0.006


@given(st.lists(st.tuples(*[st.floats(0.0, 1.0)] * 3), min_size=1, max_size=8))
@example([(1.0, 1.0, 0.0), (0.5, 0.0, 1.0)])  # a strategy proposes another answer than the most probable one
def test_a_few_ways_to_go_on_stand_for_all(ways):
    """Whatever they are worth: the mean over a fine grid of points is the sum over all of them."""
    masses, tops, values = np.array(ways).T
    masses = masses + 0.01
    whole, points = stratified.Ways(masses, tops), (np.arange(20_000) + 0.5) / 20_000
    estimates = [whole.worth(way, values[way]) for way in range(len(ways))]
    mean = np.mean([estimates[way] for way in whole.drawn(points)])
    assert mean == pytest.approx(masses @ values, abs=len(ways) * np.ptp([*estimates, 0.0]) / 20_000 + 1e-9)


FORTY = list_of("forty", ORIGINAL.answers[:2300:58])


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("strategy", "words"), [(Wavering(7.0), TWO), *((f"NGuess(2, {epsilon})", FORTY) for epsilon in (0.2, 4, 60))]
)
def test_estimates_are_unbiased_and_intervals_hold_as_often_as_they_say(strategy, words, monkeypatch):
    """Also where nearly nothing or nearly all is won; where the rates differ, by as much as the errors say."""
    monkeypatch.setattr(win_rate, "PILOT", 40 if words is TWO else win_rate.PILOT)
    setting, seeds, how = Setting(words), 30, {"standard_error": 0.06} if words is TWO else {}
    exact = compute_win_rate(strategy, setting, exact=True).win_rate
    found = [compute_win_rate(strategy, setting, exact=False, seed=seed, **how) for seed in range(seeds)]
    held = sum(low <= exact <= high for low, high in (one.interval() for one in found))
    assert held >= scipy.stats.binom.ppf(1e-3, seeds, 0.95)
    rates = np.array([one.win_rate for one in found])
    spread = rates.std(ddof=1)
    assert abs(rates.mean() - exact) < max(4 * spread / math.sqrt(seeds), 1e-3)
    if words is TWO:
        assert 0.7 < np.mean([one.standard_error for one in found]) / spread < 1.4


def test_an_interval_of_few_different_values_is_no_point():
    """Two words give five values, so two draws of a stratum mostly differ by rounding alone."""
    setting = Setting(list_of("pair", ("aback", "allow")))
    exact = compute_win_rate("NGuess(2, 3)", setting, exact=True).win_rate
    found = [compute_win_rate("NGuess(2, 3)", setting, exact=False, seed=seed) for seed in range(20)]
    assert all(low <= exact <= high for low, high in (one.interval() for one in found))


def test_an_interval_of_many_strata_has_two_sides():
    values = 0.5 + 0.1 * np.random.default_rng(1).standard_normal((2, 5_000))
    half = 1.96 * 0.1 / math.sqrt(values.size)
    ends = values.mean() - half, values.mean() + half
    assert stratified.mean_interval_of(values, 0.0, 0.05) == pytest.approx(ends, abs=0.05 * half)
    # Where few matter, the values lie between what is known and 1.01.
    low, high = (0.3 + 0.71 * end for end in mean_interval(np.full(6, 0.2 / 0.71), 0.05))
    assert stratified.mean_interval_of(np.full((2, 3), 0.5), 0.3, 0.05) == pytest.approx((low, min(1.0, high)))


def test_many_clues_are_estimated_unless_asked_otherwise():
    setting = Setting(TWO)
    assert compute_win_rate(Wavering(7.0), setting).exact
    assert not compute_win_rate(Wavering(7.0), setting, standard_error=0.3, max_histories=8).exact
    assert compute_win_rate(Wavering(7.0), setting, exact=True, max_histories=8).exact
    assert compute_win_rate(Renyi((6.0,)), setting, max_histories=1).exact
    one = Setting(list_of("one", ("crate",), ("haste",)))
    assert not compute_win_rate(TwoGuess(5.0), one, exact=False).exact, "a sample without spread is still a sample"
    nearly_sure = compute_win_rate(Planned(3, 0, 20.0), setting, exact=False)
    assert nearly_sure.win_rate > nearly_sure.interval()[1] == 1.0, "the strata add up to more than 1 here, and stay so"


@pytest.mark.parametrize("strategy", [Wavering(7.0), Either(Wavering(9.0), Always(0, 1))])
def test_what_is_estimated_is_played_on_other_draws_than_the_pilot(monkeypatch, strategy):
    """Else the number of games and their mean would hang together."""
    draws = []
    for name, of_draws in (("make_task", 1), ("play_strata", -1)):
        real = getattr(win_rate, name)
        keep = lambda *given, real=real, at=of_draws, **terms: draws.append(given[at]) or real(*given, **terms)  # noqa: E731
        monkeypatch.setattr(win_rate, name, keep)
    compute_win_rate(strategy, Setting(TWO), exact=False, standard_error=0.2)
    assert len(set(draws)) == 2


@pytest.mark.heavy
@pytest.mark.parametrize("exact", [True, False])
def test_two_workers_find_the_same_bits(exact):
    one, two = (
        compute_win_rate(Renyi((6.0, 5.0)), Setting(THREE), exact=exact, standard_error=0.05, jobs=jobs)
        for jobs in (1, 2)
    )
    assert replace(one, seconds=0.0) == replace(two, seconds=0.0)


@pytest.mark.heavy
def test_randomness_of_its_own_is_estimated_by_games():
    one, other = Wavering(9.0), Always(0, 1)
    setting = Setting(THREE)
    exact = (compute_win_rate(one, setting).win_rate + compute_win_rate(other, setting).win_rate) / 2
    found = compute_win_rate(Either(one, other), setting, standard_error=0.02)
    assert not found.exact and "games" in found.method and found.standard_error < 0.03
    low, high = found.interval()  # by Student's t
    assert (high - low) / 2 == pytest.approx(1.96 * found.standard_error, rel=0.01)
    assert abs(z_score(found, exact)) < 4
    rough = [compute_win_rate(Either(one, other), setting, standard_error=0.2).win_rate for _ in range(2)]
    assert rough[0] == rough[1]
    assert found.budget == pytest.approx(max(compute_win_rate(s, setting).budget for s in (one, other)), rel=0.3)


def test_what_cannot_be_enumerated_or_played():
    draws = "MaxClueEntropy(2, 9.0, shared_draws=True)", "MaxClueEntropy(2, 9.0, monte_carlo=None, jitter=0.5)"
    for spec in ("BayesianRandom(6, 0.4)", *draws):
        assert "randomness of its own" in refusal(compute_win_rate, parse_strategy(spec), Setting(TINY), exact=True)
    assert not compute_win_rate(draws[1], Setting(TINY), standard_error=0.3).exact
    with pytest.raises(WordplError, match="'zzzzz' is not in the word list"):
        compute_win_rate(TwoGuess(5.0, first_guess="zzzzz"), Setting(TINY))
    assert "infinite budget" in refusal(compute_win_rate, TwoGuess(5.0), Setting(TINY, channel=Fibble))
    assert "1e-07 is the least" in refusal(compute_win_rate, TwoGuess(5.0), Setting(TINY), standard_error=9e-8)


@dataclass(frozen=True, repr=False)
class Illegal(HistoryStrategy):
    """Makes this move after one ask, which is illegal; if it has `random`ness of its own, it is valued by games."""

    move: object
    last: bool = False
    random: bool = False

    def decide(self, setting, history):
        return self.move if history else Ask(setting.words.guesses[0], 5.0)

    def last_ask(self, setting, history):
        return self.last and len(history) == 1


def test_an_illegal_move_has_no_value_and_wins_nothing_in_games():
    for last, exact in itertools.product((True, False), (True, False, None)):
        with pytest.raises(WordplError, match=r"makes an illegal move after 1 clue: guess 'zzz' is not in the list"):
            compute_win_rate(Illegal(Ask("zzz", 5.0), last), Setting(THREE), exact=exact)
    moves = (Illegal(Answer(word), random=True) for word in ("zzz", "abc"))
    with pytest.warns(WordplWarning, match="'zzz' is not in the list of answers"):
        illegal, legal = (compute_win_rate(each, Setting(THREE), standard_error=0.1).win_rate for each in moves)
    assert illegal == 0.0 < legal


def test_a_game_may_be_longer_than_the_stack():
    often = compute_win_rate(Always(1, 1000, math.inf), Setting(THREE, noiseless=True))
    assert often.exact and often.win_rate == pytest.approx(1 / len(THREE.answers), rel=1e-12)
    assert count_histories(Always(1, 150), Setting(THREE)) == THREE.n_clues**150  # more than a float holds


def test_a_curve_is_a_frame_of_exact_win_rates():
    frame = win_rates(["TwoGuess()", "NGuess(2, 3)", TwoGuess(5.0)], [4, 9], words=TWO, rule="counted")
    specs = ["TwoGuess(4)", "TwoGuess(9)", "NGuess(2, 3)", "TwoGuess(5)"]
    setting = Setting(TWO, "counted")
    for spec, row in zip(specs, frame.to_dict("records"), strict=True):
        strategy = parse_strategy(spec)
        won = math.fsum(right for *_, right in all_histories(strategy, setting))
        assert row["win_rate"] == row["low"] == row["high"] == pytest.approx(won, abs=1e-12)
        assert (row["strategy"], row["curve"], row["exact"]) == (strategy.label, strategy.family, True)
    assert frame["epsilon"].tolist() == [4.0, 9.0, 3.0, 5.0] and frame["budget"].tolist() == [4.0, 9.0, 6.0, 5.0]
    assert "seconds" not in frame, "no clock in a result"
    assert "epsilon" in refusal(win_rates, ["TwoGuess()"], [-1])


def test_a_curve_of_estimates_is_made_as_it_was_asked_for():
    how, setting = {"exact": False, "standard_error": 0.06, "seed": 7}, Setting(FORTY)
    (row,) = win_rates(["NGuess(2, 10)"], words=FORTY, confidence=0.5, **how).to_dict("records")
    found = compute_win_rate("NGuess(2, 10)", setting, **how)
    assert (row["low"], row["high"]) == found.interval(0.5) != found.interval()
    for name in ("win_rate", "standard_error", "exact", "method", "histories"):
        assert row[name] == getattr(found, name)
    for name, other in (("exact", None), ("standard_error", 0.003), ("seed", 1)):
        assert compute_win_rate("NGuess(2, 10)", setting, **how | {name: other}).win_rate != found.win_rate


# Games of Wordle: all gone through, or enough of them played


def gone_through(strategy, setting):
    """The chance to win by going through all guesses with all clues to each."""
    words, epsilon, rows, given = setting.words, setting.row_epsilon, setting.format.guesses, setting.format.first_guess
    law = setting.channel(epsilon, words.length).matrix().toarray()

    def won(history, weights):
        move = strategy.decide(setting, history)
        guess = given if given and not history else move.guess if isinstance(move, Ask) else move.word
        right = np.array([word == guess for word in words.answers])
        total, wrong = weights @ right, np.where(right, 0.0, weights)
        codes = [int(wordpl.clue(guess, word, setting.rule)) for word in words.answers]
        for code in np.flatnonzero(law[:, codes] @ wrong).tolist() if len(history) + 1 < rows else ():
            total += won((*history, Turn(guess, epsilon, code)), wrong * law[code, codes])
        return total

    return won((), np.full(len(words.answers), 1 / len(words.answers)))


@pytest.mark.parametrize(
    ("spec", "channel", "answers", "format"),
    [
        *(("FollowTree(first_guess='crane')", "fibble:0", FEW.answers, f"wordle:{rows}") for rows in (1, 2, 3, 6)),
        ("Greedy(2)", AtTwo, (*FEW.answers[:5], "haste"), "wordle:2:haste"),
        ("BayesianSolver()", "fibble:2", FEW.answers, "wordle:2"),
    ],
)
def test_games_of_wordle_with_few_clues_are_all_gone_through(spec, channel, answers, format):
    setting = wordpl.make_task(spec, words=list_of("few", answers), channel=channel, format=format).setting
    result = compute_win_rate(spec, setting)
    assert result.exact
    assert result.win_rate == pytest.approx(gone_through(parse_strategy(spec), setting), rel=1e-9)
    if format == "wordle:6":  # one for each guess of the tree, of which at most one is no answer
        assert len(answers) <= result.histories <= len(answers) + 1


@pytest.mark.parametrize(
    ("spec", "channel"),
    [("Greedy(2)", AtTwo), *((spec, "fibble:3") for spec in ("BayesianSolver()", "FollowTree(first_guess='crane')"))],
)
def test_games_of_wordle_with_many_clues_are_played(spec, channel):
    """Guesses without a limit of epsilon do not make clues true, of which there would be one for each answer."""
    setting = Setting(FEW, channel=wordpl.channel_family(channel), format=wordpl.GameFormat(6))
    result = compute_win_rate(spec, setting, standard_error=0.03)
    assert not result.exact and count_histories(parse_strategy(spec), setting) == 243**5
    assert result.histories < 10_000
    rate = wordpl.evaluate(spec, 300, seed=5, words=FEW, channel=channel, format="wordle:6")
    assert abs(result.win_rate - rate.win_rate) < 4 * math.hypot(result.standard_error, 0.5 / math.sqrt(300))
