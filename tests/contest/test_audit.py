"""Audits: whatever stands in a ledger is told in one line, and forgeries show as docs/trust.md says they do."""
# ruff: noqa: S608 - these tests write their own statements

from __future__ import annotations

import itertools
import json
import re
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Cli
from tests.support.audits import OURS, RIVAL, SETTING, SHORT, columns, play_two, seal
from tests.support.helpers import ORIGINAL, SMALL
from tests.support.ledgers import sql
from tests.support.submissions import submission_of
from wordpl.base.errors import WordplError
from wordpl.contest.audit.entry import PlayAgain, audit_entry, difference
from wordpl.contest.audit.whole import audit_against, audit_ledger
from wordpl.contest.cage import sandbox
from wordpl.contest.judge.evidence import figures
from wordpl.contest.judge.ranking import Row, flag, standings
from wordpl.contest.ledger.entries import ROW_COLUMNS, SEEDED
from wordpl.contest.ledger.reader import SCHEMA, ForeignSchemaError
from wordpl.contest.ledger.seeds import canonical, commitment, scoring_seed
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.run.entry_run import play_entry
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue
from wordpl.play.referee import Game, Verdict
from wordpl.play.seeds import Seeds
from wordpl.play.setting import Setting, Turn


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an honest ledger of two entries, ours first, and copies from before each run and from the end."""
    folder = tmp_path_factory.mktemp("contest", "audit")
    with pytest.MonkeyPatch.context() as patch:
        drawn = itertools.count(1)
        patch.setattr("secrets.token_hex", lambda size: f"{next(drawn):0{2 * size}x}")
        play_two(folder, SHORT)
    return folder


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """A copy of that ledger, to be forged."""
    return Path(shutil.copy(made / "contest.sqlite", tmp_path / "contest.sqlite"))


def everything(path: Path) -> dict[str, list[str]]:
    """Faults of the ledger, and of each entry by its key."""
    with Ledger(path, read_only=True) as book:
        found = {"ledger": audit_ledger(book)}
        for key in book.keys():  # noqa: SIM118 - no dictionary
            try:
                found[str(key)] = audit_entry(book, book.by_key(key), SETTING)
            except WordplError as error:
                found[str(key)] = [str(error)]
    return found


def one_line_each(faults: list[str]) -> None:
    for fault in faults:
        assert len(fault) < 700
        assert "\n" not in fault
        assert fault.isprintable()


def against(path: Path, copy: Path) -> list[str]:
    with Ledger(path, read_only=True) as book, Ledger(copy, read_only=True) as before:
        return audit_against(book, before)


def played_again(path: Path, code: str = OURS) -> list[str]:
    with Ledger(path, read_only=True) as book:
        again = PlayAgain(submission_of(code), sandbox.find())
        return audit_entry(book, book.entries()[0], SETTING, again)


# What fits.


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
    assert played_again(path) == []
    (tmp_path / "honest.py").write_text(OURS)
    shown = cli("contest", "audit", "--ledger", str(path), "--file", "honest.py", "--games", "7")
    assert (shown.code, shown.err) == (0, "")
    assert "12 trials, 7 of them played again" in shown.out and "Rival" not in shown.out
    again = ("--file", "honest.py", "--games", "1", "--json")
    audited = json.loads(cli("contest", "audit", "--ledger", str(path), *again).out)
    assert [entry["played_again"] for entry in audited["entries"]] == [1]


def test_trials_are_drawn_evenly_and_an_audit_tells_how_far_it_is(path: Path) -> None:
    steps = []
    with Ledger(path, read_only=True) as book:
        entry = book.entries()[0]
        audit_entry(book, entry, SETTING, progress=lambda what, new, done, total: steps.append((done, total)))
    assert steps == [(done, 12) for done in range(1, 13)]
    for games, trials in ((None, list(range(12))), (50, list(range(12))), (4, [0, 3, 6, 9]), (1, [0])):
        assert PlayAgain(submission_of(OURS), sandbox.Trusted(), games).trials(entry) == trials


def test_a_running_entry_has_its_terms_checked_and_no_more(path: Path, cli: Cli) -> None:
    with Ledger(path) as ledger:
        entry = ledger.enter("Third", submission_of("z = 3\n"), SETTING, Limits(), "test", stop=SHORT)
        assert audit_entry(ledger, entry, SETTING) == []
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code == 0
    assert "is running" in shown.out
    sql(path, f"UPDATE entries SET name = 'Fourth' WHERE id = '{entry.id}'")
    assert everything(path)[str(entry.key)] == ["its id does not follow from its terms"]


def test_an_entry_that_ended_is_audited(tmp_path: Path) -> None:
    path, broken = tmp_path / "contest.sqlite", submission_of("import nowhere\n")
    with Ledger(path) as ledger:
        entry = ledger.enter("Broken", broken, SETTING, Limits(), "test", stop=SHORT)
        entry = play_entry(ledger, entry, broken, SETTING, launcher=sandbox.find())
        assert (entry.state, entry.trials) == ("ended", 3) and "nowhere" in entry.reason
        assert ledger.standings(entry) == []
        assert audit_entry(ledger, entry, SETTING, PlayAgain(broken, sandbox.find())) == []
    sql(path, "INSERT INTO standings VALUES (1, 0.05, 1.0, 1.0, 0.9, 1.0, 3, 1.0, 1)")
    assert "it has standings, but its run was not finished" in everything(path)["1"]


# A forger who owns the file and works out every hash again.


def forge(path: Path, change: Callable[[Row, str], Row], trials: int = 12, key: int = 1) -> None:
    """Change the games of an entry, given each row and its true answer; then make all else follow from that."""
    with Ledger(path) as ledger:
        entry = ledger.by_key(key)
        seeds = Seeds(int(str(entry.seed)))
        rows = list(ledger.rows(entry))[:trials]
    changed = [worked_out(change(row, answer_of(seeds, row.trial)), seeds) for row in rows]
    sql(path, f"DELETE FROM trials WHERE entry = {key}")
    with Ledger(path) as ledger:
        for row in changed:
            ledger.insert("trials", {"entry": key, **vars(row)})
    conclude(path, trials, key)


def answer_of(seeds: Seeds, trial: int) -> str:
    return ORIGINAL.answers[seeds.answer(trial, len(ORIGINAL.answers))]


def worked_out(row: Row, seeds: Seeds) -> Row:
    """The trial of these moves, as the referee would have kept it."""
    answer, turns = answer_of(seeds, row.trial), []
    for ask, (guess, epsilon, _) in enumerate(row.log):
        channel = make_channel(SETTING.channel, epsilon, 5)
        turns.append(
            Turn(guess, epsilon, int(channel.sample(int(clue(guess, answer)), seeds.noise(row.trial, ask, 5))))
        )
    verdict = Verdict(row.verdict)
    if row.proposed is not None:
        verdict = Verdict.WIN if row.proposed == answer else Verdict.LOSS
    game = Game(row.trial, answer, verdict, row.proposed, row.reason, tuple(turns), row.seconds, row.slowest)
    return Row.of(game, figures(SETTING, game), row.errors)


def conclude(path: Path, trials: int = 12, key: int = 1) -> None:
    """Make standings, flag and digests follow from the games."""
    with Ledger(path) as ledger:
        entry = ledger.by_key(key)
        outcomes = ledger.outcomes(entry, trials)
        sql(path, f"DELETE FROM standings WHERE entry = {key}")
        for standing in standings(outcomes, entry.stop_rule):
            ledger.insert("standings", {"entry": key, **vars(standing)})
        ledger.update("entries", key, trials=trials, flag=flag(outcomes))
    seal(path)


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
    conclude(path, key=2)
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
        faults = audit_entry(book, entry, SETTING, PlayAgain(submission_of(RIVAL), sandbox.find(), 12))
        assert any("the proposal" in fault and "when played again" in fault for fault in faults)


def test_a_run_cut_where_it_looks_best(path: Path) -> None:
    forge(path, lambda row, answer: row, trials=6)
    assert everything(path)["1"] == ["its run stopped after 6 trials; by its stop rule it stops not yet"]


def test_chances_and_evidence_of_the_forgers_own(path: Path) -> None:
    sql(path, "UPDATE trials SET chance = 1.0 WHERE entry = 1 AND proposed IS NOT NULL")
    conclude(path)
    assert any("the chance of the proposed word was" in fault for fault in everything(path)["1"])
    sql(path, f"UPDATE trials SET evidence = '{json.dumps([0.0] * 12)}' WHERE entry = 2")
    conclude(path, key=2)
    assert "trial 0: the evidence does not follow from the game" in everything(path)["2"]


def reseed(path: Path, root: str = "") -> None:
    """Another nonce and secret for the first entry, with the commitment and the seed that follow."""
    with Ledger(path) as ledger:
        entry = ledger.by_key(1)
    secret = "7" * 64
    entry = replace(entry, nonce="a better one", commitment=commitment(secret), secret=secret)
    seed = scoring_seed(secret, entry.facts(SEEDED))
    values = (entry.nonce, entry.commitment, secret, str(seed))
    sql(path, "UPDATE entries SET nonce = ?, commitment = ?, secret = ?, seed = ? WHERE key = 1", values=values)
    sql(path, "UPDATE contest SET secret = ?", values=(root,))
    forge(path, lambda row, answer: row)


def test_a_new_seed_with_its_own_nonce_and_commitment(made: Path, path: Path) -> None:
    with Ledger(path) as ledger:
        root = ledger.contest.secret
    reseed(path, root)
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


def test_another_board(path: Path) -> None:
    with Ledger(path) as ledger:
        board = ledger.by_key(1).board
    sql(path, "UPDATE entries SET limits = replace(limits, ':', ' : ') WHERE key = 1")
    with Ledger(path) as ledger:
        assert ledger.by_key(1).board == board, "the same limits, written in another way"
    assert everything(path)["1"] == []
    sql(path, "UPDATE entries SET limits = replace(limits, '\"asks\" : 100', '\"asks\" : 100.5') WHERE key = 1")
    assert any("limits: asks" in fault for fault in everything(path)["1"])
    sql(path, "UPDATE entries SET limits = replace(limits, '100.5', '100'), rule = 'counted' WHERE key = 1")
    assert "its id does not follow from its terms" in everything(path)["1"]


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
        ("UPDATE entries SET name = name || ' 2'", "its id does not follow"),
        ("UPDATE entries SET entered = '2020-01-01T00:00:00+00:00'", "its id does not follow"),
        ("UPDATE entries SET call = 'Other'", "its digest does not follow"),
        ("UPDATE entries SET id = '00000000000' || key", "its id does not follow"),
        ("UPDATE entries SET engine = 1", "cannot be replayed here: it was scored by engine 1"),
        ("UPDATE entries SET strategy = 'Another'", "its results are not those"),
        ("UPDATE entries SET finished = '2020-01-01T00:00:00+00:00'", "its results are not those"),
        ("UPDATE entries SET trials = 11", "is said to have 11 trials"),
        ("UPDATE entries SET state = 'ended'", "it has standings"),
        ("UPDATE entries SET state = 'running'", "it is running, but has secret"),
        ("UPDATE entries SET state = 'won'", "state 'won' is not known"),
        ("UPDATE entries SET flag = NULL", "it has no flag"),
        ("UPDATE trials SET errors = 'other' WHERE trial = 3", "its trials are not those"),
        ("UPDATE standings SET win_rate = 0.9 WHERE percentile = 0.5", "its results are not those"),
        ("DELETE FROM trials WHERE trial = 3", "trial 3 is missing"),
        (f"INSERT INTO trials (entry, {ROW_COLUMNS}) SELECT entry, 12, {ROW_COLUMNS[7:]} FROM trials WHERE trial = 0",
         "said to have 12 trials, the log has 13"),
    ],
)  # fmt: skip
def test_what_was_changed_is_told_of_every_entry(change: str, said: str, path: Path) -> None:
    sql(path, change)
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
        ("UPDATE contest SET commitment = 'x'", "not the one that was committed to"),
        ("UPDATE contest SET secret = '77'", "not the one that was committed to"),
        ("UPDATE contest SET secret = '', closed = '2999'", "its secret is not published"),
        ("UPDATE contest SET closed = '2000'", "was taken after the contest was closed"),
        ("UPDATE contest SET records = '{}'", "the contest: records has not the fields of Records"),
        ("UPDATE entries SET call = '!' WHERE key = 2", "cannot be read"),
        ("DELETE FROM contest", "0 contests"),
    ],
)
def test_what_was_changed_in_the_ledger_as_a_whole(change: str, said: str, path: Path) -> None:
    sql(path, change)
    found = everything(path)["ledger"]
    assert any(said in fault for fault in found), found
    one_line_each(found)


def test_a_run_that_ended_after_its_end(path: Path) -> None:
    sql(
        path,
        f"INSERT INTO trials (entry, {ROW_COLUMNS}) SELECT entry, 12, {ROW_COLUMNS[7:]} FROM trials WHERE trial = 0",
        "UPDATE entries SET state = 'ended', reason = 'it crashed', trials = 13, flag = NULL",
        "DELETE FROM standings",
    )
    assert "its run was to be finished after 12 trials" in everything(path)["1"]


def test_entries_of_other_words_and_engines_do_not_stop_an_audit(path: Path, cli: Cli) -> None:
    with Ledger(path) as ledger:
        other = ledger.enter("Small", submission_of(OURS), Setting(SMALL), Limits(), "test", stop=SHORT)
        play_entry(ledger, other, submission_of(OURS), Setting(SMALL), launcher=sandbox.find())
        ledger.enter("Fourth", submission_of("z = 3\n"), SETTING, Limits(), "test", stop=SHORT)
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code == 1
    assert shown.out.count("no faults found") == 4
    assert "cannot be replayed here: it was scored with other words than original" in shown.out
    (path.parent / "answers.txt").write_text("\n".join(SMALL.answers))
    (path.parent / "guesses.txt").write_text("\n".join(SMALL.guesses))
    lists = ("--answers", str(path.parent / "answers.txt"), "--guesses", str(path.parent / "guesses.txt"))
    shown = cli("contest", "audit", other.id, "--ledger", str(path), *lists)
    assert (shown.code, shown.out.count("no faults found")) == (0, 2)


# The strategy.


def test_another_submission_is_not_played(path: Path, tmp_path: Path, cli: Cli) -> None:
    assert "the submission is another one than was entered" in played_again(path, code=RIVAL)[0]
    (tmp_path / "honest.py").write_text(OURS + "#")
    shown = cli("contest", "audit", "--ledger", str(path), "--file", "honest.py")
    assert shown.code == 2
    assert "no submission of this file and call" in shown.err
    assert cli("contest", "audit", "Ours", "--ledger", str(path), "--file", "honest.py").code == 1
    assert cli("contest", "audit", "--ledger", str(path), "--games", "5").code == 2


def test_a_strategy_that_cannot_be_played_again_is_told(path: Path) -> None:
    code = "import nowhere\n"
    sql(path, "UPDATE entries SET digest = ? WHERE key = 1", values=(submission_of(code).digest,))
    assert any(
        "played again, the run ends after 3 trials: at start" in fault for fault in played_again(path, code=code)
    )


ASK = ("salet", 9.0, 7)
LOGGED = Row(3, "crate", "crate", "WIN", "", 9.0, 1.0, (), [ASK], "", 0.0, 0.0)
AGAIN = Game(3, "crate", Verdict.WIN, "crate", "", (Turn(*ASK),))


@pytest.mark.parametrize(
    ("row", "game", "said"),
    [
        ({}, {}, ""),
        ({"proposed": "pound"}, {}, "move 1 is the proposal pound in the log and the proposal crate when"),
        ({"log": []}, {}, "move 0 is the proposal crate in the log and salet at 9.0 when"),
        ({"log": [("salet", 9.5, 7)]}, {}, "move 0 is salet at 9.5 in the log and salet at 9.0 when"),
        ({"log": [("salet", 9.0, 0)]}, {}, "the clue to ask 0 is ..... in the log"),
        ({"proposed": None, "verdict": "TIMEOUT"}, {}, "TIMEOUT in the log and WIN when .* after the same 1 .*alone"),
        ({}, {"proposed": None, "verdict": Verdict.MEMORY}, "WIN in the log and MEMORY .*alone can make this"),
        ({"proposed": None, "verdict": "INVALID"}, {}, "INVALID in the log and WIN when played again, .* asks$"),
        (
            {"proposed": None, "verdict": "CRASH"},
            {"proposed": None, "verdict": Verdict.INVALID},
            "CRASH in the log and INVALID",
        ),
        ({"proposed": None, "verdict": "CRASH", "log": []}, {}, "CRASH .* after the same 0 asks; a clock"),
    ],
)
def test_where_two_games_part(row: dict[str, Any], game: dict[str, Any], said: str) -> None:
    found = difference(replace(LOGGED, **row), replace(AGAIN, **game))
    if not said:
        assert found == []
        return
    assert re.match(said, found[0]), found
    assert len(found) == 1


# Copies.


def test_everything_of_a_copy_still_stands(made: Path, path: Path, cli: Cli) -> None:
    for copy in ("before Ours.sqlite", "before Rival.sqlite", "after.sqlite"):
        assert against(path, made / copy) == []
    shown = cli("contest", "audit", "--ledger", str(path), "--against", str(made / "before Rival.sqlite"))
    assert (shown.code, shown.out.count("no faults found")) == (0, 4)
    assert against(made / "before Rival.sqlite", made / "before Ours.sqlite") == [], "copies are compared, too"
    shown = cli("contest", "audit", "--ledger", str(made / "before Ours.sqlite"), "--against", str(path), "--json")
    assert shown.code == 1
    assert any("'Rival' is not there any more" in fault for fault in json.loads(shown.out)["against"])


def test_what_may_happen_after_a_copy(path: Path, tmp_path: Path) -> None:
    forge(path, lambda row, answer: replace(row, log=[], proposed=answer))
    copy = tmp_path / "copy.sqlite"
    with Ledger(path) as ledger:
        ledger.publish(copy)
        ledger.clear(ledger.by_key(1), "we looked")
        ledger.set_records({0.05: 3.0})
        ledger.enter("Third", submission_of("z = 3\n"), SETTING, Limits(), "test", stop=SHORT)
        ledger.close_contest()
        ledger.publish(tmp_path / "closed.sqlite")
    assert against(path, copy) == against(path, tmp_path / "closed.sqlite") == []
    sql(path, "UPDATE entries SET cleared = 'it is a friend' WHERE key = 1", "UPDATE contest SET closed = ''")
    found = against(path, tmp_path / "closed.sqlite")
    assert len(found) == 2 and "closed in the copy" in found[0] and found[1].endswith("not as it was: another cleared")


def drop(path: Path) -> None:
    """The first entry, as if it had never been: the second takes its number."""
    with closing(sqlite3.connect(path)) as database, database:
        for table, column in (("trials", "entry"), ("standings", "entry"), ("entries", "key")):
            database.execute(f"DELETE FROM {table} WHERE {column} = 1")
            database.execute(f"UPDATE {table} SET {column} = 1")


def unfinish(path: Path) -> None:
    sql(
        path,
        "DELETE FROM standings",
        "DELETE FROM trials",
        "UPDATE entries SET state = 'running', trials = NULL, secret = NULL, seed = NULL, flag = NULL, finished = ''",
    )


@pytest.mark.parametrize(
    ("forgery", "said"),
    [
        (
            "UPDATE entries SET entered = '2020-01-01T00:00:00+00:00' WHERE key = 1",
            "'Ours' is not as it was: another id, entered",
        ),
        ("UPDATE entries SET name = 'Mine' WHERE key = 1", "'Ours' is not as it was: another id, name"),
        ("UPDATE entries SET author = 'Ann' WHERE key = 1", "'Ours' is not as it was: another id, author"),
        ("UPDATE contest SET secret = '', commitment = 'x'", "the copy is of another contest"),
        ("DELETE FROM entries WHERE key = 2", "'Rival' is not there any more"),
        ("DELETE FROM trials WHERE trial > 5", "'Ours' has other games, from trial 6 on"),
        ("UPDATE standings SET sampled = 1.0", "'Rival' is not as it was: another results digest, standings"),
        (reseed, "'Ours' is not as it was: another id, nonce"),
        (drop, "'Ours' is not as it was: another id, name"),
        (unfinish, "'Rival' is not as it was: another state"),
    ],
)
def test_a_copy_shows_what_was_done_since(forgery: Any, said: str, made: Path, path: Path) -> None:
    sql(path, forgery) if isinstance(forgery, str) else forgery(path)
    seal(path)
    found = against(path, made / "after.sqlite")
    assert any(said in fault for fault in found), found
    one_line_each(found)


nasty = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(max_size=20),
    st.text(max_size=20),
    st.sampled_from(["", "[]", "{}", "[[]]", "null", "1e999", "NaN", "[" * 5000, "9" * 5000, '{"a": 1}', "0x1", "-1"]),
    st.sampled_from(['[["salet", 9.0, -1]]', '[["salet", "9", 0]]', '[["salet", 9.0, 1e3]]', "finished", "running"]),
    st.sampled_from(["Name(", "f(x)", "0" * 64, "\u202e", "a\nb", "\x1b[31m", '{"budgets": {"5": 1}, "margin": 2}']),
    st.just('[["salet", 1' + "0" * 400 + ", 0]]"),
)
# Files that no wordpl has written.

ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("CREATE TRIGGER t AFTER UPDATE ON entries BEGIN DELETE FROM trials; END", "trigger 't'"),
        ("CREATE INDEX i ON entries (name)", "index 'i'"),
        ("ALTER TABLE entries ADD COLUMN more TEXT", "table 'entries'"),
        ("DROP TABLE standings", "table 'standings'"),
        (f"DROP TABLE standings;; CREATE VIEW standings AS {ENDLESS}", "view 'standings'"),
    ],
)
def test_a_foreign_schema_is_told_and_nothing_else_is_read(change: str, what: str, path: Path, cli: Cli) -> None:
    said = f"its {what} is not as expected"
    sql(path, *change.split(";; "))
    with pytest.raises(ForeignSchemaError) as caught:
        Ledger(path, read_only=True)
    assert any(said in fault for fault in caught.value.faults)
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code == 1
    assert said in shown.out
    assert "Ours" not in shown.out
    shown = cli("contest", "board", "--ledger", str(path))
    assert (shown.code, shown.out, shown.err.count("\n")) == (2, "", 1)
    with pytest.raises(ForeignSchemaError):
        Ledger(path)


def test_a_schema_that_cannot_be_parsed_is_one_line(path: Path, cli: Cli) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE entries (' WHERE name = 'entries'")
    shown = cli("contest", "board", "--ledger", str(path))
    assert (shown.code, shown.err.count("\n"), shown.out) == (2, 1, "")
    shown = cli("contest", "audit", "--ledger", str(path))
    assert (shown.code, shown.err, len(shown.out.splitlines())) == (1, "", 2)


def test_an_audit_makes_nobody_wait(path: Path) -> None:
    with Ledger(path, read_only=True) as book, book.copied():
        rows = book.rows(book.entries()[0])
        next(rows)
        with Ledger(path) as ledger:
            ledger.enter("Third", submission_of("z = 3\n"), SETTING, Limits(), "test", stop=SHORT)
        assert len(list(rows)) == 11
        assert len(book.entries()) == 2


def test_a_cell_too_large_is_one_line_and_is_not_read(path: Path) -> None:
    sql(path, "UPDATE trials SET log = hex(zeroblob(20000000)) WHERE entry = 1 AND trial = 7")
    tracemalloc.start()
    found = everything(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert any("too big" in fault for fault in found["1"])
    assert found["2"] == []
    one_line_each(found["1"])
    assert peak < 16e6


def test_a_stop_rule_without_end_is_not_followed(path: Path) -> None:
    for trials in (10**15, 10**6):
        stop = canonical({"first": 1, "step": 1, "max_trials": trials, "error": 0.05})
        sql(path, "UPDATE entries SET stop = ? WHERE key = 1", values=(stop,))
        assert "stop rule is longer than any" in everything(path)["1"][0]


@pytest.fixture(scope="module")
def loose(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger whose tables take anything; `sealed` makes it look like any other again."""
    path = Path(shutil.copy(made / "contest.sqlite", tmp_path_factory.mktemp("loose")))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_master SET sql = replace(replace(sql, ' NOT NULL', ''), ' CHECK (one = 1)', '')"
        )
    return path


