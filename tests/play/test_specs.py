"""Specs and grids: parsed, never evaluated; names found, not listed; files of the user's own."""

import math
from decimal import Decimal
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordpl
from tests.support.helpers import SMALL
from tests.support.refusals import refusal
from wordpl import library, parse_spec, parse_strategy
from wordpl.contest import file_strategy
from wordpl.play.grids import epsilon_grid, value_grid
from wordpl.play.specs import strategy_classes


@pytest.mark.parametrize("name", ["a", "z"])
def test_a_class_that_a_module_imports_is_none_of_its_strategies(name):
    module = ModuleType(name)
    module.Imported, module.Own = library.Greedy, type("Own", (library.Greedy,), {"__module__": name})
    module._Own = type("_Own", (library.Greedy,), {"__module__": name})
    module.Unfinished = type("Unfinished", (wordpl.HistoryStrategy,), {"__module__": name})  # it decides nothing
    assert strategy_classes(module) == {"Own": module.Own}


@pytest.mark.parametrize("value", ["open('{}', 'w')", "(lambda: open('{}', 'w'))()", 'f\'{{open("{}", "w")}}\''])
@pytest.mark.parametrize("call", ["Greedy(epsilon={})", "Greedy({})", "Greedy(10, first_guess={})"])
def test_nothing_is_evaluated(tmp_path, call, value):
    refusal(parse_strategy, call.format(value.format(tmp_path / "marker")))
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("__import__('os').system('true')", "is not a strategy"),
        ("Greedy(epsilon=" + "9" * 2000 + ")", "at most 1000 characters"),
        ("Gredy(epsilon=1)", "unknown strategy 'Gredy': did you mean 'Greedy'?"),
        ("Greedy(epsilom=1)", "no parameter 'epsilom': did you mean 'epsilon'?"),
        ("Greedy(1, 2, 0.5, 'crate', 5)", "at most 4 parameters: epsilon, n_guesses, certainty, first_guess"),
        ("Greedy(1, epsilon=2)", "'epsilon' is given twice"),
        ("NGuess(epsilon=24, G=3)", "G=3 of the contest is n_guesses=2 here"),
        ("MaxClueEntropy(7.8, 3)", "write MaxClueEntropy(3, 7.8) for MaxClueEntropy(7.8, 3)"),
        ("MaxClueEntropy(3, 13, hard_mode=True)", "hard_mode=True of the contest is guesses='answers' here"),
        ("NGuess(7.8, 3)", "NGuess takes the number of clues first; write NGuess(2, 7.8)"),
        ("MaxClueEntropy(3, epsilon_per_guess=13.0)", "epsilon_per_guess=13.0 of the contest is epsilon=13.0 here"),
        ("Greedy()", "Greedy needs epsilon: write Greedy(epsilon=...)"),
        ("Renyi((5, 4), orders=0)", "orders 0 is not allowed; one order for each clue"),
        ("Greedy(**{'epsilon': 1})", "** is not allowed"),
        ("Greedy(1, *[1])", "of 'argument 2' is not a literal"),
        ("Greedy((5, -1e999))", "of 'argument 1' has a number that is too large"),
        *((f"Greedy({nest})", "") for nest in ("(" * 450 + "1" + ")" * 450, "-" * 900 + "1", "[" * 400 + "]" * 400)),
        ("Greedy(1" + "+1" * 450 + ")", ""),
        *((text, "") for text in ("a" * 300, "a/" * 1000, "mi\x1dne.py:Mine()")),
    ],
    ids=range(23),
)
def test_refusals(text, reason):
    assert reason in refusal(parse_strategy, text)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "NGuess(24, 3)",
            ["24 clues at epsilon 3; the contest writes epsilon first, and its NGuess(24, 3) is NGuess(2, 24)"],
        ),
        ("MaxClueEntropy(13, 3)", ["13 clues at epsilon 3; the contest reads it so, too"]),
        *((text, []) for text in ("NGuess(n_guesses=24, epsilon=3)", "NGuess(10, 3)", "NGuess(24, 11)", "G3(12, 3)")),
    ],
)  # fmt: skip
def test_a_call_in_the_order_of_the_contest_is_noted(text, notes, caplog):
    strategy = parse_strategy(text)
    assert len(caplog.messages) == len(notes) and all(map(str.__contains__, caplog.messages, notes))
    if notes:
        assert (strategy.n_guesses, strategy.epsilon) == (int(text.partition("(")[2][:2]), 3.0)


def test_the_epsilon_is_a_literal_or_that_of_a_sweep():
    texts = {"Greedy(inf)": math.inf, " Greedy( epsilon = infinity ) ": math.inf, "Greedy((5, inf))": (5.0, math.inf)}
    for text, epsilon in (texts | {"Greedy(+5)": 5.0}).items():
        assert parse_strategy(text).epsilon == epsilon
    for text in ("Greedy", "Greedy()", "Greedy(certainty=0.5)"):
        spec = parse_spec(text)
        assert "epsilon" in spec.open_parameters
        assert spec.build(epsilon=7).epsilon == 7.0
    assert "epsilon" not in parse_spec("Greedy(1)").open_parameters
    assert "epsilon" not in parse_spec("Greedy(epsilon=1)").open_parameters


OURS = """
from dataclasses import dataclass
import wordpl

@dataclass(frozen=True, repr=False)
class Mine(wordpl.HistoryStrategy):
    epsilon: float = 5.0

    def decide(self, setting, history):
        return wordpl.Answer({word!r}) if history else wordpl.Ask({word!r}, self.epsilon)

class _Hidden: pass
"""
WORD = SMALL.answers[4]


