"""JSON: what each command prints is valid by its schema, and `docs/reference/json.md` shows the schemas."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import wordpl
from docs._records import COMMANDS, json_schemas, json_tables
from tests.cli.conftest import Cli, Run
from tests.cli.test_help import LEAVES
from tests.contest.test_ledger import enter, finish
from tests.helpers import ASKS_ONCE, SMALL
from wordpl import Trusted
from wordpl.contest.ledger.entries import Credit
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.uploads.queue import Queue, Upload


def asks_once(word: str) -> bytes:
    return ASKS_ONCE.replace(b"crate", word.encode())


@cache
def schemas_and_types() -> Any:
    return json_schemas()


def validator(name: str) -> Any:
    schemas, types = schemas_and_types()
    return Draft202012Validator({**schemas[name], "$defs": types})


def strictly(text: str) -> Any:
    """Read JSON; NaN and Infinity are no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def valid(name: str, text: str) -> Any:
    found = strictly(text)
    faults = [f"{fault.json_path}: {fault.message}" for fault in validator(name).iter_errors(found)]
    assert not faults
    return found


TREE = "tree build, optimal, prove and check"
Checked = Callable[..., Any]


@pytest.fixture
def checked(cli: Cli, tmp_path: Path) -> Checked:
    """Runs a command with --json and returns its value, which its schema allows."""
    words = tmp_path / "words.txt"
    words.write_text("\n".join(SMALL.answers))

    def run(*arguments: str, words: bool = True, code: int = 0) -> Any:
        name = " ".join(arguments[:2]) if arguments[0] == "serve" else arguments[0]
        name = TREE if name == "tree" else name
        done: Run = cli(*arguments, *(("--answers", "words.txt") if words else ()), "--json")
        assert done.code == code, done.err
        return valid(name, done.out)

    return run


def test_every_schema_is_one_and_allows_nothing_else() -> None:
    schemas, types = schemas_and_types()
    Draft202012Validator.check_schema({"$defs": {**types, **schemas}})
    one = {"guess": "crate", "answer": "haste", "rule": "letterwise", "clue": "..icc", "code": 17}
    assert not list(validator("clue").iter_errors(one))
    for wrong in ({**one, "more": 1}, {**one, "code": "17"}, {key: one[key] for key in one if key != "clue"}):
        assert list(validator("clue").iter_errors(wrong))


def test_the_page_explains_every_key() -> None:
    _, types = schemas_and_types()
    assert "| `win_rate_interval` | list of 2, each number | Wilson interval |" in json_tables()
    bare = {name for name, schema in types.items() for key in schema["properties"].values() if "description" not in key}
    assert bare <= {"Totals", "RateWithin", "Finding", "Credit", "Limits", "StopRule"}


def test_small_questions(checked: Checked) -> None:
    checked("clue", "crate", "haste", words=False)
    checked("list", words=False)
    checked("doctor", words=False)
    for options in (["--epsilon", "12.3"], [], ["--after", f"{SMALL.answers[0]}=.....@5"]):
        checked("entropy", SMALL.answers[0], *options)
        checked("rank", "--count", "2", *options)
    for criterion in ("renyi", "parts", "largest_part"):
        found = checked("rank", "--criterion", criterion)
        assert criterion in found["guesses"][0]
    assert found["epsilon"] == "inf"


