"""A ranked run on the workers of a cluster: the same as on one machine, whoever comes, goes, hangs or lies.

The workers here are threads of this process; `test_remote_cluster` has real ones.
"""

from __future__ import annotations

import json
import math
import pickle
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cluster.conftest import until
from tests.contest.remote_workers import Sandboxed, Threads
from tests.contest.test_attacks import submission_of
from tests.contest.test_budget import CRASHES, TALKS
from tests.contest.test_run_of_entry import (
    DECIDED,
    FAILS,
    LOSES,
    QUIET,
    RULE,
    SETTING,
    content,
    enter,
    keep,
    play,
)
from tests.contest.test_start_files import BUILDS
from tests.helpers import ORIGINAL, SMALL
from wordpl.contest import remote_run, sandbox, seat
from wordpl.contest.audit import audit_entry
from wordpl.contest.audit_chain import audit_chain
from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.cells import MalformedError
from wordpl.contest.draws import Draws
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.machines import Machine
from wordpl.contest.remote import Remote
from wordpl.contest.replay import Replay
from wordpl.contest.reports import Report, read_report
from wordpl.contest.sandbox import NoSandboxError
from wordpl.contest.scoring import IDENTITY, ContestRun, Played, RunEndedError, Table, play_trials
from wordpl.contest.submit import play_entry
from wordpl.errors import WordplError
from wordpl.play.seeds import Seeds
from wordpl.workers import WorkerLostError

pytestmark = pytest.mark.heavy
SHORT = Limits(start_seconds=60.0, game_seconds=20.0)


@pytest.fixture(autouse=True)
def starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandboxed]:
    """What all workers start contestants with. No run may leave anything on them."""
    made = Sandboxed()
    monkeypatch.setattr(sandbox, "find", lambda: made)
    yield made
    for run in list(seat._places):  # of workers that were lost; what is theirs goes with them elsewhere
        seat.leave(run)


def run_of(code: str, workers: Threads, limits: Limits = SHORT) -> ContestRun:
    return ContestRun(submission_of(code), SETTING, 5, limits, Remote(workers))


def played(run: ContestRun, trials: int = 40, budget: RunBudget | None = None) -> tuple[list[Played], str]:
    """What was kept, and how the run ended."""
    kept: list[Played] = []
    try:
        play_trials(run, range(trials), kept.extend, tally=Tally(budget or RunBudget()))
    except (RunEndedError, WordplError) as error:
        return kept, f"{type(error).__name__}: {error}"
    return kept, ""


def nothing_is_left() -> bool:
    """Whether no worker has anything of a run."""
    return not seat._places


def games(records: Sequence[Played]) -> list[object]:
    found = sorted(records, key=lambda record: record.game.trial)
    return [(r.game.trial, r.game.history, r.game.proposed, r.game.verdict, r.figures, r.errors) for r in found]


# The same as on one machine.


@pytest.mark.parametrize(("code", "stop"), [(QUIET, RULE), (LOSES, DECIDED)])
def test_a_run_on_a_cluster_ends_as_one_on_one_machine(tmp_path: Path, code: str, stop: Any) -> None:
    begun, here, there = (tmp_path / f"{name}.sqlite" for name in ("begun", "here", "there"))
    entry = enter(begun, code, stop)
    shutil.copy(begun, here)
    over, _ = play(here, code, entry)
    for done in ([], [7, 45, 2, 19]):
        shutil.copy(begun, there)
        keep(there, code, entry, done)
        with Ledger(there) as ledger:
            found = play_entry(ledger, entry, submission_of(code), SETTING, launcher=Remote(Threads()))
            assert audit_entry(ledger, found, SETTING) == audit_chain(ledger) == []
            shares = {machine.name: n for machine, n in ledger.workers(found).items()}
        assert content(there, found) == content(here, over)
        assert shares.keys() <= {"one", "two"}
        assert nothing_is_left()
        assert sum(shares.values()) == (over.trials or 0) - len([trial for trial in done if trial < (over.trials or 0)])


def test_it_is_the_same_whatever_the_threads_and_starts_once_for_each(starts: Sandboxed) -> None:
    here, _ = played(ContestRun(submission_of(QUIET), SETTING, 5, SHORT, starts))
    assert starts.starts == 1
    workers = Threads(["one"], threads=2)
    there, ended = played(run_of(QUIET, workers))
    assert ended == ""
    assert games(there) == games(here)
    assert nothing_is_left()
    assert 2 <= starts.starts <= 3
    assert [record.machine for record in here] == [None] * 40
    assert {(record.machine.name, record.machine.sandbox) for record in there if record.machine} == {
        ("one", "no sandbox, for tests")
    }


