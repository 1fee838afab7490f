"""What is typed is what the library gets, where a command plays for long, or in the sandbox."""

import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import wordpl
from tests.cli.conftest import written
from tests.support.helpers import ASKS_ONCE, TINY
from tests.support.ledgers import enter, started
from wordpl import Setting, WordplError, contest, limits
from wordpl.base.checks import MOST_TRIALS
from wordpl.base.defaults import OPENERS
from wordpl.contest import Credit, Ledger, Limits
from wordpl.contest.limits import MIB

TERMS = "--words nyt2022 --rule counted --seed 7"
SETTING = Setting(wordpl.load_words("nyt2022"), "counted")


@pytest.fixture
def given(cli, tmp_path, monkeypatch):
    """Runs a command up to its call of a function of a room, and returns what that is given."""
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    monkeypatch.setattr("joblib.cpu_count", lambda: 64)
    monkeypatch.setattr(
        contest, "launcher", lambda ranked=True: SimpleNamespace(ranked=ranked, describe=lambda: "a sandbox")
    )

    def run(room, name, line):
        seen = []

        def called(*positional, **named):
            seen.append((positional, named))
            raise WordplError("it was called")

        with monkeypatch.context() as patch:
            patch.setattr(room, name, called)
            done = cli(*shlex.split(line))
        assert done.code == 2 and "it was called" in done.err, done.err
        run.notes.append(done.err)
        (call,) = seen
        return call

    run.notes = list[str]()
    return run


def test_a_check(given, tmp_path):
    (run, games, _), _ = given(
        contest, "check_submission", f"check mine.py --sandbox --games 4 --start-seconds 30 --memory 600 {TERMS}"
    )
    assert (run.setting, run.seed, games, run.launcher.ranked) == (SETTING, 7, 4, False)
    assert run.limits == replace(Limits(), start_seconds=30.0, memory=600 * MIB)
    (tmp_path / "own.py").write_text("from wordpl import Ball as Own\n")
    (channel,), named = given(contest, "check_channel", "check own.py:Own --seed 7")
    assert (channel.epsilon, named) == (1.0, {"seed": 7})


def test_games_in_the_sandbox(given):
    line = f"mine.py --sandbox --game-seconds 7 {TERMS}"
    (run, trials), named = given(contest, "evaluate_submission", f"score {line} -n 5 -j 3")
    assert (run.setting, run.seed, run.limits, trials) == (SETTING, 7, Limits.for_games_of(7.0), 5)
    assert (named["jobs"], run.launcher.ranked) == (3, False)
    (run, trial), named = given(contest, "watch_submission", f"watch {line} --trial 6 -k 4")
    assert (run.setting, run.seed, run.limits, trial, named) == (SETTING, 7, Limits.for_games_of(7.0), 6, {"top": 4})
    (_, trials), _ = given(contest, "evaluate_submission", "watch mine.py --sandbox --lost --trial 6")
    assert trials == 6 + wordpl.cli.watch._SEARCHED[0]  # the sandbox plays all from 0 on
    (run, _), _ = given(contest, "evaluate_submission", "score mine.py --sandbox")
    assert run.limits == Limits.for_games_of(10.0)  # as its help says


def test_runs(given):
    (tasks, trials, workers), named = given(wordpl, "sweep", "sweep TwoGuess() -e 5,9 -n 30 --batch 7 -j 3 --seed 2")
    assert ([task.seed for task in tasks], trials, workers, named["batch"]) == ([2, 2], 30, 3, 7)
    (_, trials, workers), named = given(wordpl, "sweep", "score TwoGuess(9) --until-width 0.1")
    assert (trials, workers, named["until_width"], named["first_trial"]) == (MOST_TRIALS, -1, 0.1, 0)
    assert given(wordpl, "sweep", "score TwoGuess(9) --until-width 0.1 -n 50")[0][1] == 50
    _, named = given(wordpl, "compare", "compare TwoGuess(9) TwoGuess(8) -n 30 -j 3")
    assert (named["trials"], named["jobs"]) == (30, 3)


