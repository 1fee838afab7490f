"""The results file: idempotent, mergeable, the same in every format, and no other database."""

import itertools
import json
import math
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import astuple, replace
from threading import Barrier, BrokenBarrierError

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.helpers import SIX, SMALL, Sometimes, full_disk, rows_of
from tests.support.refusals import refusal
from tests.support.runs import changed
from wordpl import Fibble, RandomizedResponse, Store, WordplError, make_task, parse_strategy, sweep
from wordpl.base.engine import ENGINE_VERSION
from wordpl.simulation import TaskFilter, percentile_interval, read_outcomes, win_interval
from wordpl.simulation.store import SCHEMA_VERSION, opened
from wordpl.simulation.trials import RESULT

TASK = make_task(Sometimes(), words=SMALL)
OTHER = make_task("TwoGuess(epsilon=8.5)", words=SIX, rule="counted", seed=2**200)
PLAIN = make_task("Greedy(inf)", words=SMALL, channel=Fibble)


def played(start, stop, task=TASK):
    return rows_of(task, start, stop)


@pytest.fixture
def full(store):
    for task in (TASK, OTHER, PLAIN):
        store.add([(task, played(0, 40, task))])
    return store


def exported(store, ending="csv", **options):
    target = store.path.parent / f"out.{ending}"
    n = store.export(target, **options)
    return n, target


@pytest.fixture(scope="module")
def rows():
    return {task: played(0, 31, task) for task in (TASK, OTHER, PLAIN)}


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 30)), st.booleans()), max_size=6),
    st.integers(0, 30),
    st.integers(0, 30),
)
def test_of_each_trial_the_row_that_came_first_is_kept(tmp_path_factory, rows, batches, first, trials):
    """Against a dictionary: what comes back, in order, and the gaps. Batches overlap, and their rows may differ."""
    kept = {task: {} for task in rows}
    with Store(tmp_path_factory.mktemp("rows") / "results.sqlite") as store:
        for number, numbers, changed in batches:
            task, other = [*rows][number], {"budget": 0.5, "reason": "changed"} if changed else {}
            added = [rows[task][n]._replace(**other) for n in numbers]
            store.add([(task, added[:4]), (task, added)])
            kept[task] = {row.trial: row for row in added} | kept[task]
        counts = {row.id: row.trials for row in store.tasks()}
        assert sum(map(len, kept.values())) == len(store.frame()) == sum(run.trials for run in store.provenance())
        for task, of_task in kept.items():
            expected, found = [of_task[n] for n in sorted(of_task)], store.evaluation(task, 31)
            assert [tuple(row) for row in found.results.tolist()] == expected and found.results.dtype == RESULT
            assert found.reasons == {row.trial: row.reason for row in expected if row.reason}
            assert (len(found), len(store.evaluation(task, 7))) == (counts.get(task.id, 0), sum(n < 7 for n in of_task))
            gaps, asked = store.missing(task, trials, first), {*range(first, first + trials)}
            assert [trial for start, end in gaps for trial in range(start, end)] == sorted(asked - of_task.keys())
            assert all(start < end for start, end in gaps)
            assert all(end < start for (_, end), (start, _) in itertools.pairwise(gaps))


def test_tasks(full):
    rows = {row.id: row for row in full.tasks()}
    assert set(rows) == {TASK.id, OTHER.id, PLAIN.id}
    spec = OTHER.id, "TwoGuess(epsilon=8.5)", OTHER.strategy.code, "TwoGuess()", 8.5, False
    game = "six", "counted", "randomized_response", "contest", False, str(2**200), ENGINE_VERSION
    assert astuple(rows[OTHER.id]) == (*spec, *game, 40)
    assert (rows[PLAIN.id].epsilon, rows[PLAIN.id].noiseless, rows[PLAIN.id].channel) == (math.inf, True, "fibble")
    schedule = make_task("Greedy((20, 9), 2)").row
    assert (schedule.is_schedule, schedule.epsilon, make_task(OTHER.strategy).seed) == (True, 14.5, 1)
    full.add([(make_task(f"Greedy({epsilon})", words=SMALL), []) for epsilon in (10, 9)])
    assert [row.epsilon for row in full.tasks(TaskFilter(["Greedy"]))] == [9.0, 10.0, math.inf]
    header = full.path.read_bytes()[60:72]
    assert (int.from_bytes(header[:4], "big"), header[8:]) == (SCHEMA_VERSION, b"WPLR")