def test_a_worker_builds_once_for_all_its_starts() -> None:
    """Each build has another epsilon, so that one can see who plays with which."""
    kept, ended = played(run_of(BUILDS, Threads(["one"], threads=2)), 4)
    assert ended == ""
    assert len({turn.epsilon for record in kept for turn in record.game.history}) == 1


def test_where_games_are_played_one_by_one_a_cluster_does_not_help() -> None:
    run = run_of(QUIET, Threads(["one"]))
    with pytest.raises(WordplError, match="on a cluster only whole runs are played"), Table(run) as table:
        table.play(0)


# What travels.


def test_a_worker_is_given_the_kit_once_and_of_the_seed_only_its_trials_draws() -> None:
    workers = Threads()
    run = replace(run_of(QUIET, workers), submission=replace(submission_of(QUIET), path="/home/zyxwv/honest.py"))
    assert played(run, 60)[1] == ""
    sent = [(name, function) for name, function, _ in workers.calls]
    assert all(sent.count((name, "lay_out")) == 1 for name in ("one", "two"))
    packed = pickle.dumps(seat.Kit.of(run))
    assert b"zyxwv" not in packed
    assert pickle.loads(packed).submission.files == run.submission.files  # noqa: S301
    assert sum(size for _, function, size in workers.calls if function == "exchange") < 60 * 100 * 45


@given(st.integers(0, 2**256 - 1), st.lists(st.integers(0, 2**64 - 1), unique=True, min_size=1, max_size=4))
def test_draws_are_those_of_the_seed_and_do_not_hold_it(root: int, trials: list[int]) -> None:
    seeds = Seeds(root)
    draws = pickle.loads(pickle.dumps(Draws(seeds, trials, ORIGINAL, 3, IDENTITY)))  # noqa: S301
    assert draws.trials == trials
    for trial in trials:
        assert draws.answer(trial, 2315) == seeds.answer(trial, 2315)
        assert draws.player(trial, IDENTITY) == seeds.player(trial, IDENTITY)
        assert [draws.noise(trial, ask, 5) for ask in range(3)] == [seeds.noise(trial, ask, 5) for ask in range(3)]
    other = next(trial for trial in range(5) if trial not in trials)
    for drawn in (draws.answer, draws.player, draws.noise_bytes):
        with pytest.raises(KeyError):
            drawn(other, 0)
    assert seeds._key not in pickle.dumps(draws)
    assert not hasattr(draws, "_key")


# Workers that come, go, hang or have no sandbox.


def test_games_of_a_lost_worker_are_played_again_and_late_workers_are_used(starts: Sandboxed) -> None:
    workers = Threads(["one"], patience=60.0)
    kept: list[Played] = []
    there: set[int] = set()
    last = [0]

    def on_played(found: Sequence[Played]) -> bool:
        """Let another join, then lose the first; enough is there when nothing is missing that it may have had."""
        kept.extend(found)
        there.update(record.game.trial for record in found)
        if "two" not in workers._names.values():
            workers.join("two")
        elif not last[0] and {record.machine.name for record in kept if record.machine} == {"one", "two"}:
            workers.lose("one")
            last[0] = max(there) + 2 * remote_run.MOST_TRIALS
        return bool(last[0]) and there.issuperset(range(last[0]))

    play_trials(run_of(QUIET, workers), range(100_000), on_played)
    some = range(max(0, last[0] - 3 * remote_run.MOST_TRIALS), last[0])
    here: list[Played] = []
    play_trials(ContestRun(submission_of(QUIET), SETTING, 5, SHORT, starts), some, here.extend)
    assert games([record for record in kept if record.game.trial in some]) == games(here)
    assert len(there) == len(kept), "no trial comes twice"


def test_a_run_without_workers_says_so_and_keeps_what_was_played() -> None:
    workers = Threads(["one"], patience=0.1)
    kept: list[Played] = []

    def on_played(found: Sequence[Played]) -> None:
        kept.extend(found)
        workers.lose("one")

    with pytest.raises(WorkerLostError, match=r"no worker left that can play: one on .*: it is gone"):
        play_trials(run_of(QUIET, workers), range(100_000), on_played)
    assert sorted(record.game.trial for record in kept) == list(range(len(kept)))
    assert kept


