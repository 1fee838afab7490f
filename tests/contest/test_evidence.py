"""Evidence against honesty: exact expectations over all games, honest runs, and cheats that must be seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers import SMALL, list_of
from wordpl import Answer, Ask, Fibble, Game, Move, Referee, Setting, Turn, parse_strategy
from wordpl.contest.evidence import (
    BALANCES,
    COLUMNS,
    ERROR,
    SHARES,
    TESTS,
    TILTS,
    Figures,
    Flag,
    figures,
    flag,
    log_wealths,
)
from wordpl.model.channel import make_channel
from wordpl.model.clues import Clue, clue_row
from wordpl.play.referee import Verdict
from wordpl.play.strategy import History

THREE = list_of("three", ("cat", "tag", "dog", "bat"), ("toe",))
Policy = Callable[[Setting, History], Move]


# All games.


def expectation(setting: Setting, policy: Policy) -> tuple[float, np.ndarray]:
    """The probability of all games of a player together, and the mean of what each bet is multiplied by."""
    words, total, mass = setting.words, np.zeros(COLUMNS), 0.0

    def go(history: History, weights: np.ndarray) -> None:
        nonlocal total, mass
        move = policy(setting, history)
        if isinstance(move, Answer):
            for answer, weight in enumerate(weights):
                if weight > 0.0:
                    game = finished(setting, history, words.answers[answer], move.word)
                    total = total + weight * np.exp(figures(setting, game).evidence)
                    mass += weight
            return
        channel = make_channel(setting.channel, move.epsilon, words.length)
        row = clue_row(move.guess, words, setting.rule)
        for code in range(words.n_clues):
            after = weights * channel.likelihood(code)[row]
            if after.max() > 0.0:
                go((*history, Turn(move.guess, move.epsilon, code)), after)

    go((), np.full(len(words.answers), 1.0 / len(words.answers)))
    return mass, total


def finished(setting: Setting, history: History, answer: str, proposed: str | None) -> Game:
    verdict = Verdict.WIN if answer == proposed else Verdict.LOSS
    return Game(0, answer, verdict, proposed, history=history)


def top(setting: Setting, history: History) -> Move:
    return Answer(setting.belief(history).top[0])


def twice_the_same(setting: Setting, history: History) -> Move:
    return Ask("cat", (0.01, 4.0)[len(history)]) if len(history) < 2 else top(setting, history)


def one_then_another(setting: Setting, history: History) -> Move:
    if not history:
        return Ask("dog", 2.0)
    if len(history) == 1 and history[0].clue % 3:
        return Ask("cat" if history[0].clue % 2 else "toe", 6.0)
    return top(setting, history)


def noiseless(setting: Setting, history: History) -> Move:
    return Ask(("dog", setting.belief(history).top[0])[len(history)], math.inf) if len(history) < 2 else Answer("cat")


@pytest.mark.parametrize(
    ("setting", "policy"),
    [
        (Setting(THREE), twice_the_same),
        (Setting(THREE), one_then_another),
        (Setting(THREE, noiseless=True), noiseless),
        (Setting(THREE, "counted", Fibble, noiseless=True), noiseless),
    ],
)
def test_each_bet_is_fair_over_all_games_of_an_honest_player(setting: Setting, policy: Policy) -> None:
    mass, mean = expectation(setting, policy)
    assert mass == pytest.approx(1.0)
    assert mean == pytest.approx(np.ones(COLUMNS), rel=1e-9)


def test_the_bets_on_the_proposal_are_fair() -> None:
    # A win has the probability `chance`, so the mean over both ways to end is 1.
    for chance in (1e-9, 0.01, 0.5, 0.99, 1.0 - 1e-6):
        nothing = np.zeros((1, COLUMNS))
        win, loss = (np.exp(log_wealths(np.array([won]), np.array([chance]), nothing)[0]) for won in (True, False))
        assert chance * win + (1.0 - chance) * loss == pytest.approx(np.ones(len(TESTS)), rel=1e-6)


@pytest.mark.parametrize("chance", [0.01, 0.3, 0.9])
def test_the_bets_on_the_proposal_gain_by_what_they_are_on(chance: float) -> None:
    """By the definition: shares at the odds of the chance, and balances on the difference from it."""
    expected = {
        True: (
            [1.0 - share + share / chance for share in SHARES] + [1.0 + b * (1.0 - chance) for b in BALANCES],
            [1.0 - share for share in SHARES] + [1.0 - b * (1.0 - chance) for b in BALANCES],
        ),
        False: (
            [1.0 - share for share in SHARES] + [1.0 - b * chance for b in BALANCES],
            [1.0 - share + share / (1.0 - chance) for share in SHARES] + [1.0 + b * chance for b in BALANCES],
        ),
    }
    for won, (wins, losses) in expected.items():
        wealth = np.exp(log_wealths(np.array([won]), np.array([chance]), np.zeros((1, COLUMNS)))[0])
        assert wealth[:2] == pytest.approx([np.mean(wins), np.mean(losses)])


@pytest.mark.heavy
def test_an_honest_player_is_seldom_flagged() -> None:
    """Ville's bound at an error of 10%, over 1,000 runs of 200 games drawn from all games by their probability."""
    setting = Setting(THREE)
    games: list[tuple[float, Game]] = []

    def go(history: History, weights: np.ndarray) -> None:
        move = one_then_another(setting, history)
        if isinstance(move, Answer):
            ends = (finished(setting, history, answer, move.word) for answer in THREE.answers)
            games.extend(zip(weights, ends, strict=True))
            return
        likelihood = make_channel(setting.channel, move.epsilon, 3).likelihood
        row = clue_row(move.guess, THREE, setting.rule)
        for code in range(THREE.n_clues):
            go((*history, Turn(move.guess, move.epsilon, code)), weights * likelihood(code)[row])

    go((), np.full(4, 0.25))
    found = [figures(setting, game) for _, game in games]
    chances, won = np.array([one.chance for one in found]), np.array([game.won for _, game in games])
    evidence, weights = np.array([one.evidence for one in found]), np.array([weight for weight, _ in games])
    rng, runs = np.random.default_rng(6), 1000
    raised = 0
    for _ in range(runs):
        drawn = rng.choice(len(games), 200, p=weights / weights.sum())
        raised += flag(won[drawn], chances[drawn], evidence[drawn], error=0.1).raised
    assert 0 < raised <= scipy.stats.binom.isf(1e-4, runs, 0.1)