def test_a_task_id_tells_everything_apart(monkeypatch):
    greedy, exact = parse_strategy("Greedy(5)"), parse_strategy("Greedy(inf)")
    channels = ["fibble", "fibble:0", "fibble:2", "randomized_response:inf", lambda *given: None]
    tasks = [
        *(make_task(greedy, words=words) for words in (SMALL, SIX)),
        *(make_task(greedy, words=SMALL, **more) for more in ({"rule": "counted"}, {"seed": 2})),
        *(make_task(exact, words=SMALL, channel=channel) for channel in ["randomized_response", *channels]),
        make_task("Greedy(5.000000001)", words=SMALL),
    ]
    assert len({task.id for task in tasks}) == len(tasks)
    assert make_task(greedy, words=SMALL).id == tasks[0].id
    again = [RandomizedResponse, "fibble:1", "fibble:00", "fibble:02", "randomized_response:Infinity"]
    found = [make_task(exact, words=SMALL, channel=channel).id for channel in again]
    assert found == [task.id for task in tasks[4:9]]
    with pytest.raises(WordplError, match="fibble:6 is not for words of 5 letters: lies 6"):
        make_task(exact, words=SMALL, channel="fibble:6")
    monkeypatch.setattr("wordpl.simulation.tasks.ENGINE_VERSION", ENGINE_VERSION + 1)
    assert make_task(greedy, words=SMALL).id != tasks[0].id


def test_a_frame_has_what_the_file_has_and_what_an_export_writes(full):
    """And a table has the tasks and the confidence that are chosen (`tests/reporting/test_every_cell.py`)."""
    columns, texts = [*full.frame(timings=True)], dict.fromkeys(("proposed", "reason"), "")
    query = "SELECT * FROM tasks JOIN trials ON key = task ORDER BY family, epsilon, strategy, code, id, trial"
    with closing(sqlite3.connect(full.path)) as database:
        stored = pd.read_sql_query(query, database)[columns]
    frame = full.frame(timings=True).fillna(texts)
    pd.testing.assert_frame_equal(frame, stored.fillna(texts), check_dtype=False)
    assert frame["noiseless"].dtype == frame["is_schedule"].dtype == bool
    plain = json.loads(exported(full, "json")[1].read_text())
    assert {(row["epsilon"], row["budget"]) for row in plain if row["noiseless"] is True} == {("inf", "inf")}
    assert {type(row[name]) for row in plain for name in ("noiseless", "is_schedule")} == {bool}
    of_json = ({name: math.inf if value == "inf" else value for name, value in row.items()} for row in plain)
    for written, exact in (
        (pd.read_csv(exported(full)[1], dtype={"seed": str}), False),  # pandas 2 reads some numbers a last digit off
        (pd.read_parquet(exported(full, "parquet")[1]), True),
        (pd.DataFrame(of_json), True),
    ):
        pd.testing.assert_frame_equal(full.frame().fillna(texts), written.fillna(texts), False, check_exact=exact)
    assert exported(full, timings=True)[1].read_text().splitlines()[0].endswith(",seconds,slowest")
    n, target = exported(full, where=TaskFilter(contains="sometimes"))
    assert n == len(target.read_text().splitlines()) - 1 == len(full.frame(TaskFilter(["TwoGuess"]))) == 40
    assert full.frame(TaskFilter(["none"])).shape == (0, len(columns) - 2)
    table = full.table()
    narrow = full.table(TaskFilter(["TwoGuess"]), confidence=0.5)
    assert len(narrow) == 1
    (wide,) = table[table["rule"] == "counted"].to_dict("records")
    assert wide["win_rate_low"] < narrow["win_rate_low"][0] < narrow["win_rate_high"][0] < wide["win_rate_high"]
    pd.testing.assert_frame_equal(read_outcomes([full]).frame, table)
    pd.testing.assert_frame_equal(read_outcomes([full], TaskFilter(["TwoGuess"]), 0.5).frame, narrow)


