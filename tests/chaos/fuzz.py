"""Generated inputs to all that reads what people type, paste or send: a value, or one line of an error.

An input follows from the seed, the name of the reader and its number, so a run can go on where it was stopped, and a
fault can be read again.
"""

import atexit
import json
import random
import shutil
import signal
import string
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.helpers import ORIGINAL, THREE
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

SECONDS = 20.0
"""CPU time that no input may take."""
_LONGEST_ERROR = 2000
_NASTY = (
    *"\0\n\r\t\x1b\x85\u2028\u202e\ud800\ufeffé\u0301🟩ﬁİ٣{}()[]\"'\\,:=@|#&<> /`!*?",
    *("9" * 400, "1e999", "-1", "nan", "inf", "1e-400", "0x1"),
    *("None", "true", "null", "{}", "[]", "[" * 300, "(" * 300),
    *("\\u0000", "%s", "{0}", "../", "<script>", "-->", "]]>", "=1+1", " and ", ".py:", "http://", "[::1]", "\x1b[2J"),
)


def generated(rng: random.Random, examples: Sequence[str]) -> str:
    """An example with some of it changed."""
    text = rng.choice(examples)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        start, other = rng.randrange(len(text) + 1), rng.choice(examples)
        end = min(len(text), start + rng.choice((0, 0, 1, 1, 2, 8, 60, len(text))))
        cut = rng.randrange(len(other) + 1)
        pieces = (
            "",
            rng.choice(_NASTY),
            text[start:end] * rng.choice((2, 2, 30)),
            other[cut : cut + rng.choice((1, 9))],
        )
        letters = (chr(rng.randrange(128)), chr(rng.randrange(0x110000)), rng.choice(string.printable))
        text = text[:start] + rng.choice((*pieces, *letters)) + text[end:]
    return text


# Readers. Each takes a text and raises WordplError for one that it refuses; it asserts what holds for all others.


@cache
def _file(name: str) -> Path:
    folder = tempfile.mkdtemp(prefix="wordpl-fuzz-")
    atexit.register(shutil.rmtree, folder)
    return Path(folder) / name


def _written(name: str, text: str) -> Path:
    _file(name).write_bytes(text.encode("utf-8", "surrogatepass"))
    return _file(name)


def _spec(text: str) -> None:
    made = parse_strategy(text)
    assert isinstance(made, Strategy) and repr(parse_strategy(repr(made))) == repr(made)


def _clue(text: str) -> None:
    clue = Clue.parse(text)
    assert Clue.parse(str(clue)) == clue and str(clue).isascii()


def _turn(text: str) -> None:
    turn = read_turn(text, THREE, 5.0)
    assert len(turn.guess) == 3 and turn.epsilon > 0 and (turn.guess in THREE.guesses or "!" in text)


def _word(text: str) -> None:
    word = read_any_word(text, ORIGINAL)
    assert word == text.strip().lower() or "!" in text
    assert read_word(text, ORIGINAL) == word and word in ORIGINAL.guess_index


def _word_list(text: str) -> None:
    words = words_from_text("pasted", text)
    assert list(words.answers) == sorted(set(words.answers)) and {len(w) for w in words.guesses} == {words.length}
    assert words_from_text("pasted", "\n".join(words.answers)) == words


def _grid(text: str) -> None:
    for read in (epsilon_grid, lambda text: value_grid("n", text)):
        values = read(text)
        assert values


def _policy(text: str) -> None:
    policy = load_policy(_written("policy.json", text))
    policy.save(_file("policy.json"))
    assert load_policy(_file("policy.json")) == policy


def _tree(text: str) -> None:
    tree = load_tree(_written("a.tree", text))
    tree.save(_file("b.json"))
    assert list(load_tree(_file("b.json")).lines()) == list(tree.lines())


def _points(text: str) -> None:
    assert measure_frontier([], Setting(THREE), _written("points.jsonl", text)) == {}


@dataclass(frozen=True)
class Reader:
    """What reads a text, and examples of what it takes."""

    read: Callable[[str], object]
    examples: Callable[[], Sequence[str]]


