"""The tables of the documentation, written from the committed results.

A page marks the place of a table with `<!-- table: NAME -->` and `<!-- end of table -->`. The command that measures a
table writes its results to a file, and then calls `write` to put the table into its page. `python -m experiments.pages`
writes all tables again from the files; the test suite checks that this changes nothing.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from experiments.bounds.accounting import pure_success, renyi_success
from wordpl import load_words, parse_strategy
from wordpl.base import whole_file
from wordpl.limits import approximate_success
from wordpl.simulation import RECORDS as CONTEST_RECORDS
from wordpl.simulation import chance_to_hold, win_rate_to_hold

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "experiments" / "tables"
SPEED = ROOT / "benchmarks" / "speed.json"
ORDERS = TABLES / "orders.csv"
DUELS = TABLES / "duels.csv"
GUESS_LIST = TABLES / "guess_list.csv"
CONVERSE = TABLES / "converse.csv"
COVERAGE = TABLES / "coverage.md"
RECORDS = TABLES / "records.csv"
POINTS = TABLES / "frontier_points.jsonl"
ALIKE = TABLES / "alike.csv"
PAIRS = {0.05: ("G3", "Fifth"), 0.50: ("D95", "Median"), 0.95: ("D95", "NinetyFifth")}
"""For each percentile the strategy that held the record before, and ours."""
FIBBLE = TABLES / "fibble.csv"
FIBBLE_PARTS = TABLES / "fibble_parts.csv"
FIBBLE_PICTURE = TABLES / "fibble.png"
MECHANISMS = TABLES / "mechanisms.csv"
MECHANISM_CURVES = TABLES / "mechanisms_curves.csv"
MECHANISM_PICTURE = TABLES / "mechanisms.png"
MECHANISM_LEVELS = TABLES / "mechanisms_levels.csv"
LOOSENESS = TABLES / "looseness.csv"
VARIATIONS = TABLES / "variations.csv"

Rows = list[dict[str, str]]


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def read_csv(path: Path) -> Rows:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows to a CSV file."""
    with whole_file(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    with whole_file(path) as beside:
        beside.write_text(text, "utf-8")


HEADLINES = (
    "exact expected top of 12,972 guesses, 2,315", "words of eight letters", "a game of MaxClueEntropy(3, 13.0)",
    "6.0 bits left",
    "posterior update", "clue matrix, letterwise", 'wordpl score "', "1,001 trials", "1,000,000 trials", "compiling",
    "from a fresh clone", "optimal tree of SALET", "best of 30 openers, whole", "wordpl solve", "in the sandbox",
    "first use of play", "95th percentile", "plot of 100 tasks", "report of 100 tasks of 10,001 trials, CPU",
)  # fmt: skip
"""Parts of the names of those rows of `benchmarks/speed.json` that its page shows."""


def speed() -> str:
    """Measurements of `make bench`, in short."""
    found = json.loads(SPEED.read_text("utf-8"))
    day = date.fromisoformat(found["date"])
    rows = [
        [row["what"], row["measured"], row["ratio"]]
        for row in found["rows"]
        if any(name in row["what"] for name in HEADLINES)
    ]
    caption = f"`make bench` on {found['cores']} cores, on {day.day} {day:%B %Y}:"
    return f"{caption}\n\n{markdown(['what', 'measured', 'against the plain way'], rows)}"


def alike() -> str:
    """The holders before and ours: at which budgets they win the percentage, truly and in 90% of runs."""
    columns = ["percentile", "strategy", "wins it truly at", "holds it in 90% of runs at", "the contest's list says"]
    rows: list[list[str]] = []
    before: dict[tuple[float, str], tuple[float, float]] = {}
    for row in read_csv(ALIKE):
        percentile, name = float(row["percentile"]), row["strategy"]
        cells = []
        for figure, of_error in (("truly", "error"), ("held", "held error")):
            budget, half = float(row[figure]), float(row[of_error])
            cell = f"{budget:.2f} ± {half:.2f}" if half else f"{budget:.4f} (exact)"
            if (holder := before.get((percentile, figure))) is not None:
                gain = 1.0 - budget / holder[0]
                error = math.hypot(half / budget, holder[1] / holder[0])
                cell += f": {_gain(gain, error)}"
            before.setdefault((percentile, figure), (budget, half))
            cells.append(cell)
        listed = f"{CONTEST_RECORDS[percentile]:.1f}" if name in ("G3", "D95") else "not handed in"
        rows.append([f"{100 * percentile:g}th", f"`{name}`", *cells, listed])
    return markdown(columns, rows)


def _gain(share: float, error: float) -> str:
    """The change of the budget from the holder before, with half of a 95% interval."""
    text = f"{100 * abs(share):.2f}%" if not error else f"{100 * abs(share):.1f}% ± {100 * error:.1f}%"
    return f"{text} {'less' if share > 0 else 'more'}"


def records() -> str:
    """Our records, how their win rates were measured, and the win rate that holds a percentile in most runs."""
    columns = ["percentile", "our strategy", "budget", "win rate", "how it was measured",
               "runs that reach it", "win rate needed to reach it in 95% of runs"]  # fmt: skip
    rows = []
    for row in read_csv(RECORDS):
        percentile, won = float(row["percentile"]), float(row["win_rate"])
        histories = f"{int(row['histories']):,} histories"
        exact = row["exact"] == "True"
        how = f"all {histories} of clues before the last" if exact else f"a stratified sample of {histories}"
        digits = min(len(row["win_rate"].partition(".")[2].rstrip("0")), 6)
        interval = "exact" if exact else f"99% interval {row['low']} to {row['high']}"
        rate = f"{won:.{digits}f} ({interval})"
        runs = [f"{chance_to_hold(percentile, 1001, won):.0%}", f"{win_rate_to_hold(percentile, 1001):.2%}"]
        rows.append([f"{100 * percentile:g}th", f"`{row['strategy']}`", f"{float(row['budget']):g}", rate, how, *runs])
    return markdown(columns, rows)


def privacy() -> str:
    """Bounds by privacy accounting at the budgets of the records, beside what they win."""
    answers = len(load_words("original").answers)
    rows = []
    for row in read_csv(RECORDS):
        budget = float(row["budget"])
        clues = parse_strategy(row["strategy"]).policy.clues  # type: ignore[attr-defined]
        allowed = (
            pure_success(budget, answers),
            renyi_success(budget, clues, answers),
            approximate_success(budget, clues, answers),
        )
        rows.append([row["budget"], str(clues), *(f"{rate:.4f}" for rate in allowed), f"{float(row['win_rate']):.2f}"])
    return markdown(["budget", "clues", "pure", "Rényi", "(epsilon, delta)", "best strategy known"], rows)


def bounds() -> str:
    """Lower bounds on the budget, rounded down, so that they stay lower bounds."""

    def cell(text: str) -> str:
        if not text:
            return ""
        return "none" if text == "inf" else f"{math.floor(100 * float(text) + 1e-9) / 100:.2f}"

    table = read_csv(CONVERSE)
    _, *columns = table[0]
    rows = [[f"{100 * float(row['win rate']):g}%", *(cell(row[name]) for name in columns)] for row in table]
    return markdown(["win rate", *columns], rows)


def orders() -> str:
    """The win rate of NGuess and the leads over it, by the Rényi order of the later guesses, for each percentile."""

    def column(row: dict[str, str]) -> str:
        return f"{row['percentile']}th: {row['clues']} clues at {row['epsilon']}"

    found = read_csv(ORDERS)
    columns = list(dict.fromkeys(map(column, found)))
    rows: dict[str, list[str]] = {}
    for row in found:
        name = row["later guesses by"].removesuffix(" throughout")
        lead = f"{row['lead over NGuess']} ± {row['standard error']}"
        cells = rows.setdefault(name, [""] * len(columns))
        cells[columns.index(column(row))] = row["win rate"] if name == "NGuess" else lead
    return markdown(["later guesses by", *columns], ([name, *cells] for name, cells in rows.items()))


def as_written(path: Path) -> str:
    """A table whose file has it as a page shows it."""
    found = read_csv(path)
    return markdown(list(found[0]), [list(row.values()) for row in found])


def guess_list() -> str:
    """Ways to find a good guess: what each costs and loses."""
    names = {
        "loss in clue entropy": "loss in clue entropy, bits: one clue, two",
        "loss in expected top": "loss in expected top: one clue, two",
    }
    found = read_csv(GUESS_LIST)
    return markdown([names.get(name, name) for name in found[0]], [list(row.values()) for row in found])


# Average win rates of 41 language models, in percent, by lies: "From Wordle to Fibble^5: Evaluating LLM Reasoning Under
# Escalating Deception", EvalEval workshop at ACL 2026. Within 6 guesses without a lie, within 8 with lies.
PUBLISHED = {0: "41.1", 1: "18.7", 2: "at most 3", 3: "0.3", 4: "0.4", 5: "9.5"}
FIBBLE_COLUMNS = ["lies", "rule", "guesses", "games", "won", "95% interval", "no player above", "mean guesses of wins",
                  "language models"]  # fmt: skip


def published_guesses(lies: int) -> int:
    """The number of guesses in games of the published benchmark."""
    return 8 if lies else 6


def fibble_rows() -> list[list[str]]:
    """Win rates of BayesianSolver with the guesses of the published benchmark."""
    rows = []
    for row in read_csv(FIBBLE):
        if row["given"] == "False" and int(row["guesses"]) == published_guesses(int(row["lies"])):
            published = f"{PUBLISHED[int(row['lies'])]}%"
            rows.append([row["lies"], row["rule"], row["guesses"], *_won(row), _percent_up(row["bound"]), _mean(row),
                         published])  # fmt: skip
    return rows


def _won(row: dict[str, str]) -> list[str]:
    """The games, the win rate, and its interval."""
    low, high = max(float(row["low"]), 0.0), min(float(row["high"]), 1.0)
    return [f"{int(row['games']):,}", _percent(float(row["won"])), f"{_percent(low)} to {_percent(high)}"]


def _mean(row: dict[str, str]) -> str:
    """The mean guesses of the games that were won."""
    wins = [int(row[f"won in {n}"]) for n in range(1, 10)]
    return f"{sum(n * count for n, count in enumerate(wins, start=1)) / sum(wins):.2f}"


def _percent(share: float) -> str:
    """A share in percent, with three digits that count."""
    return f"{100 * share:.{_decimals(share)}f}%"


def _percent_up(bound: str) -> str:
    """An upper bound in percent, rounded up, so that it stays one."""
    steps = 10 ** (2 + _decimals(float(bound)))
    return _percent(math.ceil(steps * float(bound) - 1e-9) / steps)


def _decimals(share: float) -> int:
    if share in (0.0, 1.0):
        return 0
    return 2 if share > 0.999 else -math.floor(math.log10(share))


def fibble() -> str:
    """Win rates of BayesianSolver in the games of the published benchmark, with the counted rule."""
    columns = ["lies", "guesses", "won", "95% interval", "no player above", "mean guesses of wins", "language models"]
    rows = [[lies, guesses, *others] for lies, rule, guesses, _, *others in fibble_rows() if rule == "counted"]
    return markdown(columns, rows)


def fibble_given() -> str:
    """The win rate in games whose first guess is given."""
    given = [row for row in read_csv(FIBBLE) if row["given"] == "True"]
    rows = [[row["lies"], *_won(row), _percent_up(row["bound"]), _mean(row)] for row in given]
    return markdown(["lies", "games", "won", "95% interval", "no player above", "mean guesses of wins"], rows)


@dataclass(frozen=True)
class Table:
    """A table, the page it is in, and the file that it is made from."""

    page: str
    render: Callable[[], str]
    source: Path


TABLES_OF_PAGES = {
    "speed": Table("reference/speed.md", speed, SPEED),
    "like for like": Table("../README.md", alike, ALIKE),
    "alike": Table("records.md", alike, ALIKE),
    "records": Table("records.md", records, RECORDS),
    "privacy": Table("privacy.md", privacy, RECORDS),
    "bounds": Table("converse.md", bounds, CONVERSE),
    "orders": Table("orders.md", orders, ORDERS),
    "duels": Table("orders.md", partial(as_written, DUELS), DUELS),
    "guess list": Table("guess_list.md", guess_list, GUESS_LIST),
    "fibble": Table("fibble.md", fibble, FIBBLE),
    "fibble given": Table("fibble.md", fibble_given, FIBBLE),
    "mechanisms": Table("mechanisms.md", partial(as_written, MECHANISMS), MECHANISMS),
}


def page_of(name: str) -> Path:
    """The page that a table is in."""
    return ROOT / "docs" / TABLES_OF_PAGES[name].page


def put(text: str, name: str, table: str) -> str:
    """Return the text of a page with a table put in its place. Raises `ValueError` unless the place is marked once."""
    marked = re.compile(rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end of table -->)", re.DOTALL)
    if len(marked.findall(text)) != 1:
        raise ValueError(f"the place of the table {name!r} has to be marked once")
    return marked.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", text)


def fill(text: str, name: str) -> str:
    """Return the text of a page with a table as its results give it."""
    return put(text, name, TABLES_OF_PAGES[name].render())


def write(source: Path | None = None) -> None:
    """Write all tables into their pages, or those made from one file."""
    for name, table in TABLES_OF_PAGES.items():
        if source in (None, table.source):
            page = page_of(name)
            write_text(page, fill(page.read_text("utf-8"), name))


if __name__ == "__main__":
    write()