def test_a_full_disk_keeps_what_was_there_and_no_trials_are_neither_evaluated_nor_exported(store):
    store.add([(TASK, [])])
    assert ([row.trials for row in store.tasks()], store.evaluations(), store.provenance()) == ([0], [], [])
    old = store.path.with_name("old.csv")
    old.write_text("old")
    assert "no trials to export" in refusal(store.export, old) and old.read_text() == "old"
    store.add([(TASK, played(0, 10))])
    large = played(0, 1000, OTHER)
    said = r"results.sqlite: (database or disk is full|disk I/O error)"
    with full_disk(store.path.stat().st_size), pytest.raises(WordplError, match=said):
        store.add([(OTHER, large)])
    assert store.missing(TASK, 10) == []
    store.add([(OTHER, large)])  # its key has gone with the transaction, and is made again
    store.add([(TASK, played(10, 30))])  # there is no transaction left open
    assert store.missing(TASK, 30) == []


def test_merge(tmp_path):
    with Store(tmp_path / "a.sqlite") as a, Store(tmp_path / "b.sqlite") as b:
        a.add([(TASK, played(0, 10))])
        b.add([(TASK, played(5, 25))])
        b.add([(OTHER, played(0, 4, OTHER))])
        assert sorted(len(one) for one in read_outcomes([a.path, b])) == [4, 25] and a.missing(TASK, 25) == [(10, 25)]
        assert a.merge(b) == 15 + 4
        assert a.merge(b) == 0
        assert a.missing(TASK, 25) == a.missing(OTHER, 4) == []
        assert b.missing(TASK, 5) == [(0, 5)]
        with Store(a.path) as again, pytest.raises(WordplError, match="into itself"):
            a.merge(again)
        before = a.path.read_bytes()
        with opened([a.path, b]) as (mine, same):
            assert same is b and "readonly" in refusal(mine.add, [(OTHER, played(5, 6, OTHER))])
            assert (mine.tasks(), list(mine.rows())) == (a.tasks(), list(a.rows()))
        assert a.path.read_bytes() == before
        with opened(a.path, read_only=False) as (mine,):
            mine.add([(OTHER, played(5, 6, OTHER))])
        with Store.united([a]) as alone, Store.united([a.path, b]) as both:
            assert alone is a and both.path not in (a.path, b.path)
            assert sum(task.trials for task in both.tasks()) == 25 + 5


@pytest.mark.parametrize("column", ["budget", "answer", "verdict", "proposed", "turns"])
def test_merge_refuses_what_disagrees_and_changes_nothing(tmp_path, column):
    with Store(tmp_path / "a.sqlite") as a, Store(tmp_path / "b.sqlite") as b:
        a.add([(TASK, played(0, 10))])
        b.add([(OTHER, played(0, 4, OTHER))])
        rows = played(0, 20)
        value = {"budget": 0.5, "verdict": "MEMORY", "turns": 7}.get(column, SMALL.answers[7])
        rows[9] = rows[9]._replace(**{column: value})
        b.add([(TASK, rows)])
        before, runs = exported(a)[1].read_bytes(), a.provenance()
        for call, given in ((a.merge, b), (read_outcomes, [a, b])):
            assert "another trial 9 of Sometimes" in refusal(call, given)
        assert (exported(a)[1].read_bytes(), a.provenance()) == (before, runs)
        assert [row.id for row in a.tasks()] == [TASK.id]
        a.add([(OTHER, played(0, 2, OTHER))])  # still in working order
        assert len(a.evaluation(OTHER, 9)) == 2


@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_results_file(tmp_path, read_only):
    names = ("txt", "db", "new", "old", "none")
    text, foreign, newer, older, unmarked = (tmp_path / f"{name}.sqlite" for name in names)
    text.write_text("this is no database, however long one looks at it\n" * 100)
    changed(foreign, "CREATE TABLE recipes (name TEXT)", f"PRAGMA user_version = {SCHEMA_VERSION}")
    for path, change in ((newer, f"user_version = {SCHEMA_VERSION + 1}"), (older, "user_version = 1")):
        Store(path).close()
        changed(path, f"PRAGMA {change}")
    Store(unmarked).close()
    changed(unmarked, "PRAGMA application_id = 0")
    for path, reason in [
        (text, "not a results file"),
        (foreign, "not a results file"),
        (newer, f"format {SCHEMA_VERSION + 1}"),
        (older, f"is a results file of format 1, and this wordpl reads format {SCHEMA_VERSION}: make it anew"),
        (unmarked, "is not a results file, or an old wordpl made it; in that case make it anew"),
    ]:
        before = path.read_bytes()
        assert reason in refusal(Store, path, read_only=read_only)
        assert path.read_bytes() == before
    (tmp_path / "empty.sqlite").touch()
    for name, said in (("missing", "no results file"), ("empty", "not a results file")):
        assert said in refusal(Store, tmp_path / f"{name}.sqlite", read_only=True)
    assert not (tmp_path / "missing.sqlite").exists() and not (tmp_path / "empty.sqlite").stat().st_size


