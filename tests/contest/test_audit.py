"""Audits: whatever stands in a ledger is told in one line, and forgeries show as docs/trust.md says they do."""
# ruff: noqa: S608 - these tests write their own statements

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support import audits
from tests.support.audits import OURS, SETTING, SHORT, against, everything, forge, one_line_each, seal
from tests.support.helpers import SMALL
from tests.support.ledgers import enter, sql
from tests.support.submissions import submission_of
from wordpl import Game, Setting, Turn, Verdict
from wordpl.contest import Ledger, PlayAgain, audit_entry, play_entry, sandbox
from wordpl.contest.audit.entry import difference
from wordpl.contest.judge.ranking import Row
from wordpl.contest.ledger.entries import ROW_COLUMNS


def played_again(path: Path, code: str = OURS) -> list[str]:
    with Ledger(path, read_only=True) as book:
        again = PlayAgain(submission_of(code), sandbox.find())
        return audit_entry(book, book.entries()[0], SETTING, again)


def test_an_honest_ledger_fits_and_so_do_its_copies(path: Path, tmp_path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.publish(tmp_path / "copy.sqlite")
        assert everything(tmp_path / "copy.sqlite") == {"ledger": [], "1": [], "2": []}
        ledger.close_contest()
        ledger.publish(tmp_path / "closed.sqlite")
    assert everything(tmp_path / "closed.sqlite") == {"ledger": [], "1": [], "2": []}
    forge(path, lambda row, answer: row)  # and the forger of these tests leaves no trace
    assert everything(path) == {"ledger": [], "1": [], "2": []}


def test_the_strategy_makes_the_moves_of_the_log(path: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "honest.py").write_text(OURS)
    shown = cli("contest", "audit", "--ledger", str(path), "--file", "honest.py", "--games", "7")
    assert (shown.code, shown.err) == (0, "")
    assert "12 trials, 7 of them played again" in shown.out and "Rival" not in shown.out


def test_any_number_of_jobs_tells_the_same_faults(path: Path, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "honest.py").write_text(OURS)
    forge(path, lambda row, answer: replace(row, proposed=answer) if row.trial in (3, 8) else row)
    audited = [
        json.loads(cli("contest", "audit", "--ledger", str(path), "--file", "honest.py", "--json", "-j", str(jobs)).out)
        for jobs in (1, 2)
    ]
    (entry,) = audited[0]["entries"]
    assert entry["played_again"] == 12 and entry["faults"]
    assert audited[0] == audited[1]


def test_trials_are_drawn_evenly(path: Path) -> None:
    with Ledger(path, read_only=True) as book:
        entry = book.entries()[0]
    for games, trials in ((None, list(range(12))), (50, list(range(12))), (4, [0, 3, 6, 9]), (1, [0])):
        assert PlayAgain(submission_of(OURS), sandbox.Trusted(), games).trials(entry) == trials


def test_a_running_entry_has_its_terms_checked_and_no_more(path: Path, cli: Cli) -> None:
    with Ledger(path) as ledger:
        entry = enter(ledger, "Third", submission=submission_of("z = 3\n"), stop=SHORT)
        assert audit_entry(ledger, entry, SETTING) == []
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code == 0 and "is running" in shown.out
    sql(path, f"UPDATE entries SET name = 'Fourth' WHERE id = '{entry.id}'")
    assert everything(path)[str(entry.key)] == ["its id does not follow from its terms"]


def test_an_entry_that_ended_is_audited(tmp_path: Path) -> None:
    path, broken = tmp_path / "contest.sqlite", submission_of("import nowhere\n")
    with Ledger(path) as ledger:
        entry = enter(ledger, "Broken", submission=broken, stop=SHORT)
        entry = play_entry(ledger, entry, broken, SETTING, launcher=sandbox.find())
        assert (entry.state, entry.trials) == ("ended", 3) and "nowhere" in entry.reason
        assert ledger.standings(entry) == []
        assert audit_entry(ledger, entry, SETTING, PlayAgain(broken, sandbox.find())) == []
    sql(path, "INSERT INTO standings VALUES (1, 0.05, 1.0, 1.0, 0.9, 1.0, 3, 1.0, 1)")
    assert "it has standings, but its run was not finished" in everything(path)["1"]


# A forger who owns the file and works out every hash again.


def test_no_ask_and_the_right_answer(path: Path) -> None:
    forge(path, lambda row, answer: replace(row, log=[], proposed=answer))
    with Ledger(path, read_only=True) as book:
        assert book.entries()[0].flagged, "it wins more often than its chances allow, so it has no rank"
    faults = played_again(path)
    assert len(faults) == 11
    assert faults[0].startswith("trial 0: move 0 is the proposal ")
    assert "and salet at 22.0 when played again" in faults[0]
    sql(path, """UPDATE entries SET flag = replace(flag, '"raised":true', '"raised":false') WHERE key = 1""")
    seal(path)
    assert everything(path)["1"] == ["the flag does not follow from the games"]


def test_halved_epsilons(path: Path) -> None:
    forge(path, lambda row, answer: replace(row, log=[(guess, epsilon / 2, 0) for guess, epsilon, _ in row.log]))
    faults = played_again(path)
    assert "trial 0: move 0 is salet at 11.0 in the log and salet at 22.0 when played again" in faults
    assert everything(path)["1"] == [], "as docs/trust.md says: without the strategy this cannot be told"
    # The same, but with the clues of the epsilons that were asked.
    sql(path, "UPDATE trials SET log = replace(replace(log, '23.0', '1.0'), '20.0', '1.0'), budget = 2 WHERE entry = 2")
    audits.conclude(path, key=2)
    assert any("the clue to ask" in fault for fault in everything(path)["2"])


def lose(row: Row, answer: str) -> Row:
    return replace(row, proposed="crate" if answer != "crate" else "pound")


def test_a_rivals_wins_made_losses(made: Path, path: Path) -> None:
    with Ledger(path, read_only=True) as book:
        assert book.verdicts(book.by_key(2))["WIN"] >= 1
    forge(path, lose, key=2)
    assert "has other games, from trial 0 on" in " ".join(against(path, made / "after.sqlite"))
    assert against(path, made / "before Rival.sqlite") == []
    with Ledger(path, read_only=True) as book:
        entry = book.by_key(2)
        assert book.verdicts(entry)["WIN"] == 0
        faults = audit_entry(book, entry, SETTING, PlayAgain(submission_of(audits.RIVAL), sandbox.find(), 12))
        assert any("the proposal" in fault and "when played again" in fault for fault in faults)


def test_a_run_cut_where_it_looks_best(path: Path) -> None:
    forge(path, lambda row, answer: row, trials=6)
    assert everything(path)["1"] == ["its run stopped after 6 trials; by its stop rule it stops later"]


def test_chances_and_evidence_of_the_forgers_own(path: Path) -> None:
    sql(path, "UPDATE trials SET chance = 1.0 WHERE entry = 1 AND proposed IS NOT NULL")
    audits.conclude(path)
    assert any("the chance of the proposed word was" in fault for fault in everything(path)["1"])
    sql(path, f"UPDATE trials SET evidence = '{json.dumps([0.0] * 12)}' WHERE entry = 2")
    audits.conclude(path, key=2)
    assert "trial 0: the evidence does not follow from the game" in everything(path)["2"]


def test_a_new_seed_with_its_own_nonce_and_commitment(made: Path, path: Path) -> None:
    with Ledger(path) as ledger:
        root = ledger.contest.secret
    audits.reseed(path, root)
    assert everything(path)["1"] == ["its secret does not follow from the contest's secret and its number"]
    sql(path, "UPDATE contest SET secret = ''")
    assert everything(path)["1"] == [], "as docs/trust.md says: until the contest is closed only a copy shows it"
    for copy in ("before Ours.sqlite", "after.sqlite"):
        assert any(" nonce, commitment" in fault for fault in against(path, made / copy))


def test_limits_of_the_board_hold_for_the_log(path: Path) -> None:
    forge(path, lambda row, answer: replace(row, log=[("salet", 0.0005, 0), *row.log] if row.trial else row.log))
    assert any("with epsilon 0.0005; the smallest is 0.001" in fault for fault in everything(path)["1"])
    forge(path, lambda row, answer: replace(row, log=[("salet", 1.0, 0)] * 101 if row.trial == 5 else row.log[-1:]))
    assert "trial 5: after 100 asks, asked more than 100 times" in everything(path)["1"]


MORE = f"INSERT INTO trials (entry, {ROW_COLUMNS}) SELECT entry, 12, {ROW_COLUMNS[7:]} FROM trials WHERE trial = 0"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE trials SET verdict = 'WIN', proposed = answer WHERE verdict = 'LOSS'", "standings"),
        ("UPDATE trials SET verdict = 'WIN' WHERE verdict = 'LOSS'", "does not follow from proposing"),
        ("UPDATE trials SET budget = budget - 1 WHERE trial = 3", "the budget was"),
        ("UPDATE trials SET answer = 'crate' WHERE answer <> 'crate'", "the answer was"),
        ("UPDATE trials SET proposed = 'xxxxx' WHERE trial = 3", "not in the list of answers"),
        ("UPDATE trials SET log = replace(log, 'salet', 'xxxxx')", "not in the list of guesses"),
        ("UPDATE standings SET budget = 3.0", "standings do not follow"),
        ("DELETE FROM standings WHERE percentile = 0.5", "standings do not follow"),
        ("UPDATE entries SET seed = '7'", "its seed does not follow"),
        ("UPDATE entries SET secret = '7'", "not the one that was committed to"),
        ("UPDATE entries SET call = 'Other'", "its digest does not follow"),
        ("UPDATE entries SET id = '00000000000' || key", "its id does not follow"),
        ("UPDATE entries SET engine = 1", "cannot be replayed here: it was scored by engine 1"),
        ("UPDATE entries SET strategy = 'Another'", "its results are not those"),
        ("UPDATE entries SET trials = 11", "is said to have 11 trials"),
        ("UPDATE entries SET state = 'ended'", "it has standings"),
        ("UPDATE entries SET state = 'running'", "it is running, but has secret"),
        ("UPDATE entries SET state = 'won'", "state 'won' is not known"),
        ("UPDATE entries SET flag = NULL", "it has no flag"),
        ("UPDATE trials SET errors = 'other' WHERE trial = 3", "its trials are not those"),
        ("DELETE FROM trials WHERE trial = 3", "trial 3 is missing"),
        (MORE, "said to have 12 trials, the log has 13"),
        (f"{MORE}; UPDATE entries SET state = 'ended', reason = 'it crashed', trials = 13, flag = NULL;"
         " DELETE FROM standings", "its run was to be finished after 12 trials"),
        ("UPDATE entries SET limits = replace(limits, '\"asks\":100', '\"asks\":100.5')", "limits: asks"),
        ("UPDATE entries SET stop = replace(stop, ':12', ':1000000')", "stop rule is longer than any"),
    ],
)  # fmt: skip
def test_what_was_changed_is_told_of_every_entry(change: str, said: str, path: Path) -> None:
    sql(path, *change.split("; "))
    found = everything(path)
    for key in ("1", "2"):
        assert any(said in fault for fault in found[key]), found[key]
        one_line_each(found[key])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM entries WHERE key = 1", "entry 1 is missing"),
        ("UPDATE entries SET attempt = 2 WHERE key = 2", "is attempt 1 of its content, not attempt 2"),
        ("UPDATE entries SET files = (SELECT files FROM entries WHERE key = 1)", "is attempt 2 of its content"),
        ("UPDATE entries SET files = (SELECT files FROM entries WHERE key = 1)", "the terms of an earlier one"),
        ("UPDATE contest SET secret = '77'", "not the one that was committed to"),
        ("UPDATE contest SET secret = '', closed = '2999'", "its secret is not published"),
        ("UPDATE contest SET records = '{}'", "the contest: records does not have the fields of Records"),
        ("UPDATE entries SET call = '!' WHERE key = 2", "cannot be read"),
        ("DELETE FROM contest", "0 contests"),
    ],
)
def test_what_was_changed_in_the_ledger_as_a_whole(change: str, said: str, path: Path) -> None:
    sql(path, change)
    found = everything(path)["ledger"]
    assert any(said in fault for fault in found), found
    one_line_each(found)


