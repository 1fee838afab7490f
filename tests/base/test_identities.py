"""Strategies are told apart by their fields and by what they hold, and have no lasting identity where that fails."""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordpl
from tests.support.held import Hidden
from tests.support.helpers import SMALL
from wordpl import Answer, HistoryStrategy, from_contest
from wordpl.base.sources import is_plain
from wordpl.simulation.trials import play_batch


def made(scale):
    @dataclass(frozen=True, repr=False)
    class Inner(HistoryStrategy):
        def decide(self, setting, history):
            return scale

    return Inner


def test_classes_of_one_function_and_of_no_file_are_told_apart():
    one, two = made(1), made(2)
    assert one().identity == one().identity != two().identity
    assert one().identity_problem == "it is not at the top level of a file"
    space = {"__name__": "no_module"}
    exec("from wordpl import HistoryStrategy\nclass Mine(HistoryStrategy): decide = None", space)  # noqa: S102
    mine: Any = space["Mine"]
    assert mine().identity_problem == "it has no file"


def test_results_without_a_lasting_identity_are_told_of(tmp_path):
    said = r"Inner\(\) has no lasting identity \(it is not at the top level of"
    with wordpl.Store(tmp_path / "r.sqlite") as store, pytest.warns(wordpl.WordplWarning, match=said) as warned:
        wordpl.sweep([made(1)()], 2, words=SMALL, store=store)
    assert [one.filename for one in warned] == [__file__]


class Theirs:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def first_move(self):
        self.asked = 0
        return "cigar", self.epsilon

    def next_move(self, *clue):
        return "cigar", 0


def test_every_field_counts():
    tables = [(), (1,), (2,), (1.0,), (True,), [1], np.arange(3), np.arange(3.0), np.arange(2000)]
    long = np.arange(2000)
    long[1000] = 7  # which the `repr` does not show
    inner = [Hidden(2.0), *map(from_contest, map(Theirs, (1, 2))), lambda: 1, lambda: 2]
    every = [*(Hidden(table=table) for table in tables), Hidden(table=long), *(Hidden(inner=one) for one in inner)]
    assert len({one.identity for one in every}) == len({one.code for one in every}) == len(every)
    assert Hidden(table=np.arange(2000)).identity == Hidden(table=np.arange(2000)).identity
    assert Hidden(2.0).code == Hidden().code and Hidden(2.0).identity != Hidden().identity  # which `repr` shows
    assert is_plain((1, "x", (2.0, None, (True, b"x")))) and not is_plain((1, [2]))
    assert pickle.loads(pickle.dumps(Hidden(table=long))).identity == Hidden(table=long).identity  # noqa: S301


def test_contest_objects_and_channels_of_one_name_are_told_apart(monkeypatch):
    one, two = from_contest(Theirs(1.0)), from_contest(Theirs(2.0))
    assert repr(one) == repr(two) == "Theirs()"
    before = one.identity, wordpl.evaluate(one, 3, words=SMALL)
    assert before[0] == one.identity == from_contest(Theirs(1.0)).identity != two.identity
    families = [
        lambda epsilon, length, scale=scale: wordpl.RandomizedResponse(epsilon * scale, length) for scale in (1, 2)
    ]
    ids = [wordpl.make_task("TwoGuess(9)", words=SMALL, channel=family).id for family in (*families, of_file)]
    monkeypatch.setattr("wordpl.base.sources._tokens", {})  # as in another process
    assert len(set(ids)) == 3 and wordpl.make_task("TwoGuess(9)", words=SMALL, channel=of_file).id == ids[2]


def of_file(epsilon, length):
    return wordpl.RandomizedResponse(epsilon, length)


@dataclass(frozen=True, repr=False)
class FromFile(HistoryStrategy):
    """Proposes the answer that a file names, as `FollowTree` follows one."""

    file: str

    @property
    def content(self) -> str:
        return Path(self.file).read_text()

    def decide(self, setting: wordpl.Setting, history: wordpl.History) -> wordpl.Move:
        return Answer(setting.words.answers[int(self.content)])


def test_a_file_that_has_changed_since_the_task_was_made_is_not_played(tmp_path):
    file = tmp_path / "data"
    file.write_text("1")
    task = wordpl.make_task(FromFile(str(file)), words=SMALL)
    assert task.id  # of what the file holds now
    file.write_text("2")
    with pytest.raises(wordpl.WordplError, match=r"a file that FromFile.* reads has changed since the run began"):
        play_batch(task, range(6), [])
    assert set(wordpl.sweep([task], 6)[0].frame["proposed"]) == {SMALL.answers[2]}  # of another id
