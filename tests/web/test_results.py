"""The results behind the page: the figures are the store's, a file that cannot be read is said, changes are seen."""

import os
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support.helpers import SIX, SMALL
from tests.support.runs import changed
from tests.web.conftest import ADDRESS, answered, refusal
from wordpl import Store, make_task, parse_strategy, sweep
from wordpl.web.app import make_app
from wordpl.web.result_files import MAX_COPIES, ResultFiles
from wordpl.web.settings import Settings

TWO = [make_task(parse_strategy(f"TwoGuess(epsilon={epsilon})"), words=SMALL) for epsilon in (5.0, 20.0)]
GREEDY = [make_task(parse_strategy(f"Greedy(epsilon={epsilon})"), words=SIX) for epsilon in (12.0, "inf")]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Two results files, and what is none."""
    folder = tmp_path_factory.mktemp("made")
    for name, tasks, trials in (("a.sqlite", TWO, 60), ("b.sqlite", GREEDY, 40)):
        with Store(folder / name) as store:
            sweep(tasks, trials, store=store)
    (folder / "text.sqlite").write_text("no database " * 100)
    return folder


@pytest.fixture
def folder(made, tmp_path) -> Path:
    """A copy of them for one test."""
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def serve(*paths: Path) -> TestClient:
    """A server of these files, without what one does as it starts."""
    return TestClient(make_app(Settings(results=paths)), base_url=ADDRESS)


def read(client, **query):
    return answered(client.get("/api/results/curves", params=query))


def test_a_filter_is_of_strategies_and_words_and_files_are_chosen_by_name(folder):
    client = serve(folder / "a.sqlite", folder / "b.sqlite")
    assert {outcome["words"] for outcome in read(client, match="SIX")["outcomes"]} == {"six"}
    columns = [one["name"] for one in read(client)["statistics"] if one["has_interval"]]
    assert columns == ["win_rate", "p05", "p50", "p95"]  # the page has no room for that of the posterior win rate
    assert [curve["label"] for curve in read(client, match="twog")["curves"]] == ["TwoGuess()"]
    assert read(client, match="%_'\"\0")["outcomes"] == []
    assert {outcome["file"] for outcome in read(client, file="b.sqlite")["outcomes"]} == {"b.sqlite"}
    sweep(TWO, 70, store=folder / "a.sqlite")
    before = read(client)
    assert before["trials"] == 2 * 70 + 2 * 40  # what was read before is read again once it has more
    sweep(TWO, 70, first_trial=500, store=folder / "new.sqlite")
    (folder / "new.sqlite").replace(folder / "a.sqlite")
    assert read(client)["outcomes"] != before["outcomes"]  # another file of as many games is another
    assert [file["name"] for file in read(client, file=["b.sqlite", "b.sqlite"])["files"]] == ["b.sqlite"]


def test_parts_of_a_run_are_joined_as_the_command_joins_them(folder):
    for first, trials in ((0, 35), (35, 25), (20, 30)):
        with Store(folder / f"{first}.sqlite") as store:
            sweep(TWO, trials, first_trial=first, store=store)
    whole = read(serve(folder / "a.sqlite"))["outcomes"]
    found = read(serve(*(folder / f"{first}.sqlite" for first in (35, 20, 0))))
    timed = {"file", "seconds", "seconds_per_move", "slowest_move"}
    for one, joined in zip(whole, found["outcomes"], strict=True):
        assert {key: joined[key] for key in joined.keys() - timed} == {key: one[key] for key in one.keys() - timed}
    assert (found["trials"], [file["trials"] for file in found["files"]]) == (120, [50, 60, 70])
    changed(folder / "35.sqlite", "UPDATE trials SET budget = 1 WHERE trial = 40")
    found = read(serve(folder / "a.sqlite", folder / "35.sqlite"))
    assert "other trials" in found["files"][1]["problem"] and found["trials"] == 120


def test_a_task_in_two_files_counts_once_with_the_more_trials(folder):
    for trials in (10, 90):
        with Store(folder / f"{trials}.sqlite") as store:
            sweep(TWO[:1], trials, store=store)
    paths = [folder / name for name in ("10.sqlite", "90.sqlite", "a.sqlite")]
    for order in (paths, paths[::-1]):
        outcomes = read(serve(*order))["outcomes"]
        assert [(outcome["epsilon"], outcome["trials"]) for outcome in outcomes] == [(5.0, 90), (20.0, 60)]


def test_what_cannot_be_read_is_said_and_the_rest_is_shown(folder):
    gone, folder_itself, pipe = folder / "gone.sqlite", folder / "folder.sqlite", folder / "pipe.sqlite"
    folder_itself.mkdir()
    os.mkfifo(pipe)
    changed(folder / "b.sqlite", "UPDATE trials SET turns = 1e300")
    later = Path(shutil.copy(folder / "a.sqlite", folder / "later.sqlite"))
    changed(later, "PRAGMA user_version = 999")
    client = serve(folder / "text.sqlite", gone, folder_itself, pipe, folder / "b.sqlite", folder / "a.sqlite", later)
    found = read(client)
    said = {file["name"]: file["problem"] for file in found["files"]}
    for name, told in {
        "text": "is not a results file that can be opened: file is not a database",
        "gone": "no results file",
        "folder": "no results file",
        "pipe": "no results file",
        "b": "b.sqlite is damaged",
        "later": "999",
    }.items():
        assert told in said[f"{name}.sqlite"] and "\n" not in said[f"{name}.sqlite"]
    assert said["a.sqlite"] is None and len(found["outcomes"]) == 2
    versions = {file["name"]: file["version"] for file in client.get("/api/results").json()}
    assert [name for name, version in versions.items() if not version] == [gone.name, folder_itself.name, pipe.name]


def test_every_task_is_there_once_up_to_a_bound(folder, monkeypatch):
    assert read(serve())["files"] == read(serve())["outcomes"] == []
    found = read(serve(folder / "a.sqlite", folder / "b.sqlite"))
    assert len({one["task"] for one in found["outcomes"]}) == len(found["outcomes"]) == found["tasks"] == 4
    with Store(folder / "a.sqlite") as store:
        store.add([(make_task(parse_strategy("TwoGuess(9)"), words=SMALL), [])])  # of which there is no game yet
    assert read(serve(folder / "a.sqlite"))["tasks"] == 2
    monkeypatch.setattr("wordpl.web.api.results.MAX_TASKS", 1)
    found = read(serve(folder / "a.sqlite", folder / "b.sqlite"))
    assert (len(found["outcomes"]), found["left_out"]) == (1, 3)


@pytest.mark.heavy
def test_csv_is_what_the_command_writes(folder, cli):
    query, plain = {"file": "a.sqlite", "match": "epsilon=5"}, {"Accept-Encoding": "identity"}
    answer = serve(folder / "a.sqlite").get("/api/results/trials.csv", params=query, headers=plain)
    assert cli("results", "a.sqlite", "--games", "--strategy", "*epsilon=5*", "--out", "x.csv").code == 0
    assert answer.content == (folder / "x.csv").read_bytes()
    assert answer.content.count(b"\n") == 61
    headers = ("content-disposition", "content-type", "content-length", "cache-control")
    assert [answer.headers[name] for name in headers] == [
        *("attachment; filename*=UTF-8''a.csv", "text/csv; charset=utf-8", str(len(answer.content)), "no-store")
    ]


def test_visitors_who_read_slowly_do_not_fill_the_disk(folder):
    path, query = folder / "a.sqlite", {"file": "a.sqlite"}
    client = serve(path)
    files = client.app.state.server.results
    copies = [files.export(path.name, "") for _ in range(MAX_COPIES)]
    message, _ = refusal(client.get("/api/results/trials.csv", params=query), 503)
    assert message == "Too many visitors are downloading games; try again in a minute."
    copies.pop().close()
    for _ in range(2 * MAX_COPIES):  # what was sent to its end counts no more
        assert client.get("/api/results/trials.csv", params=query).status_code == 200
    for copy in copies:
        copy.close()
    odd = path.rename(folder / 'a"; filename=evil.html\r\nX: y é.sqlite')  # a name stays a name
    answer = serve(odd).get("/api/results/trials.csv", params={"file": odd.name})
    assert "X" not in answer.headers and "evil.html%0D%0A" in answer.headers["content-disposition"]


@pytest.mark.parametrize("path", ["/api/results/curves", "/api/results/trials.csv"])
def test_only_files_that_the_server_was_given(folder, path):
    client = serve(folder / "a.sqlite")
    for name in ("b.sqlite", str(folder / "a.sqlite"), "../a.sqlite", ""):
        message, field = refusal(client.get(path, params={"file": name}), 404)
        assert (field, message) == ("file", "This server was not started with a results file of that name.")


def test_files_of_one_name_are_told_apart_by_their_folders(folder):
    (folder / "deep").mkdir()
    other = Path(shutil.copy(folder / "b.sqlite", folder / "deep/a.sqlite"))
    client = serve(folder / "a.sqlite", other, folder / "b.sqlite", folder / "b.sqlite")
    names = [str(folder / "a.sqlite"), str(other), "b.sqlite"]
    assert [file["name"] for file in client.get("/api/results").json()] == names
    assert {outcome["words"] for outcome in read(client, file=str(other))["outcomes"]} == {"six"}


def test_the_version_of_a_file_that_has_just_changed_is_not_its_last(folder, monkeypatch):
    files, changed_at = ResultFiles([folder / "a.sqlite"]), (folder / "a.sqlite").stat().st_mtime
    versions = []
    for later in (0.5, 0.9, 1.5, 99.0):
        monkeypatch.setattr("wordpl.web.result_files.time.time", lambda at=changed_at + later: at)
        versions.append(files.version("a.sqlite"))
    assert versions[0] == versions[1] != versions[2] == versions[3] != ""
