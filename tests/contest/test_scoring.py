"""The contest from end to end: the sandbox gives what this process gives, nothing is lost, mixed up or forged."""

from __future__ import annotations

import json
import math
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import wordpl
from tests.contest.test_attacks import left_in, submission_of
from tests.helpers import ORIGINAL, SMALL
from wordpl.contest import sandbox
from wordpl.contest.audit import audit_entry
from wordpl.contest.contestant_process import KEPT_ERRORS
from wordpl.contest.entries import Entry
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.ranking import StopRule, standings
from wordpl.contest.receipt import commitment, entry_secret, scoring_seed
from wordpl.contest.sandbox import NoSandboxError
from wordpl.contest.scoring import ContestRun, Played, Table, play_trials
from wordpl.contest.submission import load_submission
from wordpl.contest.submit import evaluate_submission, launcher, play_entry
from wordpl.contest.usage import tree
from wordpl.play.strategy import Setting
from wordpl.specs import parse_strategy

SETTING = Setting(ORIGINAL)
WORDPL = str(Path(sys.executable).with_name("wordpl"))
OURS = """
from dataclasses import dataclass

from wordpl import Answer, Ask, HistoryStrategy


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float = 12.0

    def decide(self, setting, history):
        if len(history) == 2:
            return Answer(setting.belief(history).top[0])
        return Ask("salet" if not history else "courd", self.epsilon)
"""
THEIRS = """
from tqdm import trange

from strategies.utils import answers, easy_words, jitter, uniform_prior, update_prior, update_weight, valid


class Theirs:
    def __init__(self, epsilon=12.0):
        self.epsilon = epsilon

    def first_move(self):
        assert len(answers) == 2315 and len(valid) == 12972 and set(easy_words) < set(answers)
        self.prior = uniform_prior()
        return "salet", jitter(self.epsilon)

    def next_move(self, guess, epsilon, clues):
        with open("strategies/cache.txt", "a") as file:
            file.write(clues)
        update_prior(self.prior, guess, epsilon, clues)
        best = self.prior.loc[self.prior["weight"].idxmax()]
        if best["weight"] > 0.004:
            return best["word"], 0
        rest = self.prior[~self.prior["word"].isin(["salet", self.prior["word"].sample()])]
        return rest["word"].sample(weights=rest["weight"]).item(), jitter(self.epsilon)
"""
SLOW = """
import time


class Slow:
    def first_move(self):
        time.sleep(0.02)
        return "salet", 12.0

    def next_move(self, guess, epsilon, clues):
        return "crate", 0
"""


def played(code: str, trials: list[int], seed: int = 5, jobs: int = 1) -> list[Played]:
    records: list[Played] = []
    run = ContestRun(submission_of(code), SETTING, seed, Limits(), sandbox.find())
    play_trials(run, trials, records.extend, jobs=jobs)
    return sorted(records, key=lambda record: record.game.trial)


def moves(records: list[Played]) -> list[object]:
    return [(r.game.trial, r.game.verdict, r.game.reason, r.game.history, r.game.proposed) for r in records]


def test_1001_trials_give_the_same_scores_in_the_sandbox_and_in_process(tmp_path: Path) -> None:
    (tmp_path / "honest.py").write_text(OURS)
    inside = played(OURS, list(range(1001)))
    outside = wordpl.evaluate(parse_strategy(f"{tmp_path}/honest.py:Mine()"), trials=1001, seed=5)
    assert [record.game.score for record in inside] == outside.scores.tolist()
    assert [str(record.game.verdict) for record in inside] == outside.frame["verdict"].tolist()


def test_a_contest_strategy_runs_as_it_is_whatever_the_order_and_the_number_of_jobs() -> None:
    records = played(THEIRS, list(range(12)))
    assert {str(record.game.verdict) for record in records} <= {"WIN", "LOSS"}
    assert moves(played(THEIRS, list(reversed(range(12))), jobs=2)) == moves(records)


