"""Strategies of the contest's kind, from files, in `evaluate` and `sweep`, as `submit` loads them."""

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

import wordpl
from tests.cli.conftest import Cli
from tests.support.helpers import SIX, SMALL
from tests.support.ledgers import started
from tests.support.refusals import refusal
from tests.support.submissions import come_singly
from wordpl import Setting, evaluate, parse_spec, parse_strategy
from wordpl.cli import app
from wordpl.contest import (
    ContestRun,
    Ledger,
    Limits,
    Trusted,
    contestant,
    evaluate_submission,
    inside,
    load_submission,
    sandbox,
)
from wordpl.contest.file_strategy import FileStrategy
from wordpl.contest.run import TrialQueue, watch_submission

CHATTY = """
import random
answers = open("answers.txt").read().split()

print("imported")

class Mine:
    def __init__(self, epsilon=18.0, letter="a"):
        self.epsilon, self.games = epsilon, 0

    def first_move(self):
        print("a game begins")
        self.games += 1
        return random.choice(answers), self.epsilon

    def next_move(self, guess, epsilon, clues):
        if clues.startswith("cc"):
            return helper()
        return random.choice(answers), 0

def helper():
    return 1 / 0
"""

OURS = """
from dataclasses import dataclass
import wordpl
print("imported")

@dataclass(frozen=True, repr=False)
class Ours(wordpl.HistoryStrategy):
    def decide(self, setting, history):
        print("deciding")
        return wordpl.Answer(setting.words.answers[0])
"""


@pytest.fixture
def chatty(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CHATTY)
    return str(path)


def of_score(run):
    return run.frame[["answer", "proposed", "verdict", "reason", "budget"]]


@pytest.mark.heavy
def test_it_plays_the_games_of_try_whatever_the_jobs(chatty):
    strategy = parse_strategy(f"{chatty}:Mine(9)")
    assert isinstance(strategy, FileStrategy)
    one = evaluate(strategy, 20, seed=3, words=SIX)
    run = ContestRun(load_submission(f"{chatty}:Mine(9)"), Setting(SIX), 3, Limits(), Trusted())
    tried = evaluate_submission(run, 20)
    assert of_score(one).equals(of_score(tried))
    assert of_score(evaluate(strategy, 20, seed=3, jobs=2, words=SIX)).equals(of_score(one))
    assert set(one.reasons.values()) == {"mine.py:22: ZeroDivisionError: division by zero"}
    assert set(one.results["budget"]) == {9.0}


def test_it_is_told_by_its_files_and_its_call(chatty, tmp_path):
    strategy = parse_strategy(f"{chatty}:Mine(18.0, letter='b')")
    assert repr(strategy) == strategy.label == "mine.py:Mine(epsilon=18, letter='b')"
    assert strategy.family == "mine.py:Mine(letter='b')"
    assert strategy.epsilon == 18.0
    same = parse_strategy(f"{chatty}:Mine( letter='b',epsilon=18)")
    assert (same, hash(same), same.identity) == (strategy, hash(strategy), strategy.identity)
    assert pickle.loads(pickle.dumps(strategy)) == strategy  # noqa: S301
    assert parse_strategy(f"{chatty}:Mine()") != strategy
    assert "epsilon" in parse_spec(chatty).open_parameters, "a sweep supplies it"
    assert "epsilon" not in parse_spec(f"{chatty}:Mine(5)").open_parameters
    assert len({parse_spec(chatty).build(epsilon=epsilon).code for epsilon in (5.0, 9.0)}) == 1, "one curve"
    (tmp_path / "mine.py").write_text(CHATTY.replace("a game", "one game"))
    edited = parse_strategy(f"{chatty}:Mine(18.0, letter='b')")
    assert edited.identity != strategy.identity
    assert repr(edited) == repr(strategy)


