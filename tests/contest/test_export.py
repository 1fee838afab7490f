"""Exported strategies: they need numpy alone, make moves as good as ours, refuse what they were not made for, and play
in the contest's own loop."""

import ast
import contextlib
import importlib.util
import math
import random
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import wordpl
from experiments.contest_loop import load_exported, run, write_lists
from tests.support.helpers import ORIGINAL, SIX, SMALL, compiled, plays_anywhere, variants
from tests.support.refusals import refusal
from wordpl import Answer, Clue, Fibble, RandomizedResponse, Setting, Turn, WordList, parse_strategy, strategies
from wordpl.contest import compat
from wordpl.contest.export import Exported, can_be_exported, export_strategy
from wordpl.contest.sandbox import word_files
from wordpl.library.bayesian import BayesianRandom
from wordpl.library.follow_tree import FollowTree
from wordpl.library.greedy import Greedy
from wordpl.library.max_clue_entropy import MaxClueEntropy
from wordpl.library.n_guess import NGuess
from wordpl.library.records import Fifth, NinetyFifth
from wordpl.library.renyi import Renyi
from wordpl.library.two_guess import TwoGuess
from wordpl.model.clues import clue_strings
from wordpl.play.setting import History
from wordpl.play.strategy import HistoryStrategy, Player

EXPORTED = [
    TwoGuess(17.9),
    Greedy((9.0, 5.0), certainty=0.6),
    Greedy(11.0, n_guesses=3, first_guess=SMALL.guesses[7]),
    Renyi((8.0, 0.01, 30.0), (0.5, 2.0, 7.0), first_guess=None),
    Renyi((12.6, 13.8, 9.6), (1.0, 1.5, math.inf)),
    MaxClueEntropy(3, (5.0, 25.0, 9.0), monte_carlo=None, guesses="all", final="expected_top"),
    MaxClueEntropy(3, 1e-3, monte_carlo=None, first_guess=None, final="information_gain"),
    MaxClueEntropy(2, 9.0, monte_carlo=None, final="renyi"),
    NGuess(3, (9.0, 5.0, 7.0), tree="entropy", first_guess=None),
    FollowTree(epsilon=(12.0, 15.0)),
]


@contextlib.contextmanager
def played(strategy: HistoryStrategy, words: WordList, folder: Path, tabled: int = 0) -> Iterator[Player]:
    """The exported strategy, in a folder with the lists in an order of their own."""
    write_lists(words, folder, random.Random(7))
    source = export_strategy(strategy, Setting(words), tabled).source
    with contextlib.chdir(folder):
        yield load_exported(source, class_name(strategy))


def class_name(strategy: wordpl.Strategy) -> str:
    """The name of its class in an export: one that the contest's repository does not have."""
    name = type(strategy).__name__
    return f"Wordpl{name}" if name in ("MaxClueEntropy", "NGuess", "TwoGuess") else name


def pair(move: wordpl.Move) -> tuple[str, float]:
    return (move.word, 0) if isinstance(move, Answer) else (move.guess, move.epsilon)


class Clues:
    """The clues of one game: what an answer gives through the noise or, in every other game, any clues at all."""

    def __init__(self, words: WordList, seed: int, number: int) -> None:
        self._rng = np.random.default_rng([seed, number])
        self._answer, self._any = str(self._rng.choice(words.answers)), bool(number % 2)

    def __call__(self, guess: str, epsilon: float) -> str:
        true = int(wordpl.clue(guess, self._answer))
        noisy = RandomizedResponse(epsilon).sample(true, self._rng.random(5).tolist())
        return str(Clue(int(self._rng.integers(243)) if self._any else noisy))


def assert_agrees(player: Player, strategy: HistoryStrategy, words: WordList, games: int, seed: int = 1) -> None:
    """Every move of the export is ours, or by our own scores as good as ours."""
    setting = Setting(words)
    for number in range(games):
        clues, history = Clues(words, seed, number), ()
        move: Any = player.first_move()
        while True:
            guess, epsilon = pair(strategy.decide(setting, history))
            assert move[1] == pytest.approx(epsilon, rel=1e-9)
            if move[0] != guess:
                theirs, ours = (worth(strategy, setting, history, one) for one in (move, (guess, epsilon)))
                assert theirs == pytest.approx(ours, abs=1e-9)
            if not move[1] or len(history) == 12:
                break
            clue = clues(*move)
            history = (*history, Turn(move[0], move[1], int(Clue.parse(clue))))
            move = player.next_move(move[0], move[1], clue)


def worth(strategy: HistoryStrategy, setting: Setting, history: History, move: tuple[str, float]) -> float:
    """What the strategy chooses a guess or a proposal by."""
    words, belief, rounds = setting.words, setting.belief(history), strategy.exported(setting).rounds
    by = rounds[min(len(history), len(rounds) - 1)]
    if not move[1] or by.by == "likeliest":
        return float(belief.probabilities[words.answers.index(move[0])])
    kept, index = belief.truncate(by.relative_cutoff), words.guess_index[move[0]]
    return float(wordpl.score_guesses(kept, move[1], by.by, order=by.order, guesses=[index])[0])


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("strategy", "words", "games"),
    [
        *((strategy, SMALL, 20) for strategy in EXPORTED),
        *((strategy, ORIGINAL, 2) for strategy in (Fifth(), NinetyFifth())),
    ],
    ids=repr,
)
def test_moves_agree_with_ours(strategy: HistoryStrategy, words: WordList, games: int, tmp_path: Path) -> None:
    with played(strategy, words, tmp_path, tabled=words is ORIGINAL) as player:
        assert_agrees(player, strategy, words, games)