def test_entries_of_other_words_and_engines_do_not_stop_an_audit(path: Path, cli: Cli) -> None:
    with Ledger(path) as ledger:
        other = enter(ledger, "Small", submission=submission_of(OURS), setting=Setting(SMALL), stop=SHORT)
        play_entry(ledger, other, submission_of(OURS), Setting(SMALL), launcher=sandbox.find())
        enter(ledger, "Fourth", submission=submission_of("z = 3\n"), stop=SHORT)
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code == 1
    assert shown.out.count("no faults found") == 4
    assert "cannot be replayed here: it was scored with other words than original" in shown.out
    (path.parent / "answers.txt").write_text("\n".join(SMALL.answers))
    (path.parent / "guesses.txt").write_text("\n".join(SMALL.guesses))
    lists = ("--answers", str(path.parent / "answers.txt"), "--guesses", str(path.parent / "guesses.txt"))
    shown = cli("contest", "audit", other.id, "--ledger", str(path), *lists)
    assert (shown.code, shown.out.count("no faults found")) == (0, 2)


def test_another_submission_is_not_played(path: Path, tmp_path: Path, cli: Cli) -> None:
    assert "the submission is another one than was entered" in played_again(path, code=audits.RIVAL)[0]
    (tmp_path / "honest.py").write_text(OURS + "#")
    shown = cli("contest", "audit", "--ledger", str(path), "--file", "honest.py")
    assert shown.code == 2
    assert "no submission of this file and call" in shown.err
    assert cli("contest", "audit", "Ours", "--ledger", str(path), "--file", "honest.py").code == 1
    assert cli("contest", "audit", "--ledger", str(path), "--games", "5").code == 2