@pytest.mark.parametrize(
    ("value", "epsilon"),
    [("7", 7.0), ("(9, 5.5)", (9.0, 5.5)), ("[9]", (9.0,)), ("True", None), ("'a'", None), ("()", None)],
)
def test_an_epsilon_is_a_number_or_several(chatty, value, epsilon):
    assert parse_strategy(f"{chatty}:Mine({value})").epsilon == epsilon
    assert parse_strategy(f"{chatty}:Mine(letter={value})").epsilon is None


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [(0.5, "asked more than 100 times"), (1e-9, "asked with epsilon 1e-09; the smallest is 0.001")],
)
def test_it_plays_by_the_rules_of_the_contest_without_its_clock(epsilon, said, tmp_path, monkeypatch):
    path, given = tmp_path / "mine.py", []
    moves = f"    def first_move(self, *turn): return {SMALL.guesses[0]!r}, {epsilon}\n    next_move = first_move\n"
    path.write_text(f"class Mine:\n{moves}")
    kind = contestant.ContestantProcess
    monkeypatch.setattr(contestant, "ContestantProcess", lambda *of, **more: given.append(of) or kind(*of, **more))
    assert evaluate(parse_strategy(str(path)), 1, words=SMALL).reasons == {0: said}
    assert given[0][2] == replace(Limits(), game_seconds=math.inf, move_seconds=math.inf, cpu_seconds=math.inf)


def test_files_that_are_too_large_or_do_not_say_what_takes_a_parameter(tmp_path):
    large, two = tmp_path / "large.py", tmp_path / "two.py"
    with large.open("wb") as file:
        file.truncate((8 << 20) + 1)
    assert "it is larger than 8 MiB" in refusal(parse_spec, str(large))
    two.write_text("class A:\n    first_move = next_move = print\nclass B(A): ...\n")
    assert "does not say which class takes n=..., m=...; write " in refusal(parse_spec(str(two)).build, n=1, m=2)


def test_a_file_with_both_kinds(tmp_path):
    path = tmp_path / "both.py"
    path.write_text(CHATTY.replace('open("answers.txt").read().split()', "[]") + OURS)
    assert isinstance(parse_strategy(f"{path}:Mine()"), FileStrategy)
    assert type(parse_strategy(f"{path}:Ours()")).__name__ == "Ours"
    assert f"has several strategies (Mine, Ours); write {path}:Name(" in refusal(parse_strategy, str(path))
    path.write_text(f"import wordpl\nfrom strategies.utils import jitter\n{CHATTY}")  # which is not here
    assert isinstance(parse_strategy(f"{path}:Mine()"), FileStrategy)


