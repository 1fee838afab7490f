"""What README, docs and tables say agrees with its one source: code, or a table of `experiments/tables`."""

import csv
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from PIL import Image

from experiments import frontier, pages
from wordpl import parse_strategy
from wordpl.base.checks import DEFAULT_TRIALS, MOST_TRIALS
from wordpl.base.defaults import CONFIDENCE, MARGIN
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import IN_SOURCE, SOURCE
from wordpl.contest import ledger, submission
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.run import START_SECONDS
from wordpl.limits import compute_win_rate, policy
from wordpl.reporting import report
from wordpl.reporting.report_pictures import MOST_CURVES
from wordpl.simulation import pairing
from wordpl.simulation.pairing import CURVE_POINTS
from wordpl.simulation.store import SCHEMA_VERSION
from wordpl.web import settings
from wordpl.web.result_files import MAX_TASKS
from wordpl.wordle.rules import MOST_ROWS
from wordpl.wordle.trees import tree
from wordpl.wordle.trees.names import CERTIFICATE_FORMAT

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "experiments" / "tables"
OURS = {0.05: "Fifth()", 0.50: "Median()", 0.95: "NinetyFifth()"}


def rows(name: str | Path) -> list[dict[str, str]]:
    with (TABLES / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


def text(document: str) -> str:
    """A document in one line."""
    return " ".join(text_of(document).split())


def facts() -> dict[str, list[str]]:
    """Page -> what stands in it of limits and formats in the code, and of the tables."""
    limits = Limits()
    return {
        "docs/how-to/contest.md": [
            f"{limits.cpu_seconds:g} s of CPU per game", f"{limits.game_seconds:g} s of real time per game",
            f"{limits.memory / (1024 * MIB):g} GiB", f"{limits.scratch // MIB} MiB of files", f"{limits.asks} asks",
            f"{limits.tasks} processes", f"an epsilon of at least {limits.min_epsilon}",
            f"at most {submission.MAX_FILES:,} files and {submission.MAX_BYTES // MIB} MiB",
            f"at most {submission._MAX_COMPANIONS // MIB} MiB of them",
            f"of at most {submission._MAX_COMPANION // MIB} MiB that all users can read",
            "end in {}, {}, {}, {}, {}, {} or {}, or in .py in `strategies`".format(*submission._DATA),
        ],
        "docs/contest-rules.md": [f"takes more than {START_SECONDS / 3600:g} hours for all its starts together"],
        "docs/how-to/commands.md": [
            f"`score` plays {DEFAULT_TRIALS:,} games", f"after {MOST_TRIALS:,} games at the latest",
            f"Intervals are {100 * CONFIDENCE:g}% intervals", f"({limits.cpu_seconds:g} s by default",
        ],
        "docs/how-to/compare.md": [
            f"by default {MARGIN:g} of a win rate or {100 * MARGIN:g}% of the smaller percentile",
            f"up to {pairing.MAX_PAIRS:,} pairs", f"each of up to {CURVE_POINTS} budgets",
            f"*any* difference in the table is at most {100 - 100 * CONFIDENCE:g}%",
            f"It does so {pairing.DRAWS_EACH} times for each difference in the table, at least {pairing.DRAWS:,} and at"
            f" most {pairing.MOST_DRAWS:,} times",
            f"more than {pairing.MOST_DRAWS // 100:,} differences, {pairing.MOST_DRAWS:,} draws",
        ],
        "docs/how-to/page.md": [
            f"| the headers of a request | {settings.MAX_HEAD >> 10} KiB |",
            f"| its body | {settings.MAX_BODY:,} bytes; then status 413 |",
            f"| a game | {settings.MAX_TURNS} clues; one of Play {MOST_ROWS} |",
            f"| connections | {settings.MAX_CONNECTIONS}; then status 503 |",
            f"| computations | {settings.THREADS} at a time; others wait |", f"at most {MAX_TASKS:,} tasks",
        ],
        "docs/how-to/reports.md": [
            f"up to {report.MAX_TASKS} tasks", f"The first {MOST_CURVES} curves", f"the {report.MOST_PAIRS} pairs",
            f"more than {report.MOST_TRIALS_OF_ALL:,} games",
        ],
        "docs/reference/stability.md": [
            f"#results) | {SCHEMA_VERSION} |", f"#the-ledger-of-a-contest) | {ledger.FORMAT} |",
            f"#trees) | {tree.FORMAT} |", f"#policies) | {policy.FORMAT} |", f"optimum | {CERTIFICATE_FORMAT} |",
            f"version | {ENGINE_VERSION} |",
        ],
    }  # fmt: skip


def test_pages_tell_what_the_code_and_the_results_say():
    assert [(page, fact) for page, told in facts().items() for fact in told if fact not in text(page)] == []


@pytest.mark.published
def test_the_smallest_budget_at_which_two_clues_win_5_percent():
    least, below = (compute_win_rate(f"Fifth(budget={budget})").win_rate for budget in (14.3121, 14.312))
    assert below < 0.05 <= least
    assert "It reaches 5% at 14.3121." in text("docs/records.md") and "5% at 14.3121." in text("docs/converse.md")


def test_the_links_of_the_readme_lead_to_files():
    """The building of the site checks those of all other pages."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text("README.md"))
    inside = [link for link in links if not link.startswith("https:")]
    assert len(inside) > 20
    assert [link for link in inside if not (ROOT / link).is_file()] == []


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RELEASED = "Private :: Do Not Upload" not in PROJECT["classifiers"]


def test_nothing_tells_pip_a_name_that_is_not_ours():
    """Whoever registers it would choose what it installs. `wordpl.base.errors.SOURCE` is what messages tell."""
    assert (("wordpl", "") if RELEASED else (".", " in a clone of WORDPL")) == (SOURCE, IN_SOURCE)
    to_pip = re.compile(rb"\bpip3? install [^\n`]*?(?<![\w./$])wordpl(?![\w./])")
    folders = ("wordpl", "strategies", "docs", "experiments", ".github")
    files = [*ROOT.glob("*.md"), *(path for folder in folders for path in (ROOT / folder).rglob("*.[a-z]*"))]
    files = [path for path in files if "__pycache__" not in path.parts]
    assert RELEASED or [path for path in files if to_pip.search(path.read_bytes())] == []


# Tables agree with each other and with code.


def test_the_records_table_is_of_the_strategies_as_they_are():
    table = rows("records.csv")
    assert {float(row["percentile"]): row["strategy"] for row in table} == OURS
    for row in table:
        assert float(row["budget"]) == pytest.approx(parse_strategy(row["strategy"]).total, rel=1e-7)
        assert float(row["low"]) <= float(row["win_rate"]) <= float(row["high"])
        assert float(row["percentile"]) <= float(row["low"])
        assert (row["exact"] == "True") == (row["low"] == row["high"])


def test_the_frontier_agrees_with_the_records_and_the_bounds():
    at = {float(row["win_rate"]): row for row in rows(frontier.FRONTIER)}
    for percentile, spec in OURS.items():
        known = float(at[percentile][spec.removesuffix("()")])
        assert 0.995 * parse_strategy(spec).total < known <= parse_strategy(spec).total
        assert float(at[percentile]["best"]) == known
    for row in rows("converse.csv"):
        shown = float(at[float(row["win rate"])]["bound"])
        assert 0 <= shown - float(row["any strategy"]) <= 0.0015


def test_the_picture_is_drawn_from_the_tables_as_they_are():
    """If this fails, run `python -m experiments.frontier`."""
    with Image.open(frontier.PICTURE) as picture:
        assert picture.info["Description"] == frontier.sources_digest()


@pytest.mark.parametrize("name", pages.TABLES_OF_PAGES)
def test_a_page_shows_the_table_that_its_results_give(name):
    """If this fails, run `python -m experiments.pages`, after the results are what you want."""
    text = pages.page_of(name).read_text("utf-8")
    assert pages.fill(text, name) == text


def test_a_maintainer_starts_the_workflow_and_foreign_code_meets_no_secret() -> None:
    workflow = yaml.safe_load(text_of("docs/how-to/score-pull-request.yml"))
    assert list(workflow[True]) == ["workflow_dispatch"]  # YAML 1.1 takes the key `on` for true
    jobs = workflow["jobs"]
    assert workflow["permissions"] == jobs["score"]["permissions"] == {}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    assert "token" not in str(jobs["score"])
    steps = [step["name"] for step in jobs["score"]["steps"] if "secrets." in str(step)]
    assert steps == ["Start"] and "checkout" not in str(jobs["score"]["steps"][:2]), "before the code is there"
    assert "secrets." not in str(jobs["comment"])
    assert "git" not in [word for step in jobs["comment"]["steps"] for word in step["run"].split()]
    assert not [step for job in jobs.values() for step in job["steps"] if "uses" in step], "no action has to be pinned"


def test_paths_in_backticks_are_there():
    path = re.compile(r"`((?:benchmarks|docs|experiments|strategies|tests|wordpl)/[\w./-]+)`")
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for named in {*path.findall(page.read_text("utf-8"))} - {"wordpl/games.key"}:  # of the user's own state
            assert (ROOT / named).exists(), f"{page}: {named}"