def test_scores(checked: Checked, cli: Cli) -> None:
    run = ["--trials", "4", "--jobs", "1"]
    lost = checked("score", "NGuess(n_guesses=1, epsilon=0.1)", *run)
    assert (lost["epsilon"], lost["p50"], lost["mean_budget"]) == (0.1, None, 0.1)
    free = checked("score", "Greedy(epsilon=inf)", *run)
    assert (free["epsilon"], free["noiseless"], free["mean_budget"], free["wins"]) == ("inf", True, "inf", 4)
    assert free["p50"] is None
    none = checked("score", "Fifth()", "--trials", "1", "--jobs", "1", words=False)
    assert none["epsilon"] is None
    swept = checked("sweep", "NGuess(n_guesses=1)", "Greedy", "--epsilon", "5,20,inf", "--out", "s.sqlite", *run)
    stored = checked("results", "s.sqlite", words=False)
    by_task = {one["task"]: one for one in stored}
    assert [by_task[one["task"]] for one in swept] == swept, "the file says what the sweep has said"
    assert {one["epsilon"] for one in stored} == {5.0, 20.0, "inf"}
    assert cli("results", "s.sqlite", "--out", "t.json", "--timings").code == 0
    rows = valid("results --out TABLE.json", Path("t.json").read_text())
    assert {row["noiseless"] for row in rows} == {True, False}
    assert {row["budget"] for row in rows if row["noiseless"] and row["asks"]} == {"inf"}
    assert valid(
        "results --out TABLE.json", (cli("results", "s.sqlite", "--out", "u.json"), Path("u.json").read_text())[1]
    )
    assert cli("results", "s.sqlite", "--match", "nothing", "--json").out == "[]\n"
    (run,) = valid("results --provenance", cli("results", "s.sqlite", "--provenance", "--json").out)
    assert run["command"].startswith("wordpl sweep 'NGuess(n_guesses=1)' Greedy --epsilon 5,20,inf --out s.sqlite")
    assert {(one["task"], one["trials"]) for one in run["added"]} == {(one["task"], 4) for one in stored}
    assert (run["trials"], run["study"]) == (4 * len(stored), None)


def test_comparisons(checked: Checked) -> None:
    run = ["--trials", "30", "--jobs", "1"]
    found = checked("compare", "NGuess(n_guesses=1)", "Greedy", "Greedy(20)", "-e", "5,inf", "--out", "s.sqlite", *run)
    assert {one["first"]["epsilon"] for one in found["pairs"]} == {5.0, "inf"}
    differences = [one["difference"] for pair in found["pairs"] for one in pair["differences"]]
    assert None in differences and "inf" in differences
    assert found["corrected_for"] == 24
    stored = checked("compare", "--results", "s.sqlite", "NGuess", "epsilon=20", "--until-settled", words=False)
    assert [one["trials"] for one in stored["pairs"]] == [30, 30]


def test_watched_games(checked: Checked, cli: Cli) -> None:
    game = ["--trial", "1"]
    assert "differences" not in checked("watch", "NGuess(1, 9)", *game)
    free = checked("watch", "Greedy(epsilon=inf)", *game)
    assert (free["budget"], free["moves"][0]["epsilon"], free["moves"][-1]["epsilon"]) == ("inf", "inf", None)
    cli("score", "NGuess(1, 9)", "--trials", "2", "--jobs", "1", "--answers", "words.txt", "--out", "s.sqlite")
    assert checked("watch", "NGuess(1, 9)", *game, "--results", "s.sqlite")["differences"] == []


@pytest.mark.heavy
def test_win_rates(checked: Checked) -> None:
    checked("win-rate", "NGuess(1, 9)", "--jobs", "1")
    assert len(checked("win-rate", "NGuess(1, 9)", "NGuess(1, 12)", "--jobs", "1")) == 2
    checked("win-rate", "NGuess(1, 9)", "--sample", "--standard-error", "0.05", "--jobs", "1")


def test_help_for_players(checked: Checked) -> None:
    word, other = SMALL.answers[0], SMALL.answers[1]
    checked("solve", f"{word}=.....")
    noisy = checked("solve", f"{word}=.....@13")
    assert (noisy["epsilon"], noisy["clues"][0]["epsilon"]) == ("inf", 13.0)
    checked("solve", f"{word}=ccccc")
    lying = checked("solve", "--lies", "1", f"{word}=.....", "--game", "wordle:3")
    assert (lying["game"]["channel"], lying["game"]["rows_left"], lying["game"]["ranked_by"]) == (
        "fibble", 2, "expected_top",
    )  # fmt: skip
    checked("solve", "--lies", "1", f"{word}=.....", f"{word}=ccccc", code=1)
    wrong = checked("solve", f"{word}=.....", f"{word}=c....", code=1)
    assert "contradiction" in wrong
    checked("analyze", other, word, "--answer", word)
    checked("analyze", word, "--answer", word)
    checked("analyze", "--lies", "2", f"{word}=.....", f"{other}=i....")
    checked("analyze", f"{word}=.....@9", f"{other}=.....@inf")