def test_the_scores_of_wordle_are_guesses(store):
    task = make_task("FollowTree()", rule="counted", format="wordle:3:salet")
    played = sweep([task], 30, store=store)[0]
    (stored,) = read_outcomes(store)
    assert store.tasks()[0].format == "wordle:3:salet"
    assert stored.summary() == played.summary()
    assert set(stored.scores) == {2.0, 3.0, float("inf")}
    counts = [sum(stored.scores <= n) for n in (1, 2, 3)]
    assert counts[1] == sum(stored.scores == 2)
    within = {n: (won / 30, win_interval(won, 30, 0.5)) for n, won in enumerate(counts, 1)}
    assert replace(stored, confidence=0.5).win_rates_within == within
    told = [label for label, *_ in stored.estimates]
    assert "guesses, 5th percentile" in told and told[-3:] == ["won within 1", "won within 2", "won within 3"]
    assert percentile_interval(stored.scores, 0.05)[0] == 0.0
    assert stored.percentile_interval(0.05)[0] == 1.0  # there is no game of no guess


def test_two_sweeps_write_one_file_at_once(tmp_path, monkeypatch):
    """Each plays all trials. Of each trial the row that came first is kept, and both sweeps return these rows."""
    monkeypatch.setattr("wordpl.simulation.sweep._KEEP_SECONDS", 0.0)
    path, tasks, together = tmp_path / "deep" / "r.sqlite", [TASK, OTHER], Barrier(2)

    def in_step(*_: object) -> None:
        with suppress(BrokenBarrierError):  # the other has ended: it began later, and had less to play
            together.wait()

    def swept(order):
        together.wait()
        with Store(path) as store:  # a new file, which both open at once
            try:
                return sweep(tasks[::order], 20, store=store, progress=in_step)[::order]
            finally:
                together.abort()

    with ThreadPoolExecutor(2) as writers:
        found = list(writers.map(swept, (1, -1)))
    with Store(path) as store:
        kept = [store.stored(row) for row in sorted(store.tasks(), key=lambda row: row.id != TASK.id)]
        assert (
            sorted(run.trials for run in store.provenance())[-1] < 40 == sum(run.trials for run in store.provenance())
        )
    for one in (*found, kept):
        assert [each.results["trial"].tolist() for each in one] == [list(range(20))] * 2
        assert [each.results["seconds"].tolist() for each in one] == [each.results["seconds"].tolist() for each in kept]


def test_cells_that_no_sweep_has_written(full):
    full.close()
    sound = full.path.read_bytes()
    for column, value in (("answer", "zzzzz"), ("verdict", "maybe"), ("proposed", "?")):
        full.path.write_bytes(sound)
        changed(full.path, f"UPDATE trials SET {column} = '{value}' WHERE trial = 5")  # noqa: S608
        with Store(full.path) as store, pytest.raises(WordplError, match=r"results.sqlite is damaged"):
            store.evaluation(TASK, 40)


def test_a_cell_is_of_the_type_of_its_column(full):
    """SQLite keeps any type in any column: bytes in place of a text, a text in place of a number."""
    before, rows = full.frame(timings=True), played(0, 40)
    columns = ("answer", "verdict", "reason", "budget", "turns")
    changed(full.path, *(f"UPDATE trials SET {name} = CAST({name} AS BLOB) WHERE budget < 1e9" for name in columns))  # noqa: S608
    pd.testing.assert_frame_equal(full.frame(timings=True), before)
    assert full.evaluation(TASK, 40).frame["answer"].tolist() == [row.answer for row in rows]
    assert full.export(full.path.with_name("out.JSON")) == 120
