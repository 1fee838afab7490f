"""`wordpl watch`: the games of `score`, with a sandbox or without, and of a results file, on the screen and as JSON."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

import wordpl
from tests.cli.conftest import refused
from tests.support.submissions import SUBMISSION

play = wordpl.watch


@pytest.mark.heavy
def test_a_submission_is_watched_by_its_file(cli, tmp_path):
    (tmp_path / "mine.py").write_text(SUBMISSION)
    given = ["mine.py:Mine(epsilon=12)", "--trial", "4", "--seed", "3"]
    record = json.loads(cli("watch", *given, "--json").out)
    assert record["seed"] == "3" and record["trial"] == 4
    assert {move["epsilon"] for move in record["moves"]} <= {12.0, None}
    shown = cli("watch", *given).out
    assert "    | loading\n" in shown and "    | first\n" in shown and "    | seen " in shown


# A strategy of the library


def test_the_moves_on_the_screen_in_plain_signs(cli):
    run = cli("watch", "TwoGuess(9)", "--trial", "1", "-k", "2")
    assert (run.code, run.err) == (0, "")
    lines = run.out.splitlines()
    assert lines[0] == "TwoGuess(epsilon=9.0): trial 1 of seed 1"
    noisy, true = lines[4].split()[-1], lines[5].split()[-1]
    flipped = [i for i in range(5) if noisy[i] != true[i]]
    assert [(at - 11) / 3 for at, sign in enumerate(lines[6]) if sign == "^"] == flipped != []
    assert max(map(len, lines)) <= 80 and "\x1b" not in run.out


@pytest.mark.heavy
def test_words_rule_and_channel_are_those_of_score(cli):
    options = ["--words", "nyt2022", "--rule", "counted", "--seed", "9"]
    record = json.loads(cli("watch", "TwoGuess(12)", "--trial", "2", *options, "--json").out)
    cli("score", "TwoGuess(12)", *options, "-n", "3", "-j", "1", "-o", "r.sqlite")
    with closing(sqlite3.connect("r.sqlite")) as file, file:
        row = file.execute("SELECT answer, proposed, verdict, budget, turns FROM trials WHERE trial = 2").fetchone()
    assert row == tuple(record[name] for name in ("answer", "proposed", "verdict", "budget", "turns"))
    # The game of a results file needs none of them.
    stored = ["watch", "TwoGuess(12)", "--trial", "2", "--results", "r.sqlite"]
    run = cli(*stored)
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[-1] == "This is the game in r.sqlite."
    assert json.loads(cli(*stored, "--json").out)["differences"] == []


@pytest.mark.heavy
def test_the_first_game_that_was_lost(cli):
    lost = wordpl.evaluate(wordpl.parse_strategy("TwoGuess(40)"), 300).frame.query("verdict != 'WIN'").trial.tolist()
    cli("score", "TwoGuess(40)", "-n", "20", "-j", "1", "-o", "r.sqlite")
    for more in ([], ["--results", "r.sqlite"]):
        record = json.loads(cli("watch", "TwoGuess(40)", "--lost", "--trial", str(lost[0] + 1), *more, "--json").out)
        assert (record["trial"], record["verdict"]) == (lost[1], "LOSS")
    said = refused(cli, "watch", "TwoGuess(40)", "--lost", "--trial", "20", "--results", "r.sqlite")
    assert "no game from trial 20 to 10019 was lost" in said


def test_several_games_are_those_one_by_one(cli):
    cli("score", "TwoGuess(18)", "-n", "4", "-j", "1", "-o", "r.sqlite")
    for more in ([], ["--results", "r.sqlite"]):
        games = json.loads(cli("watch", "TwoGuess(18)", "--trial", "1-3", *more, "--json").out)
        alone = [json.loads(cli("watch", "TwoGuess(18)", "--trial", str(n), *more, "--json").out) for n in (1, 2, 3)]
        for game in (*games, *alone):
            for move in game["moves"]:
                del move["cpu_seconds"]
        assert games == alone
    run = cli("watch", "TwoGuess(18)", "--trial", "3-4", "--results", "r.sqlite")
    assert run.code == 2 and "trial 4 of TwoGuess(epsilon=18.0) is not in r.sqlite" in run.err
    for typed in ("3-1", "x", "1-2-3", "²"):
        assert "a range such as 0-5, is expected" in refused(cli, "watch", "TwoGuess(18)", f"--trial={typed}")
    assert "--lost shows one game" in refused(cli, "watch", "TwoGuess(18)", "--lost", "--trial", "0-5")


def test_a_game_that_is_not_the_stored_one_is_told(cli, monkeypatch):
    cli("score", "TwoGuess(12)", "-n", "3", "-j", "1", "-o", "r.sqlite")
    late = replace(play("TwoGuess(12)", 1).game, verdict=wordpl.Verdict.TIMEOUT)
    monkeypatch.setattr(wordpl, "watch", lambda *args, **more: replace(play(*args, **more), game=late))
    run = cli("watch", "TwoGuess(12)", "--trial", "1", "--results", "r.sqlite")
    assert (run.code, run.err) == (1, "wordpl: not the game in r.sqlite: verdict LOSS there, TIMEOUT here\n")
    shown = cli("watch", "TwoGuess(12)", "--trial", "1", "--results", "r.sqlite", "--json").out
    assert json.loads(shown)["differences"] == ["verdict LOSS there, TIMEOUT here"]


def test_what_cannot_be_watched_is_one_line(cli, tmp_path):
    cli("score", "TwoGuess(12)", "-n", "3", "-j", "1", "-o", "r.sqlite")
    cli("score", "TwoGuess(12)", "-n", "3", "-j", "1", "-o", "r.sqlite", "--seed", "2")
    (tmp_path / "mine.py").write_text(SUBMISSION)
    for said, arguments in {
        "has 2 runs of TwoGuess(epsilon=12.0); choose one with --task": ["TwoGuess(12)", "--results", "r.sqlite"],
        "no results file none.sqlite": ["TwoGuess(13)", "--results", "none.sqlite"],
        "go together": ["mine.py", "--ledger", "l.sqlite"],
        "use either --results or --ledger": ["mine.py", "--ledger", "l.sqlite", "--results", "r.sqlite"],
        "--task goes with --results": ["TwoGuess(12)", "--task", "abc"],
        "--seed does not go with --results": ["TwoGuess(12)", "--results", "r.sqlite", "--seed", "2"],
        "--seed does not go with --ledger": ["mine.py", "--ledger", "l.sqlite", "--entry", "ab", "--seed", "2"],
        "--game-seconds goes with --sandbox": ["TwoGuess(12)", "--game-seconds", "3"],
        "does not go with --results": ["mine.py", "--sandbox", "--results", "r.sqlite"],
    }.items():
        assert said in refused(cli, "watch", *arguments)
    with closing(sqlite3.connect("r.sqlite")) as file, file:
        task = file.execute("SELECT id FROM tasks WHERE seed = '2'").fetchone()[0]
    chosen = ["watch", "TwoGuess(12)", "--results", "r.sqlite", "--task", task[:8]]
    assert "seed 2" in cli(*chosen).out
