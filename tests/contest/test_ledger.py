"""The ledger: one entry for one content, one end for one run, seeds that bind both sides."""

import json
import re
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Cli
from tests.support.helpers import ORIGINAL
from tests.support.ledgers import SHORT, enter, finish, sql, submission, trials
from tests.support.refusals import refusal
from wordpl import Fibble, Setting, Verdict, WordplError
from wordpl.contest import Entry, Ledger, Limits, StopRule, audit_ledger, standings
from wordpl.contest.board.leaderboard import entry_record
from wordpl.contest.judge.evidence import COLUMNS
from wordpl.contest.ledger import entries as entries_module
from wordpl.contest.ledger.entries import ENDING, ENTERED, SEEDED, contest_boards, digest_of_results
from wordpl.contest.ledger.seeds import commitment, entry_secret, scoring_seed
from wordpl.contest.limits import MIB


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with Ledger(tmp_path / "contest.sqlite") as found:
        yield found


def test_a_second_draw_is_the_first_one_or_is_counted(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = submission(call="Quick")
    first = finish(ledger, enter(ledger, submission=quick))
    assert enter(ledger, "Other", submission=quick) == first
    assert enter(ledger, submission=submission(call="Quick( )")) == first
    seeds = {int(str(first.seed))}
    for attempt, name, more in (
        (2, "Mine", {"limits": Limits(memory=2049 * MIB)}),
        (3, "Mine", {"stop": replace(SHORT, max_trials=6)}),
        (4, "Other", {"submission": submission()}),
    ):
        entry = enter(ledger, name, **{"submission": quick, **more})
        assert entry.attempt == attempt
        assert entry.stop_rule.error == SHORT.error / (attempt * (attempt + 1))
        assert entry.stop == more.get("stop", SHORT)
        assert entry.limits == more.get("limits", Limits())
        seeds.add(ledger.seed(entry))
        assert enter(ledger, submission=quick) == first
        finish(ledger, entry)
    assert len(seeds) == 4
    monkeypatch.setattr(entries_module, "ENGINE_VERSION", first.engine + 1)
    assert enter(ledger, submission=quick).board == first.board
    assert [entry.attempt for entry in ledger.entries()] == [1, 2, 3, 4, 5]
    assert [entry.engine for entry in ledger.entries()] == [*[first.engine] * 4, first.engine + 1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"setting": Setting(ORIGINAL, rule="counted")}, "counted"),
        ({"setting": Setting(ORIGINAL, channel=Fibble)}, "fibble"),
        ({"limits": Limits(memory=2049 * MIB)}, "memory 2049 MiB"),
        ({"stop": StopRule(max_trials=1001)}, "max trials 1001"),
        ({"limits": Limits(asks=7)}, "asks 7"),
    ],
)
def test_whatever_changes_the_game_changes_the_board(change: dict[str, Any], said: str, ledger: Ledger) -> None:
    first = ledger.finish(enter(ledger, stop=StopRule()), 0, ended="it is over")
    entry = enter(ledger, **{"stop": StopRule(), **change})
    assert not entry.board.is_contest and said in entry.board.title(entry.words)
    assert first.board.id == contest_boards()[0].id != entry.board.id
    assert entry.attempt == (1 if "setting" in change else 2), "another game is no second draw"


def test_what_is_over_takes_no_trials_and_no_second_finish(ledger: Ledger) -> None:
    entry = enter(ledger)
    assert ledger.add(entry, trials([0, 1]))
    done = finish(ledger, entry)
    rows, version, shown = list(ledger.rows(entry)), ledger.version, ledger.standings(done)
    for again in (entry, done):
        assert not ledger.add(again, trials([0, 101], Verdict.LOSS))
        assert ledger.finish(again, 2) == done
        assert ledger.finish(again, 0, ended="it cannot be started") == done
    ledger.describe(entry, "Other", "wordpl")
    assert (list(ledger.rows(entry)), ledger.version, ledger.standings(done)) == (rows, version, shown)
    assert ledger.entry(entry.id) == done


def test_decisions_look_at_trials_without_a_gap_and_later_ones_do_not_count(ledger: Ledger) -> None:
    entry = enter(ledger)
    ledger.add(entry, trials([0, 1, 3, 4]))
    assert ledger.played(entry) == len(ledger.outcomes(entry)) == 2
    with pytest.raises(ValueError, match="fewer"):
        ledger.finish(entry, 4)
    assert ledger.entry(entry.id).running
    ledger.add(entry, trials([2]) + trials([5, 6, 9], Verdict.LOSS))
    assert ledger.played(entry) == len(ledger.outcomes(entry)) == 7
    assert len(ledger.outcomes(entry, 3)) == 3
    assert ledger.outcomes(entry).evidence.shape == (7, COLUMNS)
    done = ledger.finish(entry, 4, standings(ledger.outcomes(entry, 4), entry.stop_rule), None)
    assert [row.trial for row in ledger.rows(done)] == [0, 1, 2, 3]
    assert done.trials == 4 and ledger.verdicts(done)["LOSS"] == 0


