"""Evidence against honesty: exact expectations over all games, honest runs, and cheats that must be seen."""

import functools
import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

from experiments.anytime import BASES, BETS, Pool, honest_games, mixed_run, passage, plug_in, shifted, wrongly_sure
from experiments.cheats import CHEATS, Asks, Cheat, Loses, Proposes, Unhurt, cheat_games
from tests.support.helpers import ORIGINAL, SMALL, list_of
from wordpl import Answer, Ask, Fibble, Game, History, Move, RandomizedResponse, Setting, Turn, Verdict, clue_row
from wordpl.contest import Flag, figures
from wordpl.contest.judge import ranking
from wordpl.contest.judge.evidence import BALANCES, COLUMNS, ERROR, SHARES, TESTS, TILTS, _informs, log_wealths
from wordpl.model.channel import make_channel
from wordpl.simulation.confidence_sequences import bets

THREE = list_of("three", ("cat", "tag", "dog", "bat"), ("toe",))
Policy = Callable[[Setting, History], Move]


def flag(won: np.ndarray, chances: np.ndarray, evidence: np.ndarray) -> Flag:
    return ranking.flag(ranking.EntryTrials(np.zeros(len(won)), chances, won, evidence))


def all_games(setting: Setting, policy: Policy) -> list[tuple[float, Game]]:
    """All games of a player, each with its probability."""
    words, games = setting.words, []

    def go(history: History, weights: np.ndarray) -> None:
        move = policy(setting, history)
        if isinstance(move, Answer):
            ends = zip(words.answers, weights, strict=True)
            games.extend((w, finished(setting, history, answer, move.word)) for answer, w in ends if w > 0.0)
            return
        channel = make_channel(setting.channel, move.epsilon, words.length)
        row = clue_row(move.guess, words, setting.rule)
        for code in range(words.n_clues):
            after = weights * channel.likelihood(code)[row]
            if after.max() > 0.0:
                go((*history, Turn(move.guess, move.epsilon, code)), after)

    go((), np.full(len(words.answers), 1.0 / len(words.answers)))
    return games


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


@pytest.mark.heavy
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
    games = all_games(setting, policy)
    assert sum(weight for weight, _ in games) == pytest.approx(1.0)
    mean = sum(weight * np.exp(figures(setting, game)[1]) for weight, game in games)
    assert mean == pytest.approx(np.ones(COLUMNS), rel=1e-9)


@pytest.mark.parametrize("chance", [1e-9, 0.01, 0.3, 0.9, 1.0 - 1e-6])
def test_the_bets_on_the_proposal_gain_by_what_they_are_on(chance: float) -> None:
    """By the definition: shares at the odds of the chance, and balances on the difference from it. So each is fair."""
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


BELIEF = Setting(SMALL)
BASE = "Renyi(epsilon=(9.3, 5.3), first_guess=None)"


class Rare(Cheat):
    """Asks the word whose true clue fits the fewest answers, each word once."""

    def move(self, honest: Move) -> Move:
        return self.rare(self.history, honest.epsilon) if isinstance(honest, Ask) else honest

    def rare(self, history: History, epsilon: float) -> Ask:
        fits = {
            guess: int((row == row[SMALL.answer_index[self.answer]]).sum())
            for guess in SMALL.guesses
            if guess not in {turn.guess for turn in history}
            for row in [clue_row(guess, SMALL, "letterwise")]
        }
        return Ask(min(fits, key=lambda guess: fits[guess]), epsilon)


class DummiesFirst(Rare):
    """Thirty asks that tell next to nothing, then asks that are chosen with the answer in mind."""

    def move(self, honest: Move) -> Move:
        if len(self.history) < 30:
            return Ask(SMALL.guesses[0], 0.001)
        return self.rare((), 9.0) if len(self.history) < 32 else Answer(self.top)


class SellsChances(Cheat):
    """Ends a game with a word that it knows to be wrong while that still has a good chance by the clues."""

    def move(self, honest: Move) -> Move:
        word, chance = self.setting.belief(self.history).top
        return Answer(word) if self.history and word != self.answer and chance > 0.15 else honest


