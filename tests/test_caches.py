"""Nothing that was read from a file is used once the file holds something else, whatever its time of change says.

What is kept of compiled code is in base/test_kernels.py, of optimal trees in wordle/trees/test_prove.py, of
results that grow in web/test_results.py, of the code of strategies in simulation/test_same_code.py.
"""

import json
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support.helpers import FEW, MIDDLE, SMALL
from tests.support.ledgers import TRIALS, add, started
from tests.web.conftest import ADDRESS, answered
from wordpl import Setting, Store, clue_matrix, load_words, make_task, parse_strategy, sweep
from wordpl.limits import Policy, compute_win_rate, setting_identity
from wordpl.web.app import make_app
from wordpl.web.settings import Settings
from wordpl.wordle import load_tree, optimal_tree

WORDS = [SMALL.answers[:7], MIDDLE.answers[1:8]]
STRATEGY = """
from dataclasses import dataclass
from wordpl import Answer, Ask, HistoryStrategy

@dataclass(frozen=True)
class Mine(HistoryStrategy):
    def decide(self, setting, history):
        return Answer(setting.belief(history).top[0]) if history else Ask(setting.words.answers[WHICH], 9.0)
"""


def results(path: Path, version: int) -> None:
    path.unlink(missing_ok=True)
    with Store(path) as store:
        sweep([make_task(parse_strategy(f"TwoGuess({4 + version})"), words=SMALL)], 3, store=store)


def contest(path: Path, version: int) -> None:
    path.unlink(missing_ok=True)
    with started(path, TRIALS) as ledger:
        add(ledger, f"Entry{version}")


def first_move(spec: str) -> str:
    return repr(parse_strategy(spec).decide(Setting(FEW), ()))


@cache
def site(path: Path) -> TestClient:
    """One server for all versions of a file."""
    return TestClient(make_app(Settings(results=(path,), ledger=path)), base_url=ADDRESS)


def page(path: Path, address: str) -> str:
    return json.dumps(answered(site(path).get(address)))


def matches(pattern: str, text: str) -> str:
    return str(re.findall(pattern, text))


FILES: dict[str, Callable[[Path, int], object]] = {
    "words.txt": lambda path, version: path.write_text("\n".join(WORDS[version])),
    "opening.tree": lambda path, version: optimal_tree(FEW, FEW.answers[version]).save(path),
    "moves.json": lambda path, version: Policy(
        12.0, 1, {(): (FEW.answers[version], 12.0)}, made_for=setting_identity(Setting(FEW))
    ).save(path),
    "mine.py": lambda path, version: path.write_text(STRATEGY.replace("WHICH", str(version))),
    "run.sqlite": results,
    "contest.sqlite": contest,
}
"""What writes two versions of each file."""
READERS: dict[str, tuple[str, Callable[[Path], str]]] = {
    "words": ("words.txt", lambda path: str(load_words(answers=path).answers)),
    "clues": ("words.txt", lambda path: str(clue_matrix(load_words(answers=path)).tolist())),
    "optimal tree": ("words.txt", lambda path: str([*optimal_tree(load_words(answers=path)).lines()])),
    "tree": ("opening.tree", lambda path: str([*load_tree(path).lines()])),
    "FollowTree": ("opening.tree", lambda path: first_move(f"FollowTree(file='{path}')")),
    "FromTable": ("moves.json", lambda path: first_move(f"FromTable('{path}')")),
    "strategy": ("mine.py", lambda path: first_move(str(path))),
    "win rate": ("mine.py", lambda path: repr(compute_win_rate(parse_strategy(str(path)), Setting(FEW)).win_rate)),
    "results": ("run.sqlite", lambda path: matches(r"epsilon=[\d.]+", page(path, "/api/results/curves"))),
    "board": ("contest.sqlite", lambda path: matches(r"Entry\d", page(path, "/api/contest?percentile=5"))),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_file_that_changed_is_read_anew(kind, tmp_path, monkeypatch):
    name, read = READERS[kind]
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    path, readings = tmp_path / name, []
    for version in (0, 1, 0):
        FILES[name](path, version)
        os.utime(path, (1e9, 1e9))
        readings.append(read(path))
    assert readings[0] != readings[1]
    assert readings[0] == readings[2]