def test_a_running_entry_keeps_its_stop_rule(ledger: Ledger) -> None:
    entry = enter(ledger)
    ledger.add(entry, trials([0, 1]))
    with pytest.raises(WordplError, match=rf"{entry.id}.*--max-trials 8"):
        enter(ledger, stop=replace(SHORT, max_trials=4))
    assert enter(ledger) == entry
    done = finish(ledger, entry)
    assert enter(ledger, stop=replace(SHORT, max_trials=4)).attempt == 2
    assert enter(ledger) == done


def test_an_entry_keeps_its_nonce(ledger: Ledger) -> None:
    entry = enter(ledger, nonce="beacon 17")
    assert entry.nonce == "beacon 17"
    assert enter(ledger) == enter(ledger, nonce="beacon 17") == entry
    assert "beacon 17" in refusal(enter, ledger, nonce="beacon 18")
    assert "nonce" in refusal(enter, ledger, nonce="x" * 201)
    assert len(enter(ledger, "Other", submission=submission("y")).nonce) == 32, "at random if none is given"


def test_many_enter_and_finish_two_entries_at_once_and_one_does_each(ledger: Ledger) -> None:
    start = threading.Barrier(6)

    def work(which: int) -> Entry:
        with Ledger(ledger.path) as own:
            start.wait()
            number = which % 2
            entry = enter(own, f"Entry {number}", submission=submission(f"x = {number}\n"))
            own.add(entry, trials(range(8), Verdict.LOSS if number else Verdict.WIN))
            outcomes = own.outcomes(entry, 4 + which % 3)
            return own.finish(entry, len(outcomes), standings(outcomes, entry.stop_rule), None)

    with ThreadPoolExecutor(6) as pool:
        entries = [*pool.map(work, range(6))]
    assert {entry.name for entry in entries} == {"Entry 0", "Entry 1"}
    assert len(ledger.entries()) == 2 and all(entry in ledger.entries() for entry in entries)
    assert audit_ledger(ledger) == []
    for done in entries:
        assert done.trials == ledger.played(done) == sum(1 for _ in ledger.rows(done))
        assert ledger.verdicts(done)["LOSS" if done.name == "Entry 1" else "WIN"] == done.trials


def test_a_seed_depends_on_every_term(ledger: Ledger) -> None:
    entry = enter(ledger, submission=submission(call="Quick"), nonce="n")
    secret = entry_secret(ledger.close_contest(), entry.key)
    assert commitment(secret) == entry.commitment
    seed = scoring_seed(secret, entry.facts(SEEDED))
    assert seed == int(str(ledger.entry(entry.id).seed))
    assert 0 <= seed < 1 << 256
    changed = {
        "digest": "0" * 64, "call": "Slow", "words_digest": "0" * 64, "rule": "counted", "channel": "fibble",
        "limits": replace(entry.limits, asks=99),
        "stop": replace(entry.stop, error=0.04), "attempt": 2, "engine": 0, "nonce": "m",
    }  # fmt: skip
    assert set(changed) == set(entry.facts(SEEDED))
    others = [scoring_seed(secret, replace(entry, **{name: value}).facts(SEEDED)) for name, value in changed.items()]
    others.append(scoring_seed(entry_secret("00" * 32, entry.key), entry.facts(SEEDED)))
    assert len({seed, *others}) == len(changed) + 2


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_no_two_sets_of_terms_run_together(a: str, b: str, c: str, d: str) -> None:
    same = scoring_seed("00" * 32, {"call": a, "nonce": b}) == scoring_seed("00" * 32, {"call": c, "nonce": d})
    assert same == ((a, b) == (c, d))


def test_secrets_of_entries_tell_nothing_of_each_other(ledger: Ledger) -> None:
    entries = [enter(ledger, f"Entry {n}", submission=submission(f"x = {n}\n")) for n in range(5)]
    assert len({entry.commitment for entry in entries} | {ledger.contest.commitment}) == 6
    assert ledger.path.stat().st_mode & 0o077 == 0
    first = finish(ledger, entries[0])
    assert first.secret is not None
    public = json.dumps(entry_record(ledger, first))
    for entry in entries[1:]:
        assert str(ledger.seed(entry)) not in public
        assert ledger.entry(entry.id).secret is None


def test_a_closed_contest_publishes_its_secret_and_takes_no_more(ledger: Ledger) -> None:
    done, running = finish(ledger, enter(ledger)), enter(ledger, "Other", submission=submission("y = 2\n"))
    secret = ledger.close_contest()
    assert commitment(secret) == ledger.contest.commitment
    ended = ledger.entry(running.id)
    assert ended.state == "ended" and "closed" in ended.reason
    for entry in (done, ended):
        assert entry.secret == entry_secret(secret, entry.key)
    assert "closed" in refusal(enter, ledger, "Third", submission=submission("z = 3\n"))
    assert enter(ledger) == done
    assert ledger.close_contest() == secret
    assert audit_ledger(ledger) == []