def flag_of(pool: Pool) -> Flag:
    return flag(pool.won, pool.chances, pool.evidence)


@functools.cache
def honest() -> list[Game]:
    return honest_games(BASE, BELIEF, 350, 23)


@pytest.mark.parametrize(
    ("cheat", "part", "games", "test"),
    [
        (Proposes, 0.1, 150, "wins"),
        (Asks, 0.2, 150, "asking"),
        pytest.param(Rare, 0.3, 350, "information", marks=pytest.mark.heavy),
        pytest.param(DummiesFirst, 1.0, 100, "information", marks=pytest.mark.heavy),
        (SellsChances, 1.0, 700, "losses"),
    ],
)
def test_a_cheat_is_flagged(cheat: type[Cheat], part: float, games: int, test: str) -> None:
    rng = np.random.default_rng(1)
    cheated = cheat_games(cheat, BASE, BELIEF, games, 23)
    mixed = [game if rng.random() < part else honest()[trial] for trial, game in enumerate(cheated)]
    found = flag_of(Pool.of(BELIEF, mixed))
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
    found = flag(np.zeros(60, dtype=bool), np.zeros(60), np.array([evidence for _, evidence in games]))
    assert found.raised and "noise" in found.reason


def test_a_cheat_that_keeps_the_balance_is_flagged_by_the_odds_of_its_wins() -> None:
    # Wins at chances of 1% and as many losses at even chances: wins less chances stays level.
    rng = np.random.default_rng(8)
    chances = np.where(rng.random(2000) < 0.5, 0.01, 0.5)
    won = np.where(chances == 0.5, rng.random(2000) < 0.44, rng.random(2000) < 0.07)
    assert abs((won - chances).sum()) < 2.0 * math.sqrt((chances * (1.0 - chances)).sum())
    found = flag(won, chances, np.zeros((2000, COLUMNS)))
    assert found.raised and found.e_values["wins"] > 1e6


@pytest.mark.parametrize(
    ("columns", "test", "said"),
    [
        (slice(len(SHARES)), "asking", "it asks the answer more often"),
        (slice(len(SHARES), -len(SHARES)), "information", "its true clues tell more"),
        (slice(-len(SHARES), None), "noise", "its asks meet with less noise"),
    ],
)
def test_the_flag_is_the_average_of_the_tests_at_its_highest_and_its_reason_the_test_that_says_so(
    columns: slice, test: str, said: str
) -> None:
    evidence = np.zeros((3, COLUMNS))
    bets = 20.0 + np.arange(COLUMNS)[columns]
    evidence[1, columns], evidence[2, columns] = bets, -30.0
    wealth = np.exp(bets).mean()
    found = flag(np.zeros(3, dtype=bool), np.zeros(3), evidence)
    assert found.raised and found.trials == 2
    assert found.reason.startswith(said) and found.reason.endswith(f"(e-value {wealth:.3g} after 2 trials)")
    assert found.e_values == pytest.approx({name: wealth if name == test else 1.0 for name in TESTS})
    assert found.e_value == pytest.approx((wealth + 4.0) / 5.0)


def test_a_forfeited_game_counts_its_asks_alone() -> None:
    setting, history = Setting(THREE), (Turn("cat", 4.0, 26),)
    lost, won = (figures(setting, finished(setting, history, "cat", word)) for word in (None, "cat"))
    assert lost[0] == 0.0 < won[0]
    assert lost[1] == won[1] != (0.0,) * COLUMNS
    assert figures(setting, finished(setting, (), "cat", None)) == (0.0, (0.0,) * COLUMNS)
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
    chance, evidence = figures(setting, game)
    assert len(evidence) == COLUMNS == len(SHARES) * (2 + len(TILTS))
    assert all(map(math.isfinite, evidence)) and 0.0 <= chance <= 1.0
    assert (chance, evidence) == figures(setting, game)
    result = flag(np.array([game.won]), np.array([chance]), np.array([evidence]))
    assert math.isfinite(result.e_value)


