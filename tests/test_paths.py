"""Every public function that takes a path takes it as text, as a `Path` and as anything else that has a path."""

import inspect
import os
from pathlib import Path
from typing import Any

import pytest

import wordpl
from tests.helpers import SMALL, TINY
from wordpl import Ledger, Policy, Setting, Store, build_tree, make_task, parse_strategy, setting_identity, sweep
from wordpl.contest.export.export import Exported, write_export
from wordpl.contest.run.conformance import write_template
from wordpl.trees.heuristic import Heuristic

POLICY = Policy(9.0, 1, {(): (TINY.guesses[0], 9.0)}, made_for=setting_identity(Setting(TINY)))
TREE = build_tree(SMALL, Heuristic("greedy"))


class HasPath:
    """As `os.DirEntry`: neither text nor a `Path`."""

    def __init__(self, path):
        self._path = os.fspath(path)

    def __fspath__(self):
        return self._path


def stored(path):
    with Store(path) as store:
        sweep([make_task(parse_strategy("TwoGuess(12)"), words=SMALL)], 5, store=store)
        return store.tasks()[0].trials


def committed(path):
    with Ledger(path) as ledger:
        return ledger.commitment != ""


def published(path):
    with Ledger(f"{os.fspath(path)}.sqlite") as ledger:
        ledger.publish(path)
    with Ledger(path, read_only=True) as copy:
        return len(copy.commitment)


def words_of(path):
    with wordpl.whole_file(path) as beside:
        beside.write_text("crate\nhaste\n")
    return wordpl.load_words(answers=path, guesses=path).guesses


def points_of(path):
    wordpl.add_json_line(path, {"a": 1})
    return wordpl.read_json_lines(path), wordpl.read_file(path, "points")


def reported(path):
    with Store(f"{os.fspath(path)}.sqlite") as store:
        sweep([make_task(parse_strategy("TwoGuess(12)"), words=SMALL)], 5, store=store)
        wordpl.write_report(store, path)
    return len(wordpl.read_file(path, "report")) > 1000


def proved(path):
    tree, _ = wordpl.prove(TINY, path)
    return wordpl.check_certificate(path, TINY, tree).claim.best


def saved(path):
    study = wordpl.Study((wordpl.GriddedSpec("TwoGuess()", (("epsilon", (9.0, 12.0)),)),))
    study.save(path)
    return [task.id for task in wordpl.load_study(path).tasks()]


USES: dict[str, tuple[str, Any]] = {
    "Store": ("r.sqlite", stored),
    "Ledger": ("l.sqlite", committed),
    "Ledger.publish": ("p.sqlite", published),
    "Policy.save, load_policy": ("p.json", lambda path: (POLICY.save(path), wordpl.load_policy(path) == POLICY)[1]),
    "Tree.save, load_tree": ("t.tree", lambda path: (TREE.save(path), wordpl.load_tree(path).total)[1]),
    "Study.save, load_study": ("s.toml", saved),
    "load_words, whole_file": ("w.txt", words_of),
    "add_json_line, read_json_lines, read_file": ("p.jsonl", points_of),
    "write_report": ("r.html", reported),
    "prove, check_certificate": ("c.txt", proved),
    "write_template": ("mine.py", lambda path: write_template(path)),
    "write_export": ("export.py", lambda path: write_export(Exported("x = 1\n", 1.0), path)),
}


@pytest.mark.parametrize("name", USES)
def test_a_path_may_be_text_or_have_a_path(tmp_path, name):
    file, use = USES[name]
    results = []
    kinds: tuple[Any, ...] = (str, HasPath, Path)
    for i, kind in enumerate(kinds):
        (tmp_path / str(i)).mkdir()
        results.append(use(kind(tmp_path / str(i) / file)))
        assert (tmp_path / str(i) / file).stat().st_size > 0
    assert results[0] == results[1] == results[2]


def test_no_public_function_wants_a_path_of_one_kind():
    calls = {name: getattr(wordpl, name) for name in wordpl.__all__ if callable(getattr(wordpl, name))}
    calls |= {
        f"{name}.{method}": call
        for name, kind in calls.copy().items()
        if inspect.isclass(kind)
        for method, call in vars(kind).items()
        if inspect.isfunction(call) and (method == "__init__" or not method.startswith("_"))
    }
    narrow = [
        f"{name}.{parameter.name}"
        for name, call in calls.items()
        if inspect.isfunction(call)
        for parameter in inspect.signature(call).parameters.values()
        if "Path" in str(parameter.annotation).replace("StrPath", "")
    ]
    assert narrow == ["Submission.check_ledger.ledger"]  # the referee's own