def test_computations(given, tmp_path):
    _, named = given(limits, "compute_win_rate", "win-rate TwoGuess(9) --exact -j 3")
    assert (named["exact"], named["jobs"]) == (True, 3)
    line = "frontier --measure --family '1 clue' --points p.jsonl --standard-error 0.03 --seed 5 -j 3"
    (families, setting, points), named = given(limits, "measure_frontier", line)
    assert [family.name for family in families] == ["1 clue"]
    assert (setting, points) == (Setting(wordpl.load_words()), Path("p.jsonl"))
    assert (named["standard_error"], named["seed"], named["jobs"]) == (0.03, 5, 3)
    (_, path), named = given(wordpl.wordle, "prove", "tree prove --certificate c.txt --rule letterwise --hard -j 3")
    assert (path, named["rule"], named["hard"], named["jobs"]) == (Path("c.txt"), "letterwise", True, 3)
    tiny = " ".join(written(TINY, tmp_path))
    (path, words, tree), _ = given(wordpl.wordle, "check_certificate", f"tree prove --certificate t.txt -j 1 {tiny}")
    assert (path, words.answers, tree.answers) == (Path("t.txt"), TINY.answers, len(TINY.answers))
    line = "--heuristic parts --tie-break published --answers-only --first CRATE --rule letterwise --hard --priority"
    (words, heuristic, *more), _ = given(wordpl.wordle, "build_tree", f"tree build {line}")
    ties = ("all_absent", "answer", "letter_entropy", "positional")
    assert more == ["crate", "letterwise"] and heuristic == wordpl.wordle.Heuristic(
        "parts", ties, answers_only=True, hard=True, priority=wordpl.wordle.word_priority(words)
    )
    for typed, openers in (("", OPENERS), ("--openers 0", None), ("--openers 2", 2)):
        _, named = given(wordpl.wordle, "solve_tree", f"tree optimal --minimize worst --worst 7 --hard {typed}")
        told = [named[name] for name in ("openers", "objective", "worst", "hard", "rule")]
        assert told == [openers, "worst", 7, True, "counted"]


def test_a_contest(given):
    started(Path("l.sqlite"), 3).close()
    credit = "--author Ann --link https://example.org/ann"
    line = f"contest submit mine.py mine.py:Mine(2) --name One --name Two {credit} -j 3 --ledger l.sqlite"
    (_, submission, name), named = given(contest, "submit", line)
    assert (submission.call, name, named["jobs"]) == ("", "One", 3)
    assert (named["credit"], named["launcher"].ranked) == (Credit("Ann", "https://example.org/ann"), True)
    with Ledger("l.sqlite") as ledger:
        found = [(one.name, one.call, one.author, one.link) for one in ledger.entries()]
        assert found == [(*own, "Ann", "https://example.org/ann") for own in (("One", ""), ("Two", "Mine(2)"))]
        enter(ledger, "Two more", "# more")
    for stage in ("provisional", "final"):
        (_, entry, *rest), named = given(contest, "replay_entry", "contest replay Two -j 3 --ledger l.sqlite")
        assert (entry.name, rest) == ("Two", [stage])
        assert (named["jobs"], named["launcher"].ranked) == (3, False)
        (_, entry, *rest), _ = given(contest, "replay_game", "contest replay more --trial 2 --ledger l.sqlite")
        assert (entry.name, rest) == ("Two more", [stage, 2])
        if stage == "provisional":
            _, named = given(contest, "close_contest", "contest close --yes -j 3 --ledger l.sqlite")
            assert (named["jobs"], named["launcher"].ranked) == (3, True)
            with Ledger("l.sqlite") as ledger:
                ledger.mark("closing")
                ledger.mark("closed")
    earlier = "contest replay Two --stage provisional --ledger l.sqlite"
    assert given(contest, "replay_entry", earlier)[0][2] == "provisional"


def test_the_page(given, monkeypatch):
    listening = list[tuple[str, int]]()
    monkeypatch.setattr(
        "wordpl.cli.serve._listen", lambda *at: listening.append(at) or SimpleNamespace(getsockname=lambda: at)
    )
    assert given(wordpl.web, "make_page", "serve --host ::")[1]["hosts"] == ["[::1]"]
    given(wordpl.web, "make_page", "serve")
    assert listening == [("::", 8000), ("127.0.0.1", 8000)]
    line = "serve --port 0 --results r.sqlite --how-to-submit 'Ask Ann' --allow-host a.example --allow-host b.example"
    _, named = given(wordpl.web, "make_page", line)
    hosts = ["127.0.0.1", "a.example", "b.example"]
    assert named == {"results": [Path("r.sqlite")], "ledger": None, "how_to_submit": "Ask Ann", "hosts": hosts}