def test_a_worker_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    def patience(run: Any, place: Any) -> float:
        """Of this test's, so that no honest worker of a busy machine loses it."""
        asked.append(told(run, place))
        return 0.3 if place.machine.name == "one" and place.given else math.inf

    told, asked = remote_run.RemoteRun._patience, []
    monkeypatch.setattr(remote_run.RemoteRun, "_patience", patience)
    workers = Threads(["one"], patience=60.0)
    workers.silent["one"] = lambda: workers.join("two")
    kept, ended = played(run_of(QUIET, workers))
    assert (len(kept), ended) == (40, "")
    assert "worker one on" in caplog.text
    assert "it has finished nothing for" in caplog.text
    assert set(asked) <= {math.inf, SHORT.game_seconds + 120, 4 * SHORT.start_seconds + 120}
    assert SHORT.game_seconds + 120 in asked


def test_a_game_that_takes_its_worker_with_it_is_not_given_to_all() -> None:
    workers = Threads(["0"])
    kept: list[Played] = []

    def say(report: dict[str, Any]) -> object:
        if report["open"] or report["rows"]:
            workers.join(str(len(workers._names)))
            workers.lies[str(len(workers._names) - 1)] = say
            workers.lose(str(len(workers._names) - 2))
        return report

    workers.lies["0"] = say
    with pytest.raises(WorkerLostError, match="trial 0 was lost with 5 workers"):
        play_trials(run_of(QUIET, workers), range(3), kept.extend)
    assert kept == []


def test_only_workers_with_a_sandbox_rank(caplog: Any) -> None:
    none = json.dumps({"host": "bare\x1b[2J", "problem": "no sandbox: bubblewrap is not installed"})
    workers = Threads()
    workers.told["one"] = none
    kept, _ = played(run_of(QUIET, workers))
    assert {record.machine.name for record in kept if record.machine} == {"two"}
    assert "worker one is not used: no sandbox: bubblewrap is not installed (on bare\ufffd[2J)" in caplog.text
    workers.told["two"] = none
    with pytest.raises(WordplError, match=r"no worker of the cluster can rank: no sandbox.*\(on bare"):
        Remote(workers)
    assert not {name for name, function, _ in workers.calls if function == "lay_out"} & {"one"}


def test_a_worker_says_why_it_has_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> object:
        raise NoSandboxError("no sandbox: not here")

    monkeypatch.setattr(sandbox, "find", find)
    with pytest.raises(WordplError, match="no worker of the cluster can rank: no sandbox: not here"):
        Remote(Threads(["one"]))


@pytest.mark.parametrize(
    "told",
    ["", "[]", "{", "null", "{}", '{"host": 3}', '{"host": "a", "sandbox": "b", "platform": "c", "engine": 0}'],
)
def test_a_worker_that_cannot_say_what_it_is_is_not_used(told: str) -> None:
    workers = Threads(["one"])
    workers.told["one"] = told
    with pytest.raises(WordplError, match="no worker of the cluster can rank"):
        Remote(workers)


def test_names_of_workers_are_data(tmp_path: Path) -> None:
    name = "<b>one</b>\x1b]0;title\x07\n\u202e" + "x" * 200
    path = tmp_path / "contest.sqlite"
    entry = enter(path, QUIET, RULE)
    with Ledger(path) as ledger:
        over = play_entry(ledger, entry, submission_of(QUIET), SETTING, launcher=Remote(Threads([name])))
        (machine,) = ledger.workers(over)
        assert audit_chain(ledger) == []
    assert machine.name.startswith("<b>one</b>\ufffd]0;title\ufffd\ufffd\ufffdxxx")
    assert len(machine.name) == 80
    assert repr(machine).isprintable()


# The budget of a run is that of all its workers.


def test_workers_share_a_budget() -> None:
    kept, ended = played(run_of(CRASHES, Threads()), budget=RunBudget(restarts=4))
    assert ended == "RunEndedError: started again more than 4 times in one run"
    # Five contestants were started again, each after a crash. Whether the last has played as well is chance.
    assert 5 <= len(kept) <= 9
    kept, ended = played(run_of(TALKS, Threads()), budget=RunBudget(log_bytes=2000))
    assert ended == "RunEndedError: made a log of more than 2000 bytes"
    assert 4 <= len(kept) < 40, "a seat plays what it was given"
    _, ended = played(run_of(TALKS, Threads()), budget=RunBudget(seconds=1e-9))
    assert ended == "OutOfTimeError: stopped after 1e-09 s; the same command resumes the run"


def test_first_starts_on_more_workers_are_not_held_against_a_contestant() -> None:
    workers = Threads([f"w{i}" for i in range(4)])
    kept, ended = played(run_of(QUIET, workers), 80, RunBudget(restarts=1))
    assert (len(kept), ended) == (80, "")
    _, ended = played(run_of(CRASHES, Threads()), budget=RunBudget(start_seconds=1e-6))
    assert ended == "RunEndedError: took more than 1e-06 s for all its starts"