# Real games.


@dataclass(frozen=True)
class Run:
    won: np.ndarray
    chances: np.ndarray
    evidence: np.ndarray

    @property
    def flag(self) -> Flag:
        return flag(self.won, self.chances, self.evidence)


class Player:
    """Plays the base strategy; `cheat` says what it does instead, in the games whose answer it knows."""

    def __init__(self, decide: Callable[[History], Move], cheat: Callable[[History, Move, str], Move], answer: str):
        self._decide, self._cheat, self._answer = decide, cheat, answer

    def first_move(self) -> Move:
        self._history: History = ()
        return self._move()

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        self._history += (Turn(guess, epsilon, Clue.parse(clues).code),)
        return self._move()

    def _move(self) -> Move:
        return self._cheat(self._history, self._decide(self._history), self._answer)


def played(
    spec: str, setting: Setting, games: int, cheat: Callable[[History, Move, str], Move], part: float = 1.0
) -> Run:
    strategy, referee = parse_strategy(spec), Referee(setting, 23)
    rng, words = np.random.default_rng(1), setting.words.answers
    chances, won, evidence = [], [], []

    def decide(history: History) -> Move:
        # The base plays no games as long as those of this cheat, which overrides all its moves.
        return top(setting, history) if cheat is dummies_first else strategy.decide(setting, history)  # type: ignore[attr-defined]

    for trial in range(games):
        answer = words[referee.seeds.answer(trial, len(words))]
        known = cheat if rng.random() < part else honest
        game = referee.play(trial, Player(decide, known, answer))
        assert game.verdict in (Verdict.WIN, Verdict.LOSS), game.reason
        found = figures(setting, game)
        chances.append(found.chance)
        won.append(game.won)
        evidence.append(found.evidence)
    return Run(np.array(won), np.array(chances), np.array(evidence))


def honest(history: History, move: Move, answer: str) -> Move:
    return move


def proposes(history: History, move: Move, answer: str) -> Move:
    return Answer(answer) if isinstance(move, Answer) else move


def asks(history: History, move: Move, answer: str) -> Move:
    return Ask(answer, move.epsilon) if isinstance(move, Ask) and history else move


