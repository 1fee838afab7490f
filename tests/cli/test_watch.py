"""`wordpl watch`: the games of `score`, with a sandbox or without, on the screen and as JSON."""

import json
import math
import re
from dataclasses import replace
from unittest.mock import Mock

import pandas as pd
import pytest

import wordpl
from tests.cli.conftest import refused, written
from tests.support.helpers import ERRS, SMALL
from tests.support.submissions import SUBMISSION
from wordpl.cli.watch import WatchOptions
from wordpl.play.referee import Verdict


@pytest.mark.heavy
def test_a_submission_is_watched_by_its_file(cli, tmp_path):
    (tmp_path / "mine.py").write_text(SUBMISSION)
    given = ["mine.py:Mine(epsilon=12)", "--trial", "4", "--seed", "3"]
    record = json.loads(cli("watch", *given, "-k", "5", "--sandbox", "--json").out)
    assert record["seed"] == "3" and record["trial"] == 4
    assert (record["printed"], record["moves"][0]["printed"]) == ("loading", "first")
    assert {len(move["top"]) for move in record["moves"]} == {5}
    assert {move["epsilon"] for move in record["moves"]} <= {12.0, None}
    shown = cli("watch", *given, "--trial", "4-5").out  # started once
    assert shown.count("    | loading\n") == 1 and "    | first\n" in shown and "    | seen " in shown


def test_the_moves_on_the_screen_in_plain_signs(cli):
    lines = cli("watch", "TwoGuess(9)", "--trial", "1", "-k", "2").out.splitlines()
    noisy, true = lines[4].split()[-1], lines[5].split()[-1]
    flipped = [i for i in range(5) if noisy[i] != true[i]]
    assert [(at - 11) / 3 for at, sign in enumerate(lines[6]) if sign == "^"] == flipped != []
    assert " at inf (" in cli("watch", "Greedy(inf, n_guesses=1)").out
    assert " at inf" not in cli("watch", "Greedy(inf)", "--game", "wordle:6").out


@pytest.mark.parametrize("game", [["TwoGuess(9)", "--trial", "1"], ["Greedy(inf)", "--game", "wordle:6"]])
def test_the_terms_the_moves_and_the_end_of_a_game(cli, game):
    record, shown, wordle = json.loads(cli("watch", *game, "--json").out), cli("watch", *game).out, "--game" in game
    assert f"\noriginal, letterwise, randomized response{', wordle:6' * wordle}; {math.log2(2315):.2f} bits\n" in shown
    for number, move in enumerate(record["moves"], 1):
        verb = "proposes" if move["kind"] == "answer" else "guesses" if wordle else "asks"
        assert f"\n{number}   {verb} {move['word']} " in shown
        best = ", ".join(f"{one['word']} {one['probability']:.3g}" for one in move["top"])
        assert f"\n    {move['bits']:.2f} bits left: {best}\n" in shown
    end = "" if record["verdict"] == "WIN" else f", not {record['proposed']}"
    cost = f"{number} guesses" if wordle else f"budget {record['budget']:g}"
    assert shown.endswith(f"\n{record['verdict']}: the answer is {record['answer']}{end}; {cost}.\n")


def test_the_games_among_which_none_was_lost(cli, tmp_path, monkeypatch):
    lists = ["--lost", *written(SMALL, tmp_path)]
    played = (wordpl.evaluate("TwoGuess(18)", 30, words=SMALL, seed=seed).frame for seed in (1, 9))
    lost = [frame[frame.verdict != "WIN"] for frame in played]
    found = json.loads(cli("watch", "TwoGuess(18)", *lists, "--seed", "9", "--json").out)["trial"]
    assert found == lost[1].trial.iloc[0] != lost[0].trial.iloc[0]
    # The sandbox plays all trials from 0 on, and those before the one that is meant do not count.
    games = pd.DataFrame({"trial": range(15), "verdict": "WIN"})
    games.loc[[2, 8], "verdict"] = ["LOSS", "TIMEOUT"]
    for trial, found in ((2, 2), (3, 8)):
        how = WatchOptions(lost=True, trial=f"{trial}")
        assert how.played(lambda first, trials: Mock(frame=games[: first + trials])) == [found]
    monkeypatch.setattr(wordpl.cli.watch, "_SEARCHED", (2, 3))
    given = ["watch", "Greedy(inf)", *lists, "--trial", "1"]
    assert "no game from trial 1 to 5 was lost; --trial names a later one" in refused(cli, *given)


def test_the_first_game_that_was_lost_by_an_error_is_told(cli, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_bytes(ERRS)
    run = cli("watch", "mine.py:Mine()", "--trial", "1-2")
    assert run.code == 2 and run.err.endswith("wordpl: mine.py:Mine() lost trial 1 by an error: epsilon is NaN\n")
    assert "\n2   makes no move (" in run.out
    assert re.search(r"\nINVALID: epsilon is NaN\. The answer is [a-z]{5}; budget 20\.\n", run.out)
    assert re.search(r"; 0 guesses\.\n", cli("watch", "mine.py:Mine()", "--game", "wordle:6").out)  # what errs is none
    record = wordpl.watch("TwoGuess(9)", 1)
    late = replace(record, game=replace(record.game, verdict=Verdict.TIMEOUT))  # which is no error
    monkeypatch.setattr(wordpl.cli.watch, "_records", lambda *given: [late])
    assert cli("watch", "TwoGuess(9)").code == 0


def test_several_games_are_those_of_score(cli):
    options = ["--words", "nyt2022", "--rule", "counted", "--seed", "9"]
    games = json.loads(cli("watch", "TwoGuess(18)", "--trial", "1-3", *options, "--json").out)
    frame = wordpl.evaluate("TwoGuess(18)", 4, words="nyt2022", rule="counted", seed=9).frame
    for name in ("trial", "answer", "proposed", "verdict", "budget", "turns"):
        assert [game[name] for game in games] == frame[name].tolist()[1:]
    for typed in ("3-1", "x", "1-2-3", "²"):
        assert "a range such as 0-5, is expected" in refused(cli, "watch", "TwoGuess(18)", f"--trial={typed}")