@given(st.lists(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=4), min_size=1, max_size=4))
def test_what_counts_of_the_starts_of_some_seats(seconds: list[list[float]]) -> None:
    """Of each seat the time of its first start, and of its further ones. They are reported one by one."""
    tally = Counted()
    run = remote_run.RemoteRun(run_of(QUIET, ALL), Remote(ALL), [], lambda played: None, None, tally)
    for number, starts in enumerate(seconds):
        place = remote_run._Seat("tcp://0", number, Machine("one", "host", "sandbox", "1", 1, "platform"))
        for done in range(1, len(starts) + 1):
            run._count(place, Report([], set(), False, done, math.fsum(starts[:done]), "", ""))
    assert tally.restarts == sum(len(starts) - 1 for starts in seconds)
    assert tally.start_seconds == pytest.approx(seconds[0][0] + sum(sum(starts[1:]) for starts in seconds))


class Counted(Tally):
    """Tells what was added to it."""

    def __init__(self) -> None:
        super().__init__(RunBudget())
        self.restarts, self.start_seconds = 0, 0.0

    def add(self, *, restarts: int = 0, start_seconds: float = 0.0, log_bytes: int = 0) -> None:
        self.restarts += restarts
        self.start_seconds += start_seconds


ALL = Threads(["one"])


def test_a_contestant_that_cannot_be_started_ends_the_run(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    entry = enter(path, FAILS, RULE)
    with Ledger(path) as ledger:
        over = play_entry(ledger, entry, submission_of(FAILS), SETTING, launcher=Remote(Threads(["one"])))
        assert (over.state, over.trials) == ("ended", 3)
        assert over.reason.startswith("at start: ")
        assert audit_entry(ledger, over, SETTING) == audit_chain(ledger) == []


def test_a_run_that_is_interrupted_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    entry = enter(path, QUIET, replace(RULE, max_trials=1500, error=1e-300))  # no look decides it, and it takes a while

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with Ledger(path) as ledger:
        launcher = Remote(Threads())
        with pytest.raises(KeyboardInterrupt):
            play_entry(ledger, entry, submission_of(QUIET), SETTING, launcher=launcher, progress=interrupt)
        assert 0 < len(ledger.missing(entry, 1500)) < 1500
        assert nothing_is_left()
        assert sum(ledger.workers(entry).values()) == 1500 - len(ledger.missing(entry, 1500))
        over = play_entry(ledger, entry, submission_of(QUIET), SETTING, launcher=launcher)
        assert sum(ledger.workers(over).values()) == over.trials == 1500
        assert audit_entry(ledger, over, SETTING) == audit_chain(ledger) == []


def test_a_seat_that_hears_nothing_ends_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat, "IDLE_SECONDS", 0.3)
    seat.lay_out("a run", seat.Kit(submission_of(QUIET), SETTING, SHORT))
    assert json.loads(seat.exchange("a run", 0, None, 0.0))["starting"]
    until(nothing_is_left)
    assert json.loads(seat.exchange("a run", 0, None, 0.0)) == {"gone": True}
    seat.lay_out("no run", seat.Kit(submission_of(QUIET), SETTING, SHORT))
    until(nothing_is_left)


def test_a_seat_that_was_idle_for_long_is_opened_again(starts: Sandboxed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat, "IDLE_SECONDS", 0.2)
    workers = Threads(["one"])
    paused: list[Played] = []

    def on_played(found: Sequence[Played]) -> None:
        if not paused:
            time.sleep(1.0)
        paused.extend(found)

    trials = range(2000)  # more than are played before the pause begins
    play_trials(run_of(QUIET, workers), trials, on_played)
    assert sorted(record.game.trial for record in paused) == list(trials)
    assert starts.starts >= 2


# Reports that no referee writes.


def rows_changed(change: Callable[[list[Any]], object]) -> Callable[[dict[str, Any]], object]:
    """Changes the last trial of a report that has one, in place."""

    def changed(report: dict[str, Any]) -> object:
        if report.get("rows"):
            change(report["rows"][-1])
        return report

    return changed


def at(column: int, value: Any) -> Callable[[dict[str, Any]], object]:
    return rows_changed(lambda pair: pair[0].__setitem__(column, value))