def asks_rare(history: History, move: Move, answer: str) -> Move:
    """Asks the word whose true clue fits the fewest answers, each word once."""
    if isinstance(move, Answer):
        return move
    fits = {
        guess: int((row == row[SMALL.answer_index[answer]]).sum())
        for guess in SMALL.guesses
        if guess not in {turn.guess for turn in history}
        for row in [clue_row(guess, SMALL, "letterwise")]
    }
    return Ask(min(fits, key=lambda guess: fits[guess]), move.epsilon)


def dummies_first(history: History, move: Move, answer: str) -> Move:
    """Thirty asks that tell next to nothing, then asks that are chosen with the answer in mind."""
    if len(history) < 30:
        return Ask("cigar" if "cigar" in SMALL.guess_index else SMALL.guesses[0], 0.001)
    return asks_rare((), Ask("", 9.0), answer) if len(history) < 32 else Answer(BELIEF.belief(history).top[0])


def sells_chances(history: History, move: Move, answer: str) -> Move:
    """Ends a game with a word that it knows to be wrong while that still has a good chance by the clues."""
    word, chance = BELIEF.belief(history).top
    return Answer(word) if history and word != answer and chance > 0.15 else move


BELIEF = Setting(SMALL)
BASE = "Renyi(epsilon=(9.3, 5.3), first_guess=None)"


@pytest.mark.parametrize("spec", [BASE, "Greedy(epsilon=9.0, n_guesses=3)"])
def test_wins_less_chances_is_a_martingale_of_honest_games(spec: str) -> None:
    run = played(spec, BELIEF, 800, honest)
    assert not run.flag.raised
    assert run.flag.e_value < 50.0 and run.flag.reason == "" and run.flag.trials == 800
    spread = math.sqrt((run.chances * (1.0 - run.chances)).sum())
    assert abs((run.won - run.chances).sum()) < 4.0 * spread
    # And each bet alone: its largest wealth exceeds 10,000 with probability 1e-4.
    assert max(run.flag.e_values.values()) < 1e4


@pytest.mark.parametrize(
    ("cheat", "part", "games", "test"),
    [
        (proposes, 0.1, 800, "wins"),
        pytest.param(proposes, 0.05, 1500, "wins", marks=pytest.mark.heavy),
        (asks, 0.2, 800, "asking"),
        pytest.param(asks_rare, 0.3, 800, "information", marks=pytest.mark.heavy),
        pytest.param(dummies_first, 1.0, 150, "information", marks=pytest.mark.heavy),
        (sells_chances, 1.0, 800, "losses"),
    ],
)
def test_a_cheat_is_flagged(cheat: Callable[[History, Move, str], Move], part: float, games: int, test: str) -> None:
    found = played(BASE, BELIEF, games, cheat, part).flag
    assert found.raised and found.e_value >= 1.0 / ERROR
    assert 0 < found.trials < games
    assert max(found.e_values, key=lambda name: found.e_values[name]) == test
    assert f"after {found.trials} trials" in found.reason and "\n" not in found.reason


def test_a_game_without_noise_is_flagged_by_the_noise() -> None:
    setting = Setting(SMALL)
    games = []
    for trial in range(60):
        answer = SMALL.answers[trial % len(SMALL.answers)]
        code = int(clue_row("crate", SMALL, "letterwise")[SMALL.answer_index[answer]])
        games.append(figures(setting, finished(setting, (Turn("crate", 5.0, code),), answer, None)))
    found = flag(np.zeros(60, dtype=bool), np.zeros(60), np.array([one.evidence for one in games]))
    assert found.raised and "noise" in found.reason


def test_a_cheat_that_keeps_the_balance_is_flagged_by_the_odds_of_its_wins() -> None:
    # Wins at chances of 1% and as many losses at even chances: wins less chances stays level.
    rng = np.random.default_rng(8)
    chances = np.where(rng.random(2000) < 0.5, 0.01, 0.5)
    won = np.where(chances == 0.5, rng.random(2000) < 0.44, rng.random(2000) < 0.07)
    assert abs((won - chances).sum()) < 2.0 * math.sqrt((chances * (1.0 - chances)).sum())
    found = flag(won, chances, np.zeros((2000, COLUMNS)))
    assert found.raised and found.e_values["wins"] > 1e6


