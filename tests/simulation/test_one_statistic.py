"""A statistic that is added to the table is told everywhere: in this test in a process of its own."""

import json
import subprocess
import sys

CODE = """
import contextlib, io, json, math, sys
from pathlib import Path
from wordpl.simulation import statistics_table
statistics_table.STATISTICS.append(
    statistics_table.Statistic(
        "odds",
        "Odds of a win.",
        float,
        lambda found: found.wins / (found.trials - found.wins),
        lambda found: tuple(rate / (1.0 - rate) for rate in found.interval),
        "From that of the win rate.",
        label="odds of a win",
        heading="odds",
    )
)
import wordpl
from starlette.testclient import TestClient
from wordpl.cli import main
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

def said(*arguments):
    sys.argv = ["wordpl", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    return out.getvalue()

file = Path("r.sqlite")
played = ["TwoGuess(18)", "-n", "40", "-j", "1", "-q"]
told = {"score": said("score", *played), "score --json": json.loads(said("score", *played, "--json"))}
said("score", *played, "--out", "r.sqlite")
said("report", "r.sqlite", "--out", "r.html")
told |= {"results": said("results", "r.sqlite"), "results --json": json.loads(said("results", "r.sqlite", "--json"))[0]}
with wordpl.Store(file, read_only=True) as store:
    table = store.table()
    told["table"] = {name: table[name][0] for name in ("odds", "odds_low", "odds_high")}
told["report"] = Path("r.html").read_text()
page = TestClient(make_app(Settings(results=(file,))), base_url="http://127.0.0.1:8000")
curves = page.get("/api/results/curves").json()
told |= {"page": curves["outcomes"][0], "columns": curves["statistics"], "api": page.get("/api/openapi.json").text}
print(json.dumps(told))
"""


def test_a_statistic_is_added_in_one_place(tmp_path):
    done = subprocess.run([sys.executable, "-c", CODE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    odds = told["score --json"]["odds"]
    assert odds == told["score --json"]["wins"] / (40 - told["score --json"]["wins"])
    low, high = told["score --json"]["odds_interval"]
    assert low < odds < high
    assert told["table"] == {"odds": odds, "odds_low": low, "odds_high": high}
    for door in ("results --json", "page"):
        assert (told[door]["odds"], told[door]["odds_interval"]) == (odds, [low, high])
    assert "odds of a win" in told["score"]
    assert "odds" in told["results"] and "odds" in told["report"]
    assert "Odds of a win." in told["api"]
    assert {"name": "odds", "heading": "odds", "kind": "number", "has_interval": True} in told["columns"]
