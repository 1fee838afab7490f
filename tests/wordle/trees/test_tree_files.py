"""Trees and their files: what they say of themselves, round trips, every way a file can be wrong, and the verifier."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.generators import RULE, small_words
from tests.support.helpers import SIX, SMALL, list_of
from tests.support.oracles import clue_marks, code_of
from tests.support.refusals import refusal
from wordpl import Clue, WordList, WordplError, clue
from wordpl.wordle import Heuristic, Tree, build_tree, load_tree, verify
from wordpl.wordle.trees.names import FORMS
from wordpl.wordle.trees.tree import Node

NAMES = st.sampled_from(["entropy", "expected_size", "parts", "minimax", "greedy"])
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
HEADER = "# wordpl tree 1; rule counted; 3 answers"
FORMATS = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text("utf-8")
DOCUMENTED = FORMATS.partition("## Trees")[2].split("```")[1].splitlines()[1:]  # after the language of the block


@st.composite
def trees(draw: st.DrawFn) -> tuple[Tree, WordList]:
    words = draw(small_words())
    return build_tree(words, Heuristic(draw(NAMES)), rule=draw(RULE)), words


@given(trees())
def test_figures_are_a_plain_count(made):
    tree, words = made
    turns = []
    for answer in words.answers:  # walking down with clues that are worked out by counting
        path: tuple[tuple[str, int], ...] = ()
        while not path or path[-1][0] != answer:
            guess = tree.next_guess(path)
            assert guess is not None
            path = (*path, (guess, code_of(clue_marks(guess, answer, tree.rule))))
        turns.append(len(path))
    assert tree.distribution == Counter(turns)
    assert (tree.total, tree.worst, tree.answers) == (sum(turns), max(turns), len(turns))
    assert tree.mean == sum(turns) / len(turns)
    assert tree.worst_words == sorted(
        word for word, turn in zip(words.answers, turns, strict=True) if turn == max(turns)
    )
    assert tree.summary() == {
        "first": tree.root.guess,
        "rule": tree.rule,
        "answers": len(turns),
        "total": sum(turns),
        "mean": sum(turns) / len(turns),
        "worst": max(turns),
        "distribution": {str(turn): n for turn, n in sorted(Counter(turns).items())},
    }
    assert verify(tree, words) == Counter(turns)


@pytest.mark.heavy
@SAME_FOLDER
@given(made=trees(), name=st.sampled_from(["a.tree", "a.json"]), form=st.sampled_from(sorted(FORMS)))
def test_saved_and_loaded_is_the_same(made, name, form, tmp_path):
    tree, words = made
    tree.save(tmp_path / name, form)
    again = load_tree(tmp_path / name, tree.rule)
    assert list(again.paths()) == list(tree.paths())
    assert again.summary() == tree.summary() and verify(again, words) == tree.distribution
    again.save(tmp_path / f"b{name}", form)
    assert (tmp_path / f"b{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_what_is_shown_of_a_tree():
    first = SMALL.answers[0]
    tree = build_tree(SMALL, Heuristic(), first)
    assert f"{len(SMALL.answers)} answers, total {tree.total}, mean {tree.mean:.5f}, worst {tree.worst}" in repr(tree)
    sizes = Counter(str(clue(first, word, "counted")) for word in SMALL.answers if word != first)
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(<td.*?)</tr>", tree._repr_html_())]
    assert [int(size) for _, size, _ in rows] == sorted(sizes.values(), reverse=True)[:20]
    for cell, size, guess in rows:
        marks = re.sub("<.*?>", "", cell)
        assert (int(size), guess) == (sizes[marks], tree.root.children[Clue.parse(marks).code].guess)


def written(tmp_path: Path, text: str | bytes, name: str = "a.tree") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_the_documented_formats(tmp_path):
    assert DOCUMENTED[0] == HEADER and len(DOCUMENTED) == 4
    tree = load_tree(written(tmp_path, "\n".join(DOCUMENTED)))
    assert (tree.root.guess, tree.rule, tree.distribution) == ("salet", "counted", {1: 1, 3: 1, 4: 1})
    assert (tree.worst, tree.worst_words) == (4, ["whiff"])
    shuffled = "\n".join(["# a remark", DOCUMENTED[3], "", DOCUMENTED[2].upper(), DOCUMENTED[1]])
    loose = load_tree(written(tmp_path, shuffled))
    assert list(loose.lines()) == list(tree.lines())
    assert [loose.next_guess(((word, 0),)) for word in ("salet", "nymph")] == ["courd", None]
    assert loose.next_guess((("salet", 1),)) is None
    coloured = load_tree(written(tmp_path, "salet 00000 courd bbbbb nymph 🟩🟩🟩🟩🟩\nsalet bgbbb whiff ggggg"))
    assert coloured.distribution == {2: 1, 3: 1}
    nested = {"guess": "salet", "next": {"ccccc": None, ".....": {"guess": "nymph", "next": {"ccccc": None}}}}
    tree = load_tree(written(tmp_path, json.dumps({"format": 1, "rule": "letterwise", "tree": nested})))
    assert (tree.rule, tree.distribution) == ("letterwise", {1: 1, 2: 1})
    tree.save(tmp_path / "b.JSON")
    assert json.loads((tmp_path / "b.JSON").read_text()) == {"format": 1, "rule": "letterwise", "tree": nested}


PATHS = """\
salet BBBBB1 courd BBBBB2 nymph BBBBB3 whiff GGGGG4
salet BBBBB1 courd BBBBB2 nymph GGGGG3
salet BBYBB1 courd GBBBB2 cliff GGGGG3
salet GGGGG1
"""
COLUMNS = """\
salet BBBBB1 courd BBBBB2 nymph BBBBB3 whiff GGGGG4
                                GGGGG3
      BBYBB1 courd GBBBB2 cliff GGGGG3
      GGGGG1
