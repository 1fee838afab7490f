"""How objects show themselves: every public class on one short line, some as HTML."""

from __future__ import annotations

import dataclasses
import html.parser
import inspect
import math
import pickle
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordpl
from tests.contest.test_ledger import enter, finish
from tests.helpers import SMALL, TINY, list_of
from wordpl import Setting, Trusted, Turn, WordList
from wordpl.assistant.session import Assistant
from wordpl.contest.submission import load_submission
from wordpl.displays import LONGEST, call_of, cut, json_epsilon, line_of
from wordpl.library.greedy import Greedy
from wordpl.search.frontier import Point
from wordpl.simulation.sweep import make_task
from wordpl.simulation.tasks import RESULT
from wordpl.trees.tree import Node

# A name that would break a line, a terminal and a page.
HOSTILE = '<script>alert("1")</script>\x1b[2J\n' + 9 * "long "
BAD_WORDS = WordList(HOSTILE + 300 * "x", TINY.answers, TINY.guesses)
EXCEPTIONS = [name for name in wordpl.__all__ if name.endswith(("Error", "Warning"))]
NOT_MADE = {"Channel", "Player", "HistoryStrategy", "Strategy", "Verdict"}
"""Abstract, or with a line of their own: that of a strategy is its identity."""


def made_of_nothing() -> Iterator[Any]:
    """The public dataclasses whose every field has a default."""
    for kind in map(wordpl.__getattr__, wordpl.__all__):
        if dataclasses.is_dataclass(kind) and inspect.isclass(kind):
            fields = dataclasses.fields(kind)
            if all(f.default is not f.default_factory for f in fields):  # both are MISSING without one
                yield kind


def evaluations() -> wordpl.Comparison:
    return wordpl.sweep([make_task(Greedy(epsilon), 1, words=SMALL) for epsilon in (10.0, 40.0)], 4)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """One of each public class, and of the classes that public functions return."""
    folder = tmp_path_factory.mktemp("made") / ("long" * 50)
    folder.mkdir()
    file = folder / "mine.py"
    file.write_text("class Mine:\n    pass\n")
    setting, bad = Setting(SMALL), Setting(BAD_WORDS)
    found: list[Any] = [setting, bad, SMALL, BAD_WORDS, setting.belief(), wordpl.Clue(17), Turn("crate", 13.0, 17)]
    found += [wordpl.Ask("crate", 13.0), wordpl.Answer("crate"), wordpl.RandomizedResponse(13.0), wordpl.Fibble()]
    found += [wordpl.Fibble(lies=2)]
    found += [kind() for kind in made_of_nothing()]
    found += [wordpl.Column("name"), wordpl.Heuristic(priority=dict.fromkeys(SMALL.guesses, 1.0))]
    gridded = wordpl.GriddedSpec("Greedy()" + 99 * " ", (("epsilon", tuple(range(999))), (HOSTILE, (HOSTILE,))))
    study = wordpl.Study((gridded,), (wordpl.WordFiles(HOSTILE, 99 * "long"),), seed=2**255)
    found += [gridded, study, *study.words]
    tree = wordpl.build_tree(SMALL, wordpl.Heuristic())
    found += [tree, tree.root, wordpl.solve_tree(TINY, TINY.guesses[0])]
    run = evaluations()
    found += [run, *run, run[0].task, make_task(Greedy(12.0), 3**90, words=BAD_WORDS)]
    compared = wordpl.compare([(run[0].task, run[1].task)], 4)
    found += [
        compared,
        *compared.pairs,
        *compared.pairs[0].differences,
        compared.pairs[0].wins,
        compared.pairs[0].curve,
    ]
    with wordpl.Store(folder / "run.sqlite") as store:
        wordpl.sweep([one.task for one in run], 4, store=store)
        outcomes = wordpl.read_outcomes(store)
        found += [store, *store.tasks(), *store.provenance(), *outcomes, outcomes[0].figures, *wordpl.curves(outcomes)]
        closed = wordpl.Store(folder / "closed.sqlite")
        closed.close()
        found.append(closed)
        found += [wordpl.find_crossing([5, 10], [1, 9], [10, 10], 0.5), Point("NGuess", "NGuess({})", 9.0, 0.5, 0.01)]
        plan = wordpl.parse_strategy("TwoGuess(9.0)").exported(setting)
        found += [plan, wordpl.Plan(budget=9.0), *plan.rounds, wordpl.Round("renyi", order=2.0), wordpl.FAMILIES[0]]
        found += [wordpl.load_policy(wordpl.library.Fifth().path)] if hasattr(wordpl.library.Fifth(), "path") else []
        found += [wordpl.Policy(9.0, 1, {(): ("crate", 9.0)}, made_by=HOSTILE)]
        rate = wordpl.compute_win_rate(wordpl.parse_strategy("NGuess(1, 9.0)"), Setting(TINY))
        contender = wordpl.Contender(Greedy(10.0), 500, 0.5, 0.0)
        found += [rate, contender, wordpl.Selection([contender], rate), wordpl.parse_spec("Greedy")]
        found += [
            wordpl.Referee(setting, 12345678901),
            wordpl.Referee(setting, 12345678901).open(0),
            wordpl.Referee(setting, 1).play(0, Greedy(10.0).players(setting)(1)),
        ]
        game = wordpl.watch(Greedy(10.0), 0, words=SMALL)
        found += [
            game,
            *game.moves,
            wordpl.Adversary(SMALL),
            wordpl.Duel(True, "crate", 3),
            wordpl.Wordle.drawn(SMALL, 1),
        ]
        assistant = Assistant(SMALL)
        found += [assistant, *assistant.suggestions(1), assistant.why(SMALL.guesses[0])]
        found += wordpl.analyze(SMALL, wordpl.turns_from_answer(SMALL.answers[:3], SMALL.answers[2], SMALL)).turns
        found.append(wordpl.analyze(SMALL, wordpl.turns_from_answer(SMALL.answers[:3], SMALL.answers[2], SMALL)))
        submission = load_submission(f"{file}:Mine(epsilon=18)")
        contest = wordpl.ContestRun(submission, setting, 98765432109, wordpl.Limits(), Trusted())
        found += [submission, contest, contest.launcher, wordpl.PlayAgain(submission, contest.launcher)]
        found += [wordpl.Finding("name", True, 50 * HOSTILE), wordpl.Exported(9999 * "x", 18.0)]
        found += [wordpl.Figures(0.5, 20 * (0.1,)), wordpl.Flag(1.0, {"asking": 1.0}, True, 1001, 30 * HOSTILE)]
        found.append(wordpl.Outcomes(np.ones(3), np.ones(3), np.ones(3, bool)))
        found.append(wordpl.read_finished([SMALL.answers[0]], SMALL, answer=SMALL.answers[0]))
        with wordpl.Tokens(folder / "tokens.sqlite") as tokens, wordpl.Queue(folder / "queue.sqlite") as queue:
            found += [tokens, queue]
        with wordpl.Ledger(folder / "contest.sqlite") as ledger:
            entry = finish(ledger, enter(ledger, "A name"))
            receipt = ledger.receipt(entry)
            found += [ledger, entry, entry.board, receipt, receipt.entered, *ledger.standings(entry)]
            yield {f"{type(one).__name__} {n}": one for n, one in enumerate(found)}