def _policy_texts() -> list[str]:
    PLAIN.save(_file("policy.json"))
    record = json.loads(_file("policy.json").read_text())
    return [json.dumps({name: value for name, value in record.items() if name != "digest"})]


def _tree_texts() -> list[str]:
    tree, found = build_tree(THREE, Heuristic()), []
    for name, *form in (["a.tree"], ["a.json"], *(["a.txt", form] for form in ("columns", "paths", "maps"))):
        tree.save(_file(name), *form)
        found.append(_file(name).read_text())
    return found


def _points_texts() -> list[str]:
    path = _file("points.jsonl")
    measure_frontier([Family("one", "TwoGuess({budget})", (1.0,), (8, 12))], Setting(THREE), path)
    return [path.read_text()]


_PROOF = f"# wordpl proof 1; words {THREE.digest}; rule counted; hard 0; best 12\nabc,total,12\nbca,bound,13\n"
_SPECS = (
    "Greedy(epsilon=10)",
    "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)",
    "Renyi(epsilon=(2.0, 1),orders=(1,1.5,inf),first_guess='crate')",
    "Fifth()",
    "mine.py:Mine(a=1)",
)
_SHARED = "Wordle 1,234 3/6*\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
_SOURCE = "@dataclass\nclass A(B):\n    x: int = 1\n    def first_move(self): ...\nstrategy = A(3)\n"


def _sources(text: str) -> None:
    read_source(text.encode("utf-8", "surrogatepass"), "mine.py")


def _pasted(text: str) -> None:
    read_finished(["crate slink solar"], ORIGINAL, share=text, answer="solar")


READERS = {
    "specs": Reader(_spec, lambda: _SPECS),
    "clues": Reader(_clue, lambda: ("..icc", "00122", "bbygg", "⬛🟨🟩⬛⬛")),
    "turns": Reader(_turn, lambda: ("abc=.ic", "bca 012@3.5", "zzz! ..c @ 1e3", "abc=🟩🟨⬛")),
    "words": Reader(_word, lambda: ("crate", " Haste", "zzzzz!")),
    "pasted": Reader(_pasted, lambda: ("crate ..icc\nslink ci...@2", _SHARED, "crate slink solar")),
    "word lists": Reader(_word_list, lambda: ("crate\nhaste\nsalet\n", "abc\nbca\n\ncab", "ÄPFEL\nbirne\n")),
    "grids": Reader(_grid, lambda: ("5:50:5", "5,10,inf", "None,200", "(9, 5),8", "a,b", "0.1:0.3:0.1")),
    "policies": Reader(_policy, _policy_texts),
    "trees": Reader(_tree, _tree_texts),
    "certificates": Reader(lambda text: read_certificate(_written("proof.txt", text), THREE), lambda: (_PROOF,)),
    "points": Reader(_points, _points_texts),
    "sources": Reader(_sources, lambda: ("class Mine: ...\n", _SOURCE)),
}
FAULTS = (("specs", "a" * 300), ("specs", "a/" * 1000), ("specs", "mi\x1dne.py:Mine()"))
"""Inputs that were faults once: the reader and the text."""


def fault(name: str, text: str) -> str:
    """What is wrong with how a reader takes a text; empty if nothing is."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} s of CPU")

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        READERS[name].read(text)
    except WordplError as error:
        line = str(error)
        return (
            "" if line and len(line.splitlines()) == 1 and len(line) < _LONGEST_ERROR else f"{name} {text!r}: {line!r}"
        )
    except Exception:
        return f"{name} {text!r}: {traceback.format_exc(limit=-3)}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return ""


def faults(name: str, count: int, seed: int, first: int = 0) -> list[str]:
    """What is wrong with `count` inputs from number `first` on."""
    examples = READERS[name].examples()
    draws = (random.Random(f"{seed} {name} {number}") for number in range(first, first + count))
    return [line for rng in draws if (line := fault(name, generated(rng, examples)))]