"""
MAPS = {
    "guess": "salet",
    "map": {
        "00000": {"guess": "courd", "map": {"00000": {"guess": "nymph", "map": {"00000": "whiff", "22222": "nymph"}}}},
        "00100": {"guess": "courd", "map": {"20000": "cliff"}},
        "22222": "salet",
    },
}
BY_WORD = {
    "SALET": {
        "bbbbb": {"courd": {"BBBBB": {"nymph": {"bbbbb": {"whiff": None}, "ggggg": None}}}},
        "bbybb": {"guess": "courd", "map": {"gbbbb": {"guess": "cliff"}}, "depth": 1},
        "ggggg": "salet",
    }
}
COUNTS = """\
salet ⬜⬜⬜⬜⬜   2  courd ⬜⬜⬜⬜⬜   2  nymph ⬜⬜⬜⬜⬜   1  whiff
salet ⬜⬜⬜⬜⬜   2  courd ⬜⬜⬜⬜⬜   2  nymph
salet ⬜⬜🟨⬜⬜   1  courd 🟩⬜⬜⬜⬜   1  cliff
salet
"""
LISTS = [
    "salet",
    {
        "GGGGG": "salet",
        ".....": ["courd", {".....": ["nymph", {".....": ["whiff"], "GGGGG": "nymph"}]}],
        "..y..": ["courd", {"G....": "cliff"}],
    },
]
PATTERNS = {
    "guess": "SALET",
    "next": [
        {"pattern": [0, 0, 0, 0, 0], "guess": "COURD", "next": [{"pattern": [0] * 5, "guess": "NYMPH", "next": [
            {"pattern": "00000", "guess": "WHIFF"}, {"pattern": [2] * 5, "guess": "NYMPH"}]}]},
        {"pattern": [0, 0, 1, 0, 0], "guess": "COURD", "next": [{"pattern": [2, 0, 0, 0, 0], "guess": "CLIFF"}]},
        {"pattern": [2, 2, 2, 2, 2], "guess": "SALET"},
    ],
}  # fmt: skip


def test_the_forms_of_published_trees(tmp_path):
    forms = {"paths": PATHS, "columns": COLUMNS, "maps": json.dumps(MAPS, indent=1) + "\n"}
    for text in forms.values():
        tree = load_tree(written(tmp_path, text))
        assert tree.distribution == {1: 1, 3: 2, 4: 1} and tree.rule == "counted"
        assert load_tree(written(tmp_path, text), "letterwise").rule == "letterwise"
        for other in forms:
            tree.save(tmp_path / "b.txt", other)
            assert (tmp_path / "b.txt").read_text() == forms[other]
    plain = list(tree.lines())
    lower, indented = COLUMNS.lower(), "".join(f"    {line}\n" for line in COLUMNS.splitlines())
    points = re.sub(r"([BYG]+)\d", lambda clue: f"{Clue.parse(clue[1])} ", COLUMNS).replace("\n", "\r\n")
    module = f"export default {json.dumps(MAPS)};\n"
    lists = f"A solution exists, with salet as the start.\nThe guess tree follows:\n{json.dumps(LISTS, indent=2)}"
    others = json.dumps(BY_WORD), json.dumps(MAPS).upper().replace("MAP", "map"), COUNTS, lists, json.dumps(PATTERNS)
    for text in (lower, indented, points, module, *others):
        text = text.replace('"GUESS"', '"guess"')
        assert list(load_tree(written(tmp_path, text)).lines()) == plain
    assert "unknown form 'column': did you mean 'columns'" in refusal(tree.save, tmp_path / "b.txt", "column")


LINES = "salet ..... courd ccccc\nsalet ....c nymph ccccc\n"
BROKEN = {
    "repeated path": (LINES + "salet ..... courd ccccc\n", "line 3: the path to 'courd' appears twice"),
    "other guess": (LINES + "salet ....c whiff ..... courd ccccc\n", "line 3: 'whiff' stands where"),
    "fewer lines than said": (
        f"{HEADER}\n{LINES}",
        "is truncated or has too many lines: 2 paths, its first line says 3",
    ),
    "two ends": ("salet ccccc courd ccccc\n", "line 1: a path ends with its only all-correct clue"),
    "mixed lengths": ("salet ..... needle cccccc\n", "line 1: clue 'cccccc' has 6 marks"),
    "format to come": (
        HEADER.replace("tree 1", "tree 2") + "\n" + LINES,
        "is a tree of format 2, and this wordpl reads format 1: make it anew, or use the wordpl that made it",
    ),
    "empty": ("", "holds no tree"),
    "blanks that end nowhere": (COLUMNS.replace("\n   ", "\n "), "line 2: its first word is not below a word or clue"),
    "column of a clue with another turn": (
        COLUMNS.replace("GGGGG3", "GGGGG4", 1),
        "line 2: clue 'GGGGG4' has the number of another",
    ),
    "endless path": ("salet ..... " * 3000 + "courd ccccc\n", "too long to be read"),
}
LEAF = {"guess": "salet", "next": {"ccccc": None}}
OURS = {"format": 1, "rule": "counted", "tree": LEAF}
TEXT = json.dumps(MAPS, indent=1)
DEEP = '{"format": 1, "rule": "counted", "tree": ' + '{"guess": "salet", "next": {".....": ' * 100_000
BROKEN_JSON = {
    "format to come": (OURS | {"format": 2}, "is a tree of format 2"),
    "rule of a kind": (OURS | {"rule": [1]}, "not in the documented form"),
    "no tree": (OURS | {"tree": None}, "at the root: a guess or an object with a guess is expected"),
    "guess that is no text": (MAPS | {"guess": 7}, "at the root: an object has no guess that is text"),
    "list without clues": (MAPS | {"map": [LEAF]}, "not in the documented form"),
    "no answers": (OURS | {"tree": LEAF | {"next": {}}}, "holds no path to an answer"),
    "early end": (OURS | {"tree": LEAF | {"next": {"....c": None}}}, "path salet ....c: a path ends with its only"),
    "same clue": (OURS | {"tree": LEAF | {"next": {"ccccc": None, "22222": None}}}, "path salet 22222: the path to"),
    "cut short": (TEXT[:150], "line 10: the file is cut short or not in the documented form"),
    "without end": (DEEP + "null" + "}}" * 100_000 + "}", "the file is cut short or not in the documented form"),
    "no clue": (TEXT.replace('"20000"', '"2000"'), "path salet 00100 courd 2000 cliff 22222: clue '2000' has 4 marks"),
    "another word": (TEXT.replace('"nymph"\n', '"nympho"\n'), "path salet 00000 courd 00000 nymph 22222 nympho"),
}
FAULTS = BROKEN | {
    f"JSON, {name}": (given if isinstance(given, str) else json.dumps(given), re.escape(message))
    for name, (given, message) in BROKEN_JSON.items()
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS)
def test_what_is_no_tree_is_refused_with_its_place(text, message, tmp_path):
    with pytest.raises(WordplError, match=message):
        load_tree(written(tmp_path, text))


WORDS = list_of("w", ("crane", "slate", "trace", "crate"), ("salet", "nymph"))
GOOD = build_tree(WORDS, Heuristic(), first="crane")


def broken(word: str, **fields) -> Tree:
    """The good tree with other fields where `word` is guessed."""

    def changed(node: Node) -> Node:
        node = replace(node, children={code: changed(child) for code, child in node.children.items()})
        return replace(node, **fields) if node.guess == word else node

    return Tree(changed(GOOD.root), GOOD.rule)


UNUSED = {int(clue("crane", "nymph", "counted")): Node("nymph", True)}
SWAPPED = dict(zip(GOOD.root.children, reversed(GOOD.root.children.values()), strict=True))


@pytest.mark.parametrize(
    ("guess", "fields", "said"),
    [
        ("crane", {"children": {}}, "misses the answer 'crate': after crane ccc.c it has no guess"),
        ("slate", {"wins": False}, "has no path to the answer 'slate'"),
        ("slate", {"guess": "zzzzz"}, "guesses 'zzzzz' for answer 'slate', which is not in the list"),
        ("crane", {"children": GOOD.root.children | UNUSED}, "has 5 paths, w has 4 answers"),
        ("crane", {"children": SWAPPED}, r"'crate'|'slate'|'trace'"),
    ],
)
def test_what_is_wrong_with_a_tree_is_named(guess, fields, said):
    with pytest.raises(WordplError, match=said):
        verify(broken(guess, **fields), WORDS)


def test_a_list_the_tree_was_not_made_for():
    assert "for words of 5 letters, six has 6" in refusal(verify, GOOD, SIX)
    fewer = list_of("fewer", WORDS.answers[:3], WORDS.guesses)
    assert "has 4 paths, fewer has 3 answers: it is for another list" in refusal(verify, GOOD, fewer)
    assert "the answer 'nymph'" in refusal(verify, GOOD, list_of("more", (*WORDS.answers, "nymph"), WORDS.guesses))
    with pytest.raises(WordplError, match=r"guesses 'crane' for answer .* not in the list"):
        verify(GOOD, list_of("other", ("slate", "trace"), ("nymph",)))