def test_one_of_each_public_class_is_looked_at(made: dict[str, Any]) -> None:
    public = {name for name in wordpl.__all__ if inspect.isclass(getattr(wordpl, name))}
    assert public - {name.split()[0] for name in made} == NOT_MADE | set(EXCEPTIONS)


def test_every_object_says_in_a_short_line_what_it_is(made: dict[str, Any]) -> None:
    for name, one in made.items():
        line = repr(one)
        assert len(line) <= LONGEST, name
        assert line.isprintable(), name
        assert type(one).__name__ in line, name
        assert " object at 0x" not in line, name
        assert "array(" not in line, name


def test_no_line_tells_a_seed_or_a_secret_that_a_referee_keeps(made: dict[str, Any]) -> None:
    text = " ".join(map(repr, made.values()))
    assert "98765432109" not in text
    assert "12345678901" not in text
    drawn = wordpl.Wordle.drawn(SMALL, 1)
    assert str(drawn.answer) not in repr(drawn)
    for one in made.values():
        if isinstance(one, wordpl.Entry):
            assert str(one.secret) not in repr(one)
            assert str(one.seed) not in repr(one)


def test_what_some_lines_say(made: dict[str, Any]) -> None:
    lines = [repr(one) for one in made.values()]
    for line in (
        "<Clue ..icc>",
        "Limits()",
        "Round(by='renyi', order=2.0)",
        "<Setting small, letterwise, RandomizedResponse>",
        "<Wordle small, counted: 0 of 6 turns>",
    ):
        assert line in lines
    (tree,) = [line for line in lines if line.startswith("<Tree ")]
    assert f"{len(SMALL.answers)} answers, total " in tree
    assert any(line.startswith("<Evaluation Greedy(epsilon=10.0): 4 trials, win rate ") for line in lines)
    assert any(line.startswith("<Store ") and line.endswith(": 2 tasks>") for line in lines)