ANSWER, PROPOSED, VERDICT, REASON, BUDGET, CHANCE, EVIDENCE, LOG, ERRORS, SECONDS = range(1, 11)
LIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no text": lambda report: "\ud800",
    "no object": lambda report: [report],
    "no JSON": lambda report: "{",
    "a field more": lambda report: report | {"more": 1},
    "no rows": lambda report: report | {"rows": 3},
    "trial of another": at(0, 39),
    "negative trial": at(0, -1),
    "trial twice": lambda report: report | {"rows": report["rows"] * 2},
    "trial is text": at(0, "0"),
    "another answer": at(ANSWER, SMALL.answers[0] + "x"),
    "another proposal": at(PROPOSED, "zzzzz"),
    "not its verdict": at(VERDICT, "WIN"),
    "no verdict": at(VERDICT, "DRAW"),
    "a reason to have won": at(REASON, "why not"),
    "another budget": at(BUDGET, 0.5),
    "an infinite chance": at(CHANCE, math.inf),
    "a chance of two": at(CHANCE, 2.0),
    "short evidence": at(EVIDENCE, "[0]"),
    "another clue": at(LOG, json.dumps([[SMALL.guesses[0], 1.0, 250]])),
    "a free clue": at(LOG, "[]"),
    "errors without end": at(ERRORS, "x" * 5000),
    "time runs back": at(SECONDS, -1.0),
    "a value more": rows_changed(lambda pair: pair[0].append(1)),
    "no count of starts": rows_changed(lambda pair: pair.pop()),
    "has what it has finished": lambda report: report | {"open": [pair[0][0] for pair in report["rows"]] or [7]},
    "has what it was not given": lambda report: report | {"open": [10**6]},
    "a name without end": lambda report: report | {"name": "x" * 10_000},
    "no interface": lambda report: report | {"interface": "other"},
    "starts are undone": lambda report: report | {"starts": 0, "start_seconds": -1.0},
    "a problem": lambda report: report | {"problem": "it rains\x1b[2J"},
}


@pytest.fixture(scope="module")
def honest() -> str:
    """The report of a seat that has played trials 0 to 2."""
    workers, texts = Threads(["one"]), []
    workers.lies["one"] = lambda report: texts.append(json.dumps(report)) or report
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "find", Sandboxed)
        assert played(run_of(QUIET, workers), 1)[1] == ""
    return next(text for text in texts if json.loads(text)["rows"])


def read(text: str, given: Sequence[int] = (0, 1, 2)) -> Any:
    replay = Replay(SETTING, SHORT, 5, with_figures=False)
    return read_report(text, set(given), replay, Machine("one", "host", "sandbox", "1", 1, "platform"))


@pytest.mark.parametrize("lie", LIES)
def test_what_no_referee_writes_is_refused(lie: str, honest: str) -> None:
    changed = LIES[lie](json.loads(honest))
    text = changed if isinstance(changed, str) else json.dumps(changed)
    assert text != honest
    with pytest.raises(WordplError) as refused:
        read(text)
    assert isinstance(refused.value, MalformedError) == (lie != "a problem")
    assert str(refused.value).isprintable()


def test_a_report_is_of_trials_that_were_given(honest: str) -> None:
    assert [record.game.trial for record, _ in read(honest).rows] == [0]
    with pytest.raises(MalformedError, match="trial 0 was not given to it, or is there twice"):
        read(honest, [1, 2])


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@given(column=st.integers(0, 11), value=JSON)
def test_whatever_stands_in_a_row_is_refused_or_makes_no_difference(honest: str, column: int, value: object) -> None:
    report = json.loads(honest)
    report["rows"][0][0][column] = value
    with suppress(MalformedError):
        found = read(json.dumps(report))
        assert found.rows[0][0].game.history == read(honest).rows[0][0].game.history


def test_a_liar_is_banned_and_others_play_its_trials(caplog: Any) -> None:
    workers = Threads(["liar"], patience=60.0)

    def lie(report: dict[str, Any]) -> object:
        if report["rows"] and "honest" not in workers._names.values():
            workers.join("honest")
        return LIES["another answer"](report)

    workers.lies["liar"] = lie
    kept, ended = played(run_of(QUIET, workers), 30)
    assert ended == ""
    assert sorted(record.game.trial for record in kept) == list(range(30))
    assert {record.machine.name for record in kept if record.machine} == {"honest"}
    (line,) = [record.getMessage() for record in caplog.records if "liar" in record.getMessage()]
    assert line.endswith("it is not used any more in this run")
    assert line.isprintable()


def test_with_none_but_liars_nothing_is_written() -> None:
    workers = Threads(["liar"], patience=0.1)
    workers.lies["liar"] = LIES["another answer"]
    kept, ended = played(run_of(QUIET, workers))
    assert kept == []
    assert ended.startswith("WorkerLostError: the cluster has no worker left that can play: liar on ")
    assert "it returns what no referee writes, of which nothing is kept: trial" in ended