@pytest.mark.heavy
def test_trees(checked: Checked) -> None:
    assert checked("tree", "build", "--out", "tree.json")["proven"] is None
    checked("tree", "check", "tree.json")
    assert checked("tree", "optimal")["feasible"] is True
    assert "total" not in checked("tree", "optimal", "--worst", "1", code=1)
    checked("tree", "prove", "--jobs", "1", "--certificate", "proof.txt")


@pytest.mark.heavy
def test_frontier(checked: Checked) -> None:
    options = ["--family", "1 clue", "--no-bound", "--jobs", "1", "--points", "p.jsonl", "-o", "f.csv", "-o", "f.png"]
    curves = checked("frontier", *options, words=False)
    assert list(curves) == ["1 clue", "best"] and curves["1 clue"] == curves["best"]
    assert math.isclose(curves["best"][4], 17.8, abs_tol=0.1)  # TwoGuess wins 5.02% at 17.9
    assert curves["best"][9] is None
    assert Path("f.csv").read_text().startswith("win_rate,1 clue,best\n")
    assert Path("f.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.heavy
def test_submissions(checked: Checked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_bytes(asks_once(SMALL.answers[0]))
    assert checked("try", "mine.py", "--trusted", "--trials", "3", "--jobs", "1")["ranked"] is False
    checked("check", "mine.py", "--trusted", "--games", "2")
    monkeypatch.setattr(wordpl, "launcher", Trusted)
    monkeypatch.setattr(wordpl, "play_entry", lambda book, entry, *given, **named: finish(book, entry))
    submitted = ["mine.py", "--name", "Mine", "--max-trials", "1001", "--ledger", "l.sqlite"]
    entry = checked("submit", *submitted)
    assert checked("leaderboard", "--ledger", "l.sqlite", words=False) == [entry]
    audited = checked("audit", "--ledger", "l.sqlite", code=1)
    assert audited["entries"][0]["faults"], "these trials are made up"


def test_boards(checked: Checked, tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite") as ledger:
        finish(ledger, enter(ledger, "Flagged"), raised=True)
    (flagged,) = checked("leaderboard", "--ledger", "l.sqlite", words=False)
    assert flagged["flag"]["raised"] is True
    assert flagged["ranked"] is False
    with Ledger(tmp_path / "r.sqlite") as ledger:
        enter(ledger, "Running")
    (running,) = checked("leaderboard", "--ledger", "r.sqlite", words=False)
    assert "trials" not in running
    assert running["seed"] is None
    assert checked("audit", "--ledger", "r.sqlite")["ledger"] == []


def test_uploads(checked: Checked, tmp_path: Path) -> None:
    with Queue(tmp_path / "l.sqlite") as queue:
        token = queue.tokens.make("Ann")
        content = asks_once(SMALL.answers[0])
        queue.enqueue(token, Upload("mine.py", content, credit=Credit("Ann", "https://example.org")))
        queue.tokens.make("Bob")
        queue.tokens.revoke("Bob")
    ann, bob = checked("serve", "tokens", "--ledger", "l.sqlite", words=False)
    assert (ann["uploads"], ann["revoked"], bob["uploads"]) == (1, None, 0)
    assert bob["revoked"] is not None
    (waiting,) = checked("serve", "uploads", "--ledger", "l.sqlite", words=False)
    assert (waiting["file"], waiting["state"], waiting["entry"]) == ("mine.py", "waiting", None)


def test_every_command_with_json_is_checked() -> None:
    with_json = {" ".join(path) for path, one in LEAVES.items() if any("--json" in p.opts for p in one.params)}
    runs = re.findall(r'checked\("([a-z-]+)"(?:, "([a-z]+)")?', Path(__file__).read_text("utf-8"))
    assert with_json == {f"{name} {second}" if name in ("tree", "serve") else name for name, second in runs}
    commands = {TREE if name.startswith("tree") else name for name in with_json}
    assert set(COMMANDS) == commands | {"results --out TABLE.json", "results --provenance"}