def test_the_flag_is_the_average_of_the_tests_at_its_highest() -> None:
    run = played(BASE, BELIEF, 300, proposes, 0.3)
    wealth = np.exp(log_wealths(run.won, run.chances, run.evidence))
    assert wealth.shape == (300, 5)
    assert run.flag.e_value == pytest.approx(max(1.0, wealth.mean(axis=1).max()))
    for test, column in zip(TESTS, wealth.T, strict=True):
        assert run.flag.e_values[test] == pytest.approx(max(1.0, column.max()))
    reached = np.flatnonzero(wealth.mean(axis=1) >= 1000.0)
    assert run.flag.trials == reached[0] + 1
    part = flag(run.won[: reached[0]], run.chances[: reached[0]], run.evidence[: reached[0]])
    assert not part.raised and part.trials == reached[0]


@pytest.mark.parametrize(
    ("columns", "test", "said"),
    [
        (slice(len(SHARES)), "asking", "it asks the answer more often"),
        (slice(len(SHARES), -len(SHARES)), "information", "its true clues tell more"),
        (slice(-len(SHARES), None), "noise", "its asks meet with less noise"),
    ],
)
def test_the_reason_is_the_test_that_says_so_when_the_flag_is_raised(columns: slice, test: str, said: str) -> None:
    evidence = np.zeros((3, COLUMNS))
    evidence[1, columns] = 20.0
    found = flag(np.zeros(3, dtype=bool), np.zeros(3), evidence)
    assert found.raised and found.trials == 2
    assert found.reason.startswith(said) and found.reason.endswith(f"(e-value {math.exp(20.0):.3g} after 2 trials)")
    assert found.e_values == pytest.approx({name: math.exp(20.0) if name == test else 1.0 for name in TESTS})
    assert found.e_value == pytest.approx((math.exp(20.0) + 4.0) / 5.0)


# Odd games.


def test_a_forfeited_game_counts_its_asks_alone() -> None:
    setting, history = Setting(THREE), (Turn("cat", 4.0, 26),)
    lost, won = (figures(setting, finished(setting, history, "cat", word)) for word in (None, "cat"))
    assert lost.chance == 0.0 < won.chance
    assert lost.evidence == won.evidence != (0.0,) * COLUMNS
    none = figures(setting, finished(setting, (), "cat", None))
    assert none == Figures(0.0, (0.0,) * COLUMNS)
    wealths = log_wealths(np.zeros(2, dtype=bool), np.zeros(2), np.zeros((2, COLUMNS)))
    assert (wealths == 0.0).all()


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*THREE.guesses]),
            st.sampled_from([5e-324, 1e-9, 0.001, 3.0, 200.0, 1e6, 1e308]),
            st.integers(0, 26),
        ),
        max_size=4,
    ),
    st.sampled_from(THREE.answers),
    st.sampled_from([None, *THREE.answers]),
)
@example([("cat", 1e6, 26), ("dog", 1e6, 26), ("dog", 1e308, 26)], "bat", "bat")
def test_figures_are_finite_whatever_the_game(
    turns: list[tuple[str, float, int]], answer: str, proposed: str | None
) -> None:
    """Replies that the noise makes with next to no probability included."""
    setting = Setting(THREE)
    game = finished(setting, tuple(Turn(*turn) for turn in turns), answer, proposed)
    found = figures(setting, game)
    assert len(found.evidence) == COLUMNS == len(SHARES) * (2 + len(TILTS))
    assert all(map(math.isfinite, found.evidence)) and 0.0 <= found.chance <= 1.0
    assert found == figures(setting, game)
    result = flag(np.array([game.won]), np.array([found.chance]), np.array([found.evidence]))
    assert math.isfinite(result.e_value)


def test_wins_at_impossible_chances_do_not_overflow() -> None:
    for chance in (0.0, 5e-324, 1e-300):
        found = flag(np.ones(5, dtype=bool), np.full(5, chance), np.zeros((5, COLUMNS)))
        assert found.raised and found.trials == 1 and math.isfinite(found.e_value)
    assert flag(np.zeros(5, dtype=bool), np.ones(5), np.zeros((5, COLUMNS))).raised
    assert not flag(np.zeros(0, dtype=bool), np.zeros(0), np.zeros((0, COLUMNS))).raised