def test_wins_at_impossible_chances_do_not_overflow() -> None:
    for chance in (0.0, 5e-324, 1e-300):
        found = flag(np.ones(5, dtype=bool), np.full(5, chance), np.zeros((5, COLUMNS)))
        assert found.raised and found.trials == 1 and math.isfinite(found.e_value)
    assert flag(np.zeros(5, dtype=bool), np.ones(5), np.zeros((5, COLUMNS))).raised
    assert not flag(np.zeros(0, dtype=bool), np.zeros(0), np.zeros((0, COLUMNS))).raised


# The simulations: their cheats do what they say, and their runs are made of the right games.


CONTEST = Setting(ORIGINAL)


@pytest.mark.parametrize("kind", [*CHEATS, Loses])
def test_a_cheat_plays_legal_games_of_the_base_strategy(kind: type) -> None:
    games = cheat_games(kind, BASES[0.05], CONTEST, 8, 3)
    assert all(game.verdict in (Verdict.WIN, Verdict.LOSS) for game in games), games
    assert all(game.budget <= 14.6 + 1e-9 and len(game.history) <= 2 for game in games)
    if kind in (Proposes, Loses):
        assert all(game.won is (kind is Proposes) for game in games)
    honest = [game.answer for game in honest_games(BASES[0.05], CONTEST, 8, 3)]
    assert [game.answer for game in games] == honest
    kept = [
        turn.clue == clue_row(turn.guess, ORIGINAL)[ORIGINAL.answer_index[game.answer]]
        for game in games
        for turn in game.history
    ]
    assert all(kept) == (kind is Unhurt)


def pool(chance: float, won: bool, n: int) -> Pool:
    return Pool(np.full(n, chance), np.full(n, won), np.zeros((n, 12)), np.full(n, 14.6))


def test_a_run_holds_its_part_of_cheating() -> None:
    rng = np.random.default_rng(2)
    run = mixed_run(pool(0.0, False, 4000), pool(0.3, True, 5), 0.1, rng)
    assert 320 < run.won.sum() < 480 and ((run.chances == 0.3) == run.won).all()
    level = mixed_run(pool(0.0, False, 4000), pool(0.3, True, 5), 0.1, rng, pool(0.3, False, 5))
    assert abs(np.cumsum(level.won - level.chances)).max() < 1.0
    assert 320 < (level.chances == 0.3).sum() < 480


def test_chances_are_shifted_to_a_mean() -> None:
    chances = np.random.default_rng(3).beta(1.0, 15.0, 500)
    moved = shifted(chances, 0.05)
    assert moved.mean() == pytest.approx(0.05, abs=1e-9)
    assert (np.argsort(moved) == np.argsort(chances)).all() and moved.min() > 0.0 and moved.max() < 1.0


def test_passages() -> None:
    assert passage(np.array([0.0, 2.0, 1.0, 3.0]), 2.0) == 2
    assert passage(np.array([0.0, 1.0]), 2.0) == 3
    assert plug_in(np.full(3000, 0.5), 0.4) < plug_in(np.full(3000, 0.5), 0.45) < 3000
    assert plug_in(np.full(3000, 0.5), 0.5) == 3001


@pytest.mark.published
def test_a_player_that_changes_its_budget_is_wrongly_sure_of_each_as_seldom_as_stated() -> None:
    assert pytest.approx(bets(0.05)) == BETS
    runs, found = 1_000, wrongly_sure(4, 1_000, 4)
    assert len(found) == 4 and (found > 0.0).sum() >= 2
    assert (found <= scipy.stats.binom.isf(1e-4, runs, 0.025) / runs).all()


@pytest.mark.parametrize("epsilon", [0.5, 5.0, math.inf])
def test_what_a_clue_tells_is_its_relative_entropy_against_the_definition(epsilon: float) -> None:
    clues, channel = np.random.default_rng(3).dirichlet(np.ones(27)), RandomizedResponse(epsilon, 3)
    likelihood = channel.matrix().toarray()  # [noisy, true]
    ratios = np.where(likelihood > 0.0, likelihood / (likelihood @ clues)[:, np.newaxis], 1.0)
    assert _informs(channel, clues) == pytest.approx((likelihood * np.log(ratios)).sum(axis=0), abs=1e-12)