def test_answers_that_are_too_improbable_have_no_part_in_the_choice_of_a_guess(tmp_path: Path) -> None:
    whole, path = Renyi((9.0, 7.0, 5.0)), tmp_path / "cut.json"
    strategy = compiled(whole, Setting(SMALL), 3, 1, path, relative_cutoff=0.3)
    with played(strategy, SMALL, tmp_path) as player:
        assert_agrees(player, strategy, SMALL, games=20)
    with mock.patch.object(type(strategy), "decide", side_effect=AssertionError("the table has this move")):
        assert export_strategy(strategy, Setting(SMALL), 1) == export_strategy(strategy, Setting(SMALL), 0)


@pytest.mark.parametrize("epsilon", [1e-7, 1e-6, 1e-5, 1e-4])
@pytest.mark.parametrize("orders", [(1.0, math.inf), (0.5, 1.0 + 1e-10), (2.0, 7.0)])
def test_scores_tie_as_ours_do(orders: tuple[float, float], epsilon: float, tmp_path: Path) -> None:
    """Many scores differ by about a trillionth, and the first of those that tie is asked."""
    strategy, setting = Renyi((epsilon, epsilon), orders, first_guess=None), Setting(SMALL)
    with played(strategy, SMALL, tmp_path) as player:
        for code in range(0, 243, 40):
            first: Any = player.first_move()
            assert first == pair(strategy.decide(setting, ()))
            history = (Turn(first[0], epsilon, code),)
            assert player.next_move(first[0], epsilon, str(Clue(code))) == pair(strategy.decide(setting, history))


def test_every_variant_is_exported_or_refused() -> None:
    kinds = [kind for kind in strategies().values() if can_be_exported(kind) and plays_anywhere(kind)]
    setting, done = Setting(SMALL), set()
    for strategy in (made for kind in kinds for made in variants(kind)):
        noiseless = isinstance(strategy, FollowTree)
        refused = "draws at random" if strategy.random else "plays without noise" if noiseless else ""
        if refused:
            assert refused in refusal(export_strategy, strategy, setting, 0)
            continue
        exported = export_strategy(strategy, setting, 0)
        assert exported.worst > 0 and class_name(strategy) in classes(exported.source)
        assert imports(exported.source) == {"__future__", "hashlib", "math", "pathlib", "typing", "numpy"}
        done.add(type(strategy).__name__)
    assert done >= {"Greedy", "Renyi", "TwoGuess", "MaxClueEntropy", "NGuess"}


def test_one_file_serves_several_budgets(tmp_path: Path) -> None:
    given = [Renyi((9.0, 7.0, 5.0)), Renyi((8.0, 6.0), (1.0, math.inf)), Greedy(9.0), Renyi((9.0, 7.0))]
    exported = export_strategy(given, Setting(SMALL), 0)
    write_lists(SMALL, tmp_path, random.Random(3))
    with contextlib.chdir(tmp_path):
        load_exported(exported.source, "Renyi")
        scope: dict[str, Any] = {}
        exec(exported.source, scope)  # noqa: S102 - ours
        of_kind = [given[0], given[1], given[3], given[2]]
        for (call, _), ours in zip(exported.strategies, of_kind, strict=True):
            player = eval(call, scope)  # noqa: S307 - ours
            assert str(player) == call
            assert_agrees(player, ours, SMALL, games=10)
        with pytest.raises(ValueError, match=r"^Renyi\(epsilon=3\.0.*\) is not in this file, which has Renyi\(.*Renyi"):
            scope["Renyi"](3.0)
    assert exported.worst == math.inf


@pytest.mark.parametrize(
    ("spec", "likely", "enough"),
    [
        ("Fifth(budget=15.8)", "5th percentile in about 98%", "15.3"),
        ("Median(budget=30)", "50th percentile in less than 1%", "37"),
        ("NinetyFifth(budget=75)", "95th percentile in more than 99%", "70"),
    ],
)
def test_the_chance_of_the_row_is_told(spec: str, likely: str, enough: str) -> None:
    budget = parse_strategy(spec).total
    told = Exported("", budget, ((spec, budget),)).to_paste("mine").splitlines()[-1]
    assert likely in told and f"a budget of about {enough}" in told


def classes(source: str) -> set[str]:
    return {node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}


