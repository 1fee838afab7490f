"""Generated inputs to all that reads what people type, paste or send: a value, or one line of an error.

`make fuzz` tries 4,000 of each.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import ORIGINAL, SMALL, THREE
from tests.support.small_games import PLAIN
from wordpl import Clue, Setting, Strategy, WordplError, parse_strategy
from wordpl.contest.file_strategy import read_source
from wordpl.limits import Family, load_policy, measure_frontier
from wordpl.model.words import words_from_text
from wordpl.play.grids import epsilon_grid, value_grid
from wordpl.wordle import Heuristic, build_tree, load_tree
from wordpl.wordle.finished import read_finished
from wordpl.wordle.reading import read_any_word, read_turn, read_word
from wordpl.wordle.trees.prove import read_certificate

NASTY = (
    *"\0\n\r\t\x1b\x85\u2028\u202e\ud800\ufeffé\u0301🟩ﬁİ٣{}()[]\"'\\,:=@|#&<> /`!*?",
    *("9" * 400, "1e999", "-1", "nan", "inf", "1e-400", "0x1"),
    *("None", "true", "null", "{}", "[]", "[" * 300, "(" * 300, "a" * 300, "a/" * 1000),
    *("\\u0000", "%s", "{0}", "../", "<script>", "-->", "]]>", "=1+1", " and ", ".py:", "http://", "[::1]", "\x1b[2J"),
)
# What reads, as `readers` has it.
NAMES = ("specs", "clues", "turns", "words", "pasted", "word lists", "grids", "policies", "trees", "certificates",
         "points", "sources")  # fmt: skip


def spec(text: str) -> None:
    made = parse_strategy(text)
    assert isinstance(made, Strategy) and repr(parse_strategy(repr(made))) == repr(made)


def clue(text: str) -> None:
    read = Clue.parse(text)
    assert Clue.parse(str(read)) == read and str(read).isascii()


def turn(text: str) -> None:
    read = read_turn(text, THREE, 5.0)
    assert len(read.guess) == 3 and read.epsilon > 0 and (read.guess in THREE.guesses or "!" in text)


def word(text: str) -> None:
    read = read_any_word(text, SMALL)
    assert read == text.strip().lower() or "!" in text
    assert read_word(text, SMALL) == read and read in SMALL.guess_index


def word_list(text: str) -> None:
    words = words_from_text("pasted", text)
    assert list(words.answers) == sorted(set(words.answers)) and {len(w) for w in words.guesses} == {words.length}
    assert words_from_text("pasted", "\n".join(words.answers)) == words


def grid(text: str) -> None:
    assert epsilon_grid(text) and value_grid("n", text)


def policy(path: Path) -> None:
    read = load_policy(path)
    read.save(path)
    assert load_policy(path) == read


def tree(path: Path) -> None:
    read = load_tree(path)
    read.save(path.with_name("b.json"))
    assert list(load_tree(path.with_name("b.json")).lines()) == list(read.lines())


def points(path: Path) -> None:
    assert measure_frontier([], Setting(THREE), path) == {}


def of_file(read: Callable[[Path], object], path: Path) -> Callable[[str], object]:
    """The reader of a file, of a text."""
    return lambda text: (path.write_bytes(text.encode("utf-8", "surrogatepass")), read(path))


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    """What reads a text, and examples of what it takes."""
    folder = tmp_path_factory.mktemp("files")
    PLAIN.save(folder / "policy.json")
    record = json.loads((folder / "policy.json").read_text())
    measure_frontier([Family("one", "TwoGuess({budget})", (1.0,), (8, 12))], Setting(THREE), folder / "points.jsonl")
    trees = []
    for name, *form in (["a.tree"], ["a.json"], *(["a.txt", form] for form in ("columns", "paths", "maps"))):
        build_tree(THREE, Heuristic()).save(folder / name, *form)
        trees.append((folder / name).read_text())
    specs = ["Greedy(epsilon=10)", "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)", "Fifth()"]
    specs += ["Renyi(epsilon=(2.0, 1),orders=(1,1.5,inf),first_guess='crate')", "mine.py:Mine(a=1)"]
    shared = "Wordle 1,234 3/6*\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
    source = "@dataclass\nclass A(B):\n    x: int = 1\n    def first_move(self): ...\nstrategy = A(3)\n"
    proof = f"# wordpl proof 1; words {THREE.digest}; rule counted; hard 0; best 12\nabc,total,12\nbca,bound,13\n"
    return {
        "specs": (spec, specs),
        "clues": (clue, ["..icc", "00122", "bbygg", "⬛🟨🟩⬛⬛"]),
        "turns": (turn, ["abc=.ic", "bca 012@3.5", "zzz! ..c @ 1e3", "abc=🟩🟨⬛"]),
        "words": (word, [SMALL.answers[0], f" {SMALL.guesses[3].title()}", "zzzzz!"]),
        "pasted": (
            lambda text: read_finished(["crate slink solar"], ORIGINAL, share=text, answer="solar"),
            ["crate ..icc\nslink ci...@2", shared, "crate slink solar"],
        ),
        "word lists": (word_list, ["crate\nhaste\nsalet\n", "abc\nbca\n\ncab", "ÄPFEL\nbirne\n"]),
        "grids": (grid, ["5:50:5", "5,10,inf", "None,200", "(9, 5),8", "a,b", "0.1:0.3:0.1"]),
        "policies": (
            of_file(policy, folder / "policy.json"),
            [json.dumps({name: value for name, value in record.items() if name != "digest"})],
        ),
        "trees": (of_file(tree, folder / "a.tree"), trees),
        "certificates": (of_file(lambda path: read_certificate(path, THREE), folder / "proof.txt"), [proof]),
        "points": (of_file(points, folder / "points.jsonl"), [(folder / "points.jsonl").read_text()]),
        "sources": (
            lambda text: read_source(text.encode("utf-8", "surrogatepass"), "mine.py"),
            ["class Mine: ...\n", source],
        ),
    }


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_any_input_is_read_or_refused_in_a_line(name, readers, data):
    read, examples = readers[name]
    text = data.draw(st.sampled_from(examples))
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.sampled_from([0, 0, 1, 2, 8, 60, len(text)]))
        pieces = st.sampled_from(["", *NASTY, 2 * text[start:end], 30 * text[start:end]]) | st.characters()
        text = text[:start] + data.draw(pieces) + text[end:]
    said = ""
    try:
        read(text)
    except WordplError as error:
        said = str(error) or "\n\n"
    assert len(said.splitlines()) <= 1 and len(said) < 1000 + len(text)  # it may name the file that was named