def test_hashes_cover_every_field_of_an_entry(ledger: Ledger) -> None:
    done = finish(ledger, enter(ledger))
    later = {"id", "cleared", "results_digest", "source"}  # the source is compared with the files
    assert {*ENTERED, *ENDING} == {*vars(done)} - later
    stored = list(ledger.stored_standings(done))
    for name in ENTERED:
        assert replace(done, **{name: "9"}).own_id != done.id == done.own_id
    for name in ENDING:
        other = replace(done, **{name: "9"})
        assert digest_of_results(other, stored) != done.results_digest == digest_of_results(done, stored)
    assert digest_of_results(done, stored[1:]) != done.results_digest


def test_the_digest_of_trials_covers_every_column(ledger: Ledger) -> None:
    done = finish(ledger, enter(ledger))
    digests = [ledger.trials_digest(done)]
    for change in ("proposed = 'other'", "chance = 0.1", "budget = 0.1", "evidence = '[]'", "seconds = seconds + 1"):
        sql(ledger.path, f"UPDATE trials SET {change} WHERE trial = 2")  # noqa: S608 - written above
        digests.append(ledger.trials_digest(done))
    sql(ledger.path, "DELETE FROM trials WHERE trial = 2")
    assert len({*digests, ledger.trials_digest(done)}) == 7


def test_a_flagged_entry_is_not_ranked_until_somebody_has_looked(ledger: Ledger, cli: Cli) -> None:
    entry = finish(ledger, enter(ledger), raised=True)
    assert entry.state == "finished" and not entry.ranked
    where = ("contest", "board", "--ledger", str(ledger.path))
    shown = cli(*where)
    assert "is flagged" in shown.out and "it knows the answer" in shown.out and "percentile" not in shown.out
    assert json.loads(cli(*where, "--json").out)[0]["ranked"] is False
    clear = ("contest", "clear", "--ledger", str(ledger.path))
    assert cli(*clear, entry.id, "--yes").code == 2
    assert "add --yes to confirm" in cli(*clear, entry.id, "--reason", "x").err
    assert "reason" in refusal(ledger.clear, entry, "two\nlines")
    assert ledger.entry(entry.id).flagged
    cleared = cli(*clear, entry.id, "--reason", "read the code", "--yes")
    assert cleared.code == 0, cleared.err
    shown = cli(*where)
    assert "cleared: read the code" in shown.out and "percentile" in shown.out
    assert ledger.entry(entry.id).ranked
    assert "no flag" in refusal(ledger.clear, entry, "why not")
    assert audit_ledger(ledger) == []


def test_a_published_copy_holds_nothing_that_is_not_for_everyone(
    ledger: Ledger, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials after the end of a run stay in free pages of the file, and a backup copies those too."""
    ledger._db.execute("PRAGMA secure_delete = OFF")  # some builds of SQLite have it on
    done, running = enter(ledger), enter(ledger, "Other", submission=submission("y = 2\n"))
    late = "played after the end of the run"
    ledger.add(done, [replace(record, errors=f"{late} {'x' * 2000}") for record in trials(range(9, 40))])
    done = finish(ledger, done)
    assert late.encode() in ledger.path.read_bytes()
    mark = replace(trials([0])[0], errors="mark of the running entry")
    ledger.add(running, [mark])
    secret = ledger._secret()
    copied = tmp_path / "copy.sqlite"
    shown = cli("contest", "board", "--ledger", str(ledger.path), "--out", str(copied))
    assert ledger.contest.commitment in shown.out, shown.err
    content = copied.read_bytes()
    not_for_all = (secret, str(ledger.seed(running)), entry_secret(secret, running.key), mark.errors, late)
    for text in not_for_all:
        assert text.encode() not in content
    with Ledger(copied, read_only=True) as copy:
        assert copy.damage() == audit_ledger(copy) == []
        assert copy.entries() == ledger.entries()
        assert copy.trials_digest(done) == ledger.trials_digest(done)
        assert copy.played(running) == 0
    with Ledger(copied) as copy:
        third = submission("z = 3\n")
        for action in (copy.close_contest, lambda: finish(copy, running), lambda: enter(copy, submission=third)):
            assert "without the contest's secret" in refusal(action)
    assert "there already" in refusal(ledger.publish, copied)

    class Watched(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            found = super().execute(*arguments)
            left = [file for file in public.iterdir() if secret.encode() in file.read_bytes()]
            assert not left, f"a kill would leave the secret after {arguments}"
            return found

    (public := tmp_path / "public").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
        ledger.publish(public / "copy.sqlite")
    ledger.close_contest()
    ledger.publish(tmp_path / "closed.sqlite")
    with Ledger(tmp_path / "closed.sqlite", read_only=True) as copy:
        assert copy.contest.closed
        assert copy._secret() == secret


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_another_format_is_told_in_one_line(read_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    Ledger(path).close()
    sql(path, "PRAGMA user_version = 1")
    assert re.search(r"of format 1.*reads format 9", refusal(Ledger, path, read_only=read_only))
    (tmp_path / "text").write_text("no database at all, but long enough to be read as one" * 20)
    assert "not a contest file" in refusal(Ledger, tmp_path / "text", read_only=read_only)
    assert "no contest file" in refusal(Ledger, tmp_path / "nowhere.sqlite", read_only=read_only, must_exist=True)