def imports(source: str) -> set[str]:
    """The packages that a source imports: of those that an install has to bring, numpy alone."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_other_lists_are_refused_in_one_line(tmp_path: Path) -> None:
    with played(Greedy(9.0), SMALL, tmp_path) as player:
        for answers in (SMALL.answers[1:], [*SMALL.answers, SMALL.answers[0]]):  # twice would be twice as probable
            (tmp_path / "answers.txt").write_text("\n".join(answers))
            with pytest.raises(ValueError, match=rf"^Greedy.* was made for other words .* \({len(answers)}\)"):
                type(player)()
        (tmp_path / "answers.txt").write_text("\r\n".join(reversed(SMALL.answers)) + "\r\n\r\n")
        (tmp_path / "valid.txt").write_text("\n".join([SMALL.guesses[3], *SMALL.guesses]))  # one of them twice
        type(player)()


@pytest.mark.parametrize(
    ("strategy", "setting", "said"),
    [
        (BayesianRandom(9.0, 0.5), Setting(SMALL), "BayesianRandom cannot be exported; these can: .*Greedy"),
        (MaxClueEntropy(3, 13.0, monte_carlo=None, jitter=0.1), Setting(SMALL), "no jitter"),
        (MaxClueEntropy(3, 13.0, monte_carlo=None, final="parts"), Setting(SMALL), "'parts' cannot be exported"),
        (Greedy(9.0), Setting(SMALL, rule="counted"), "letterwise"),
        (Greedy(9.0), Setting(SMALL, channel=Fibble), "randomized response"),
        (Greedy(9.0), Setting(SIX), "five letters"),
        (Greedy(9.0, first_guess="zzzzz"), Setting(SMALL), "zzzzz"),
        (Fifth(), Setting(SMALL), "made for words"),
    ],
)
def test_what_cannot_be_exported_says_so(strategy: wordpl.Strategy, setting: Setting, said: str) -> None:
    assert re.search(said, refusal(export_strategy, strategy, setting))


def test_strategies_of_one_call_or_one_name_need_files_of_their_own() -> None:
    """A call whose values are no literals is not told; and a class may have the name of another."""
    assert "name at least one" in refusal(export_strategy, [], Setting(SMALL))
    assert len(export_strategy([Greedy(9.0), "Greedy(9)"], Setting(SMALL), 0).strategies) == 1
    assert export_strategy(Greedy((9.0,)), Setting(SMALL), 0).strategies[0][0] == "Greedy(epsilon=(9.0,))"
    untold = type("Untold", (Renyi,), {"__repr__": object.__repr__})
    for pair in ([untold(9.0), untold(8.0)], [Renyi(9.0), type("Renyi", (Renyi,), {})(8.0)]):
        assert "cannot be told apart" in refusal(export_strategy, pair, Setting(SMALL), 0)


@pytest.mark.heavy
def test_an_exported_strategy_wins_as_often_as_it_should() -> None:
    games, strategy = 4000, TwoGuess(23.0)
    expected = wordpl.limits.compute_win_rate(strategy, Setting(SMALL), exact=True).win_rate
    row = run(export_strategy(strategy, Setting(SMALL)), SMALL, seed=3, games=games)
    assert abs(row["wins"] / games - expected) < 4.5 * math.sqrt(expected * (1 - expected) / games)
    assert row["p05"] == 23.0


# What strategies of the contest import: its word files, and `strategies.utils`.


@pytest.fixture
def utils(tmp_path, monkeypatch):
    for name, content in word_files(SMALL).items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    place = Path(next(iter(compat.__path__)), "utils.py")
    spec = importlib.util.spec_from_file_location("contest_utils", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_word_files_are_those_of_the_contest() -> None:
    files = {name: content.decode().split() for name, content in word_files(ORIGINAL).items()}
    assert tuple(files["answers.txt"]) == ORIGINAL.answers
    assert tuple(files["valid.txt"]) == ORIGINAL.guesses
    tree = resources.files("wordpl.model") / "data" / "original_salet.tree"
    paths = [line.split()[::2] for line in tree.read_text("utf-8").splitlines()[1:]]
    assert files["easy_words.txt"] == sorted(guesses[-1] for guesses in paths if len(guesses) <= 3)
    assert word_files(SMALL)["easy_words.txt"].decode().split() == list(SMALL.answers), "no tree is bundled"


@pytest.mark.parametrize("code", [0, 7, 121, 242])
def test_an_absent_letter_is_evidence_as_any_other_mark(utils, code):
    """Weights are the posterior: each mark that fits counts e^(epsilon/5) times one that does not."""
    assert (utils.answers, utils.valid) == (list(SMALL.answers), list(SMALL.guesses))
    guess, epsilon = SMALL.guesses[3], 8.0
    marks = clue_strings(5)[code]
    found = utils.update_prior(utils.uniform_prior(), guess, epsilon, marks)
    posterior = Setting(SMALL).belief((Turn(guess, epsilon, code),)).probabilities
    assert found["weight"].to_list() == pytest.approx(posterior.tolist())
    fits = (map(utils.is_consistent, [word] * 5, range(5), guess, marks) for word in SMALL.answers)
    weights = [math.prod([math.exp(epsilon / 5)] * sum(five)) for five in fits]
    assert found["weight"].to_list() == [weight / sum(weights) for weight in weights]  # to the last bit