def test_a_strategy_from_a_file(tmp_path, monkeypatch, caplog):
    """It is read once: what is run is what was looked at, whatever happens to the file in between. It is not taken for
    one of the contest, whatever its name and its parameters are."""
    path, reads, read = tmp_path / "my strategies.py", [], file_strategy.read_file
    path.write_text(OURS.format(word=WORD))
    monkeypatch.setattr(file_strategy, "read_file", lambda *given: reads.append(given) or read(*given))
    strategy = parse_strategy(f"{path}:Mine(epsilon=6.5)")
    assert len(reads) == 1 and isinstance(strategy, wordpl.Strategy)
    assert strategy.label == "my strategies.py:Mine(epsilon=6.5)"
    assert strategy.family == "my strategies.py:Mine()"
    assert strategy.identity.startswith(f"{strategy.label}#")
    assert str(wordpl.make_task(strategy, words=SMALL)) == strategy.label
    played = wordpl.evaluate(strategy, 60, words=SMALL).frame
    assert (set(played["budget"]), set(played["proposed"])) == ({6.5}, {WORD})
    named = OURS.replace("Mine", "NGuess").replace("epsilon: float", "n_guesses: float = 1\n    epsilon: float")
    path.write_text(named.format(word=WORD))
    assert [parse_strategy(f"{path}:NGuess({first}, 3)").epsilon for first in (24, 7.8)] == [3, 3]
    said = "NGuess has no parameter 'G': choose from epsilon, n_guesses"
    assert refusal(parse_strategy, f"{path}:NGuess(G=3)") == said and caplog.messages == []


def test_bad_files_and_errors_in_their_constructors(tmp_path):
    (tmp_path / "beside.py").touch()
    for number, (content, reason) in enumerate(
        (
            ("import wordpl, beside", f"No module named 'beside'; put PYTHONPATH={tmp_path} before the command"),
            ("import wordpl, sys; sys.exit('no\\nway')", "cannot be imported: SystemExit: no way"),
            ("import wordpl", "defines no strategy"),
            ("import wordpl\nclass Mine:\n first_move = next_move = print", "unknown strategy 'Other'"),
        )
    ):
        (tmp_path / f"bad{number}.py").write_text(content)
        assert reason in refusal(parse_strategy, f"{tmp_path}/bad{number}.py:Other()")
    path = tmp_path / "mine.py"
    body = "def __init__(self, n): raise SystemExit(n)\n def first_move(self): 0\n next_move = first_move"
    path.write_text(f"class Mine:\n {body}\nimport wordpl\nclass Ours(Mine, wordpl.HistoryStrategy): decide = print\n")
    with pytest.raises(wordpl.WordplError, match=r"mine.py:Mine\(n=0\) cannot be started: mine.py:2: SystemExit: 0"):
        wordpl.evaluate(parse_strategy(f"{path}:Mine(0)"), 1, words=SMALL)
    assert "Ours cannot be made: SystemExit: 0" in refusal(parse_strategy, f"{path}:Ours(0)")
    assert "Mine needs n" in refusal(parse_strategy, f"{path}:Mine")
    assert "Mine has no parameter 'm'" in refusal(parse_strategy, f"{path}:Mine(1, m=2)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5:10:5, 50 ,inf,5", (5.0, 10.0, 50.0, math.inf)), ("7", (7.0,))],
)
def test_epsilons(text, expected):
    assert repr(epsilon_grid(text)) == repr(expected)
    for below in ("0", "-1", "0:10:5", "5,-inf"):
        assert "not above 0" in refusal(epsilon_grid, below)


@given(st.integers(1, 50), st.integers(0, 40), st.integers(1, 9), st.integers(0, 14))
def test_a_grid_holds_every_step_and_both_ends(start, steps, step, digits):
    """Against decimal arithmetic, which does not round."""
    unit = Decimal(10) ** -digits
    exact = [(start + i * step) * unit for i in range(steps + 1)]
    text = f"{exact[0]}:{exact[-1]}:{step * unit}"
    assert epsilon_grid(text) == tuple(map(float, exact))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2:4:1", (2, 3, 4)),
        ("2:4:1.0", (2.0, 3.0, 4.0)),
        ("1,1.0", (1, 1.0)),
        ("None,200", (None, 200)),
        ("'salet', \"crate\"", ("salet", "crate")),
        ("(9, 5), (8, inf)", ((9, 5), (8, math.inf))),
        ("[1, [2]], 3", ([1, [2]], 3)),
        ("'5:10:5'", ("5:10:5",)),
    ],
)
def test_values_of_other_parameters(text, expected):
    assert repr(value_grid("n", text)) == repr(value_grid("candidates", text)) == repr(expected)
    # A grid of names needs no quotes, which a shell takes away.
    assert value_grid("tree", "optimal,a/b-2.txt") == ("optimal", "a/b-2.txt")
    assert value_grid("first_guess", "None, salet") == (None, "salet")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5:50", "FIRST:LAST:STEP"),
        ("50:5:5", "FIRST <= LAST"),
        ("5:50:0", "STEP above 0"),
        ("5:50:inf", "FIRST:LAST:STEP"),
        ("5:inf:5", "FIRST:LAST:STEP"),
        ("1:10001:1", "has 10001 values; at most 10000"),
        (f"1:{'9' * 400}:1", "too large"),
    ],
)
def test_wrong_grids_are_told_in_a_line(text, said):
    for other in ("a:b", "salet,", "", " ", "open('x')", "x=1", "1,x=2", "1)+(2"):
        assert "not a grid of first_guess" in refusal(value_grid, "first_guess", other)
    assert said in refusal(value_grid, "n_guesses", text)
    assert said in refusal(epsilon_grid, text)
    assert len(epsilon_grid("1:10000:1")) == 10_000