def test_a_strategy_that_cannot_be_played_again_is_told(path: Path) -> None:
    code = "import nowhere\n"
    sql(path, "UPDATE entries SET digest = ? WHERE key = 1", values=(submission_of(code).digest,))
    assert "played again, the run ends after 3 trials: at start" in " ".join(played_again(path, code=code))


ASK = ("salet", 9.0, 7)
LOGGED = Row(3, "crate", "crate", "WIN", "", 9.0, 1.0, (), [ASK], "", 0.0, 0.0)
AGAIN = Game(3, "crate", Verdict.WIN, "crate", "", (Turn(*ASK),))


@pytest.mark.parametrize(
    ("row", "game", "said"),
    [
        ({"log": [("salet", 9.0, 0)]}, {}, "the clue to ask 0 is ..... in the log"),
        ({"proposed": None, "verdict": "TIMEOUT"}, {}, "TIMEOUT in the log and WIN when .* after the same 1 .*alone"),
        ({}, {"proposed": None, "verdict": Verdict.MEMORY}, "WIN in the log and MEMORY .*alone can make this"),
        ({"proposed": None, "verdict": "INVALID"}, {}, "INVALID in the log and WIN when played again, .* asks$"),
        ({"proposed": None, "verdict": "CRASH", "log": []}, {}, "CRASH .* after the same 0 asks; a clock"),
    ],
)
def test_where_two_games_part(row: dict[str, Any], game: dict[str, Any], said: str) -> None:
    assert difference(LOGGED, AGAIN) == []
    (found,) = difference(replace(LOGGED, **row), replace(AGAIN, **game))
    assert re.match(said, found), found


def test_an_audit_makes_nobody_wait(path: Path) -> None:
    with Ledger(path, read_only=True) as book, book.copied():
        rows = book.rows(book.entries()[0])
        next(rows)
        with Ledger(path) as ledger:
            enter(ledger, "Third", submission=submission_of("z = 3\n"), stop=SHORT)
        assert len(list(rows)) == 11
        assert len(book.entries()) == 2