def test_trusted_scoring_plays_the_same_games(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text(THEIRS)
    submission = load_submission(str(tmp_path))
    run = ContestRun(submission, SETTING, 5, Limits(), sandbox.Trusted())
    trusted = evaluate_submission(run, 12)
    assert trusted.scores.tolist() == [record.game.score for record in played(THEIRS, list(range(12)))]
    ranked = evaluate_submission(replace(run, launcher=sandbox.find()), 12)
    assert ranked.scores.tolist() == trusted.scores.tolist()


def test_a_folder_with_data_files_and_modules_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("from strategies.utils import answers\nWORD = answers[0]\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "epsilon.txt").write_text("7.5")
    (tmp_path / "strategy.py").write_text(
        "from pathlib import Path\n"
        "import helper\n"
        "from strategies.helper import WORD\n"
        "class Pair:\n"
        "    def __init__(self, word=WORD): self.word = word\n"
        "    def first_move(self): return self.word, float(open('data/epsilon.txt').read())\n"
        "    def next_move(self, guess, epsilon, clues):\n"
        "        return helper.WORD, 0 * float((Path(__file__).parent / 'data' / 'epsilon.txt').read_text())\n"
    )
    for spec, guess in ((str(tmp_path), "aback"), (f"{tmp_path}:Pair(word='crate')", "crate")):
        records: list[Played] = []
        play_trials(ContestRun(load_submission(spec), SETTING, 5, Limits(), sandbox.find()), [0], records.extend)
        assert records[0].game.reason == ""
        assert [(turn.guess, turn.epsilon) for turn in records[0].game.history] == [(guess, 7.5)]


SHORT = StopRule(first=40, step=20, max_trials=40)


def entered(ledger: Ledger, name: str, code: str, stop: StopRule = SHORT) -> Entry:
    return ledger.enter(name, submission_of(code), SETTING, Limits(), "test", stop=stop)


def finish(ledger: Ledger, name: str, code: str, stop: StopRule = SHORT) -> Entry:
    entry = entered(ledger, name, code, stop)
    return play_entry(ledger, entry, submission_of(code), SETTING, launcher=sandbox.find())


def test_seeds_are_committed_to_before_and_published_after(tmp_path: Path) -> None:
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        before = entered(ledger, "Ours", OURS)
        assert before.seed is None
        assert before.secret is None
        seed = ledger.seed(before)
        after = finish(ledger, "Ours", OURS)
        assert after.seed == str(seed)
        assert after.secret is not None
        assert commitment(after.secret) == before.commitment == after.commitment
        assert scoring_seed(after.secret, after.terms) == seed
        assert audit_entry(ledger, after, SETTING) == []
        assert entered(ledger, "Ours", OURS) == after, "the same submission gets no second draw"
        assert entered(ledger, "Other", OURS + "\n").commitment != after.commitment
        secret = ledger.close_contest()
        assert commitment(secret) == ledger.commitment
        for entry in ledger.entries():
            assert entry.secret == entry_secret(secret, entry.key)
    assert (tmp_path / "contest.sqlite").stat().st_mode & 0o077 == 0


def test_two_submissions_at_once_do_not_mix(tmp_path: Path) -> None:
    for name, code in (("ours", OURS), ("theirs", THEIRS)):
        (tmp_path / f"{name}.py").write_text(code)
    command = [WORDPL, "submit", "--max-trials", "1001", "--ledger", "contest.sqlite"]
    running = [
        subprocess.Popen([*command, f"{name}.py", "--name", name, "--jobs", str(jobs)], cwd=tmp_path)
        for name, jobs in (("ours", 1), ("theirs", 2))
    ]
    assert [process.wait(240) for process in running] == [0, 0]
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        entries = {entry.name: entry for entry in ledger.entries()}
        assert set(entries) == {"ours", "theirs"}
        for name, code in (("ours", OURS), ("theirs", THEIRS)):
            entry = entries[name]
            assert audit_entry(ledger, entry, SETTING) == []
            some = [*range(10), 1000]
            alone = played(code, some, seed=int(str(entry.seed)))
            rows = {row.trial: row for row in ledger.rows(entry)}
            assert len(rows) == 1001
            for record in alone:
                row = rows[record.game.trial]
                assert row.log == [tuple(turn) for turn in record.game.history]
                assert (row.verdict, row.proposed) == (str(record.game.verdict), record.game.proposed)


def test_two_referees_of_one_entry_give_one_result(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW.replace("0.02", "0.002"))
    command = [WORDPL, "submit", "slow.py", "--max-trials", "1001", "--json", "--ledger", "contest.sqlite"]
    running = [
        subprocess.Popen([*command, "--name", name], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for name in ("One", "Other")
    ]
    shown = [process.communicate(timeout=240)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    one, other = (json.loads(text) for text in shown)
    assert one == other
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        (entry,) = ledger.entries()
        assert [row.trial for row in ledger.rows(entry)] == list(range(1001))
        assert entry.trials == 1001
        assert len([payload for _, payload, _ in ledger.events() if '"event":"finish"' in payload]) == 1
        assert audit_entry(ledger, entry, SETTING) == []


def test_a_run_that_another_referee_has_finished_is_left_alone(tmp_path: Path) -> None:
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        entry = entered(ledger, "Ours", OURS)
        done: list[Entry] = []

        def meanwhile(*_: object) -> None:
            if not done:
                with Ledger(ledger.path) as other:
                    done.append(other.finish(entry, other.played(entry), ended="by another referee"))

        left = play_entry(ledger, entry, submission_of(OURS), SETTING, launcher=sandbox.find(), progress=meanwhile)
        assert [left] == done
        assert ledger.played(left) == left.trials
        assert play_entry(ledger, entry, submission_of(OURS), SETTING, launcher=sandbox.find()) == left


def test_a_run_is_of_its_own_submission_and_setting(tmp_path: Path) -> None:
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        entry = entered(ledger, "Ours", OURS)
        for code, setting in ((OURS + "#", SETTING), (OURS, Setting(SMALL)), (OURS, Setting(ORIGINAL, "counted"))):
            with pytest.raises(wordpl.WordplError, match="another submission"):
                play_entry(ledger, entry, submission_of(code), setting, launcher=sandbox.find())
        older = replace(entry, engine=entry.engine - 1)
        with pytest.raises(wordpl.WordplError, match="engine"):
            play_entry(ledger, older, submission_of(OURS), SETTING, launcher=sandbox.find())
        assert ledger.entry(entry.id).running


def test_the_call_that_was_entered_is_played(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OURS.replace("self.epsilon)", "9.0 if type(self.epsilon) is int else 7.0)"))
    first, again = (load_submission(f"{tmp_path}/mine.py:Mine({epsilon})") for epsilon in ("10", "epsilon=1e1"))
    again = replace(again, call="Mine(10.0)", maker=("Mine", (10.0,), {}))
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        entry = ledger.enter("Ours", first, SETTING, Limits(), "test", stop=SHORT)
        assert ledger.enter("Ours", again, SETTING, Limits(), "test", stop=SHORT) == entry
        play_entry(ledger, entry, again, SETTING, launcher=sandbox.find())
        assert {turn[1] for row in ledger.rows(entry) for turn in row.log} == {9.0}


def test_a_referee_killed_mid_run_loses_no_finished_trial_and_leaves_no_child(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    command = [WORDPL, "submit", "slow.py", "--name", "Slow", "--max-trials", "1001", "--ledger", "contest.sqlite"]
    referee = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    kept = 0
    until = time.monotonic() + 60
    while kept < 10 and time.monotonic() < until:
        time.sleep(0.05)
        with suppress(wordpl.WordplError), Ledger(tmp_path / "contest.sqlite", must_exist=True) as ledger:
            kept = sum(ledger.played(entry) for entry in ledger.entries())
    outside = namespace(os.getpid())
    inside = {inode: math.inf for pid in tree(referee.pid) if (inode := namespace(pid)) not in (0, outside)}
    assert inside
    referee.send_signal(signal.SIGKILL)
    referee.wait()
    while alive(left_in(inside)) and time.monotonic() < until:
        time.sleep(0.02)  # the kernel ends them, but not in no time
    assert alive(left_in(inside)) == []
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        (entry,) = ledger.entries()
        there = {row.trial: row for row in ledger.rows(entry)}
        assert len(there) >= kept >= 10
        assert entry.state == "running"
        submission = load_submission(str(tmp_path / "slow.py"))
        with pytest.raises(wordpl.WordplError, match="another stop rule"):
            ledger.enter("Slow", submission, SETTING, Limits(), "test", stop=SHORT)
        stop = StopRule(max_trials=1001)
        assert ledger.enter("Slow", submission, SETTING, Limits(), "test", stop=stop) == entry
        play_entry(ledger, entry, submission, SETTING, launcher=sandbox.find(), jobs=8)
        after = {row.trial: row for row in ledger.rows(entry)}
        assert sorted(after) == list(range(1001))
        assert all(after[trial] == row for trial, row in there.items()), "what was finished was not played again"
        assert audit_entry(ledger, ledger.entry(entry.id), SETTING) == []


def namespace(pid: int) -> int:
    with suppress(OSError):
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino
    return 0


def alive(pids: list[str]) -> list[str]:
    """Those that are no zombies: whose parent was killed, the machine's first process has to wait for."""
    found = []
    for pid in pids:
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(pid)
    return found


def test_a_contestant_that_cannot_be_started_ends_its_run_after_three_trials(tmp_path: Path) -> None:
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        finish(ledger, "Broken", "import nowhere\n")
        (entry,) = ledger.entries()
        assert entry.state == "ended"
        assert "nowhere" in entry.reason
        assert ledger.played(entry) == entry.trials == 3
        assert ledger.standings(entry) == []
        assert audit_entry(ledger, entry, SETTING) == []


def test_a_crash_loses_its_trial_and_no_other() -> None:
    code = SLOW.replace('return "crate", 0', "import os; os._exit(3) if clues[0] == 'c' else None; return 'crate', 0")
    records = played(code, list(range(12)))
    for record in records:
        crashed = record.game.history[0].clue // 81 == 2
        assert (str(record.game.verdict) == "CRASH") == crashed
        assert record.game.reason == ("exited with status 3" if crashed else "")
    assert 0 < sum(record.game.verdict == "CRASH" for record in records) < 12


def test_stderr_is_kept_with_its_trial_and_bounded() -> None:
    code = SLOW.replace('return "crate", 0', "import sys; print('note', clues, '\\x1b' * 9000, file=sys.stderr); 1 / 0")
    for record in played(code, [0, 1]):
        assert record.errors.count("?") > 1000
        assert len(record.errors) <= KEPT_ERRORS
        assert "ZeroDivisionError" in record.errors
        assert "\x1b" not in record.errors


COUNTS = """
import sys
import time

played = 0


class Counts:
    def first_move(self):
        global played
        played += 1
        print("game", played, file=sys.stderr)
        end = time.process_time() + {cpu}
        while time.process_time() < end:
            pass
        return {move}

    def next_move(self, guess, epsilon, clues):
        return "crate", 0
"""


def test_every_game_has_its_own_clock_and_its_own_stderr() -> None:
    """Four games of 0.4 s of CPU: together they take more than one of them may."""
    submission = submission_of(COUNTS.format(cpu=0.4, move="'crate', 0"))
    limits = Limits(cpu_seconds=1.2)
    with Table(ContestRun(submission, SETTING, 5, limits, sandbox.find())) as table:
        records = [table.play(trial) for trial in range(4)]
    assert {str(record.game.verdict) for record in records} <= {"WIN", "LOSS"}
    assert [record.errors for record in records] == [f"game {n}\n" for n in (1, 2, 3, 4)]


def test_an_illegal_move_loses_its_game_and_the_contestant_plays_on() -> None:
    for move, told in (("None", "NoneType"), ("'zzzzz', 0", "zzzzz")):
        submission = submission_of(COUNTS.format(cpu=0, move=move))
        with Table(ContestRun(submission, SETTING, 5, Limits(), sandbox.find())) as table:
            records = [table.play(trial) for trial in range(3)]
            assert table.contestant.starts == 1
        assert [str(record.game.verdict) for record in records] == ["INVALID"] * 3
        assert all(told in record.game.reason for record in records), records[0].game.reason


def test_a_move_has_a_limit_of_its_own() -> None:
    code = SLOW.replace("time.sleep(0.02)", "time.sleep(600)")
    limits = Limits(move_seconds=0.5, game_seconds=500.0)
    with Table(ContestRun(submission_of(code), SETTING, 5, limits, sandbox.find())) as table:
        record = table.play(0)
    assert (str(record.game.verdict), record.game.reason) == ("TIMEOUT", "thought for more than 0.5 s a move")


EARLY = """
import fcntl
import os
import stat
import threading
import time


def speak():
    time.sleep(1.5)  # until the game is surely over
    for end in range(63, 2, -1):  # the descriptor of the replies: a pipe that can be written
        try:
            if stat.S_ISFIFO(os.fstat(end).st_mode) and fcntl.fcntl(end, fcntl.F_GETFL) & os.O_WRONLY:
                os.write(end, SAID)
        except OSError:
            continue


class Early:
    def first_move(self):
        threading.Thread(target=speak, daemon=True).start()
        return "crate", 0

    def next_move(self, guess, epsilon, clues):
        return "crate", 0
"""


@pytest.mark.parametrize("said", [b'["pair", 3, "crate", 0]\n', b'["pair", 3'])
def test_a_reply_that_is_there_before_it_is_asked_for_ends_the_game(said: bytes) -> None:
    """It names the right turn, so that only its being there tells."""
    submission = submission_of(EARLY.replace("SAID", repr(said)))
    with Table(ContestRun(submission, SETTING, 5, Limits(), sandbox.find())) as table:
        assert str(table.play(0).game.verdict) in ("WIN", "LOSS")
        assert select.select([table.contestant._replies], [], [], 60)[0]
        early = table.play(1).game
        assert (str(early.verdict), early.reason) == ("PROTOCOL", "spoke out of turn")


def test_without_a_sandbox_nothing_is_ranked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> None:
        raise NoSandboxError("no sandbox: bubblewrap is not installed (apt-get install bubblewrap)")

    monkeypatch.setattr(sandbox, "find", none)
    with pytest.raises(wordpl.WordplError, match=r"not installed.*nothing is ranked.*--trusted"):
        launcher()
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        entry = entered(ledger, "Ours", OURS)
        with pytest.raises(wordpl.WordplError, match="not ranked"):
            play_entry(ledger, entry, submission_of(OURS), SETTING, launcher=sandbox.Trusted())


def test_standings_of_a_run_follow_from_its_scores(tmp_path: Path) -> None:
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        finish(ledger, "Ours", OURS)
        (entry,) = ledger.entries()
        outcomes = ledger.outcomes(entry)
        assert ledger.standings(entry) == standings(outcomes, entry.stop_rule)
        assert entry.trials == ledger.played(entry) == len(outcomes.won) == 40
        assert int(outcomes.won.sum()) == ledger.verdicts(entry)["WIN"]
        for row in ledger.rows(entry):
            assert 0 <= row.chance <= 1
            assert (row.proposed is None) <= (row.chance == 0)