@pytest.mark.heavy
def test_what_a_strategy_prints_goes_to_stderr(chatty, tmp_path):
    (tmp_path / "ours.py").write_text(OURS)
    for command, printed in (
        (["score", f"{chatty}:Mine()", "-n", "9"], "a game begins"),
        (["win-rate", str(tmp_path / "ours.py")], "deciding"),
    ):
        done = CliRunner().invoke(app, [*command, "--json", "-j", "1"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout) and "imported" in done.stderr
        assert done.stderr.count(printed) == 9 or (command[0] == "win-rate" and printed in done.stderr)


LOSES = """
import sys

class Mine:
    def first_move(self):
        sys.stderr.write("x" * 9000 + "\\nlast\\n")

    next_move = None
"""


def test_a_run_that_fails_alike_ends_after_ten_games_and_a_long_text_is_cut(tmp_path, monkeypatch):
    come_singly(monkeypatch)
    (tmp_path / "mine.py").write_text(LOSES)
    run = ContestRun(load_submission(str(tmp_path / "mine.py")), Setting(SMALL), 3, Limits(), Trusted())
    played = evaluate_submission(run, 1000)
    assert played.frame.trial.tolist() == list(range(10)) and len(played.reasons) == 10
    lump = [game for games in TrialQueue(run, range(12)) for game in games]
    monkeypatch.setattr(TrialQueue, "__iter__", lambda queue: iter([lump]))
    assert of_score(evaluate_submission(run, 1000)).equals(of_score(played)), "whatever came at once"
    (move,) = watch_submission(run, 7).moves
    assert move.printed == "…" + ("x" * 9000 + "\nlast\n")[-2048:].strip()
    (tmp_path / "mine.py").write_text("import nowhere")
    broken = replace(run, submission=load_submission(str(tmp_path / "mine.py")))
    assert "mine.py' cannot be started: mine.py:1: ModuleNotFoundError" in refusal(watch_submission, broken, 0)


SETTING = Setting(SMALL)
WORD = SMALL.answers[0]
MOVES = f"""
    def first_move(self): return {WORD!r}, 5.0
    def next_move(self, guess, epsilon, clues): return {WORD!r}, 0
"""
FUNCTIONS = MOVES.replace("\n    ", "\n").replace("self, ", "").replace("self", "")
CLOSURE = f"""
class Closure:
    def __init__(self):
        self.first_move = lambda: ({WORD!r}, 5.0)
        self.next_move = lambda guess, epsilon, clues: ({WORD!r}, 0)
"""
ABSTRACT = f"""
from abc import ABC, abstractmethod
class Strat(ABC):
    @abstractmethod
    def first_move(self): ...
    @abstractmethod
    def next_move(self, guess, epsilon, clues): ...
class Real(Strat):{MOVES}
"""
PLAYED = {
    "an abstract base": ABSTRACT,
    "a base of its own": f"class _Base:{MOVES}\nclass Mine(_Base): ...\n",
    "a helper with a base from elsewhere": "import collections\nclass Seen(collections.UserDict): ...\n"
    f"class Mine:{MOVES}",
    "attrs": f"import attrs\n@attrs.define\nclass At:\n    epsilon: float = 10.0\n{MOVES}",
    "pydantic": f"import pydantic\nclass At(pydantic.BaseModel):\n    epsilon: float = 10.0\n{MOVES}",
    "a ready object": f"from types import SimpleNamespace\n{FUNCTIONS}\n"
    "strategy = SimpleNamespace(first_move=first_move, next_move=next_move)",
    "methods made in __init__": f"{CLOSURE}\nstrategy = Closure()",
}  # fmt: skip
FOLDER = f"""
from pathlib import Path
import attrs, pydantic, words
from strategies.words import WORD
from .words import WORD as OURS
assert OURS == WORD == words.WORD
assert (Path(__file__).parent / 'data' / 'words.txt').read_text() == WORD
class Mine:{MOVES}
""".replace(repr(WORD), "open('data/words.txt').read()")


@pytest.mark.heavy
@pytest.mark.parametrize("style", PLAYED)
def test_styles_that_play(style: str, tmp_path: Path) -> None:
    """By the call that `score` makes of the source, and without one, as in `contest submit`."""
    (tmp_path / "mine.py").write_text(PLAYED[style])
    strategy = parse_spec(str(tmp_path / "mine.py")).build()
    assert isinstance(strategy, FileStrategy)
    for maker in (strategy.submission.maker, None):
        module = ModuleType("mine")
        exec(PLAYED[style], vars(module))  # noqa: S102 - ours
        assert inside.make(module, maker).first_move() == (WORD, 5.0)


@pytest.mark.heavy
def test_a_folder_with_a_module_and_data_plays(cli: Cli, tmp_path: Path) -> None:
    """In `score`, in `score --sandbox`, and in `contest submit`, with two contestants at once."""
    path = tmp_path / "mine"
    (path / "data").mkdir(parents=True)
    (path / "words.py").write_text("WORD = open('data/words.txt').read()")
    (path / "data/words.txt").write_text(WORD)
    (path / "strategy.py").write_text(FOLDER)
    run = ContestRun(load_submission(str(path)), SETTING, 1, Limits(), sandbox.find())
    scored = wordpl.evaluate(parse_spec(str(path)).build(), words=SMALL, trials=2)
    for evaluation in (scored, evaluate_submission(run, 2)):
        assert (evaluation.errors, evaluation.reasons) == (0, {})
        assert evaluation.frame.budget.tolist() == [5.0, 5.0]
    started(tmp_path / "contest.sqlite", 4).close()
    done = cli("contest", "submit", str(path), "--name", "Ours", "--ledger", "contest.sqlite", "--jobs", "2")
    assert done.code == 0, done.err
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        (entry,) = ledger.entries()
        assert {(game.reason, game.budget) for game in ledger.games(entry, "provisional")} == {("", 5.0)}