def test_the_lines_are_no_part_of_an_id() -> None:
    task = make_task(Greedy(10.0), 1, words=SMALL)
    same = make_task(Greedy(10.0), 1, words=list_of("another name", SMALL.answers, SMALL.guesses))
    assert repr(task) != repr(same)
    assert task.id == same.id == pickle.loads(pickle.dumps(task)).id  # noqa: S301


@given(st.text())
def test_a_line_holds_any_text(text: str) -> None:
    for line in (line_of(0, text), call_of(wordpl.Finding(text, True, text))):
        assert len(line) <= LONGEST
        assert line.isprintable()
    assert cut(text, 10) == text or len(cut(text, 10)) == 10


def test_an_infinite_epsilon_is_a_text_in_json() -> None:
    assert [json_epsilon(value) for value in (math.inf, 13.0, None)] == ["inf", 13.0, None]


# HTML

TAGS = {"div", "b", "br", "code", "span", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}


class Reader(html.parser.HTMLParser):
    """Reads HTML of known tags, each closed in turn, that a page of any colour can show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags, self._open = "", [], []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in TAGS
        self.tags.append(tag)
        if tag != "br":
            self._open.append(tag)
        for name, value in attrs:
            assert name in ("style", "title", "open")
            colours = {part.partition(":")[0] for part in (value or "").split(";")} & {"color", "background"}
            assert colours != {"color"}, "a colour of text needs one of its ground"

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_plain_and_escaped(made: dict[str, Any]) -> None:
    found = {type(one).__name__ for one in made.values() if hasattr(one, "_repr_html_")}
    assert found == {"Clue", "Posterior", "Evaluation", "Comparison", "PairedComparison", "Analysis", "Tree"}
    for one in made.values():
        if hasattr(one, "_repr_html_"):
            assert Reader(one._repr_html_()).text
    task = make_task(Greedy(12.0), 1, words=BAD_WORDS)
    assert HOSTILE.strip()[:20] in Reader(wordpl.sweep([task], 2)[0]._repr_html_()).text
    assert HOSTILE.strip()[:20] in Reader(wordpl.Posterior(BAD_WORDS)._repr_html_()).text
    empty = wordpl.Evaluation(task, np.empty(0, RESULT), {})
    assert "no trials" in Reader(empty._repr_html_()).text


def test_marks_are_told_by_letters_not_by_colours_alone() -> None:
    page = wordpl.Clue.parse(".ic")._repr_html_()
    assert Reader(page).text == ".ic"
    assert page.count("background:") == len(set(re.findall(r"background:(#\w+)", page))) == 3


def test_the_longest_bar_is_that_of_the_most_probable_answer() -> None:
    page = wordpl.Posterior(SMALL, prior=[8, 4, 1, *[0] * (len(SMALL.answers) - 3)])._repr_html_()
    assert re.findall(r"width:([\d.]+)em", page) == ["12.00", "6.00", "1.50"]
    assert [word in Reader(page).text for word in SMALL.answers[:4]] == [True, True, True, False]


def test_a_tree_unfolds_and_is_bounded() -> None:
    small = wordpl.build_tree(SMALL, wordpl.Heuristic())
    read = Reader(small._repr_html_())
    assert read.tags.count("details") >= 1
    assert {path[-1][0] for path in small.paths()} <= set(re.findall(r"\w+", read.text)), "every answer is there"
    assert "more" not in read.text
    part = {code: Node("slate", True) for code in range(40)}
    large = wordpl.Tree(Node("crate", False, {code: Node("haste", True, part) for code in range(242)}))._repr_html_()
    assert len(large) < 100_000
    assert "40 clues more" in Reader(large).text
    assert f"{242 * 41} answers" in large
    nothing = wordpl.Tree(Node("crate", False))
    assert "no answers" in repr(nothing)
    assert "no answers" in nothing._repr_html_()
    node = Node("crate", True)
    for _ in range(2000):
        node = Node("haste", False, {0: node})
    assert Reader(wordpl.Tree(node)._repr_html_()).text.count("haste") < 20


def test_a_comparison_is_a_list_and_a_frame() -> None:
    found = evaluations()
    assert found == list(found)
    assert list(found.frame["win_rate"]) == [one.win_rate for one in found]
    assert list(found.frame["p95_high"]) == [one.percentile_interval(0.95)[1] for one in found]
    assert list(found.frame["epsilon"]) == [10.0, 40.0]
    assert Reader(found._repr_html_()).text.count("Greedy(epsilon=") == 2