def sealed(path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(SCHEMA)
        made = fresh.execute("SELECT sql, name FROM sqlite_master WHERE type = 'table'").fetchall()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", made)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.sampled_from(list(columns())), value=nasty)
def test_no_cell_makes_a_traceback(
    place: tuple[str, str], value: object, loose: Path, tmp_path_factory: pytest.TempPathFactory, cli: Cli
) -> None:
    table, column = place
    path = Path(shutil.copy(loose, tmp_path_factory.mktemp("fuzz") / "contest.sqlite"))
    try:
        with closing(sqlite3.connect(path)) as database, database:
            where = f"rowid = (SELECT max(rowid) FROM {table})" if table in ("contest", "entries") else "1"
            where = "entry = 2 AND trial = 1" if table == "trials" else where
            where = "entry = 2 AND percentile = 0.5" if table == "standings" else where
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
    except (sqlite3.IntegrityError, UnicodeEncodeError, OverflowError):
        return
    sealed(path)
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code in (0, 1) and shown.err == ""
    one_line_each(shown.out.splitlines())
    if table in ("entries", "trials", "standings"):  # of Rival: the audit of the other one goes on
        assert re.search("Ours: finished, 12 trials.*no faults found", shown.out)
    shown = cli("contest", "board", "--errors", "--ledger", str(path))
    assert shown.code in (0, 2) and shown.err.count("\n") == (shown.code == 2)
    one_line_each([*shown.out.splitlines(), *shown.err.splitlines()])


def test_an_audit_of_a_ledger_without_entries_says_so(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    Ledger(path).close()
    shown = cli("contest", "audit", "--ledger", str(path))
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines() == [
        "ledger: no faults found",
        "the ledger has no entries, so there is no game to replay",
    ]
    assert json.loads(cli("contest", "audit", "--ledger", str(path), "--json").out) == {"ledger": [], "entries": []}
    assert "no submission that matches 'Ann'" in cli("contest", "audit", "Ann", "--ledger", str(path)).err
    sql(path, "UPDATE contest SET commitment = ''")
    assert cli("contest", "audit", "--ledger", str(path)).code == 1
