"""Figures that stand in more than one place agree with their one source: code, or a table of `experiments/tables`."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from experiments import frontier, guess_list, pages
from tests.helpers import ORIGINAL
from wordpl import approximate_success, parse_strategy, pure_success, renyi_success, win_rate_to_hold
from wordpl.bounds import word_list
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.queue import MOST_WAITING
from wordpl.contest.ranking import RECORDS
from wordpl.contest.submission import MAX_DEPTH
from wordpl.contest.tokens import MOST_TOKENS
from wordpl.contest.uploads import BOUNDS
from wordpl.web.uploads import MOST_BODIES, MOST_STREAMS, MOST_STREAMS_OF_TOKEN

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "experiments" / "tables"
OURS = {0.05: "Fifth()", 0.50: "Median()", 0.95: "NinetyFifth()"}
SHORT = {0.05: "5", 0.50: "50", 0.95: "95"}
NUMBER = r"(\d[\d,]*(?:\.\d+)?)"


@dataclass(frozen=True)
class Fact:
    """A figure, and how a document shortens it: a bound is rounded down or up, so that it stays one."""

    value: float
    down: bool = False
    up: bool = False

    def agrees(self, shown: str) -> bool:
        """Whether a document may show it as `shown`, with as many decimals as that has."""
        digits = len(shown.partition(".")[2])
        scaled = self.value * 10**digits
        shift = 1e-9 if self.down else 1.0 - 1e-9 if self.up else 0.5 + 1e-9
        whole = math.floor(scaled + shift)
        return whole == int(re.sub("[.,]", "", shown))


def rows(name: str | Path) -> list[dict[str, str]]:
    with (TABLES / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def facts() -> dict[str, Fact]:
    """Every figure that a document is compared with, by name."""
    found = {"answers": Fact(len(ORIGINAL.answers)), "guesses": Fact(len(ORIGINAL.guesses))}
    for row in rows("records.csv"):
        of = SHORT[float(row["percentile"])]
        found |= {f"win rate {of}": Fact(float(row["win_rate"]))}
        if row["histories"]:
            found |= {f"histories {of}": Fact(float(row["histories"]))}
        found |= {f"low {of}": Fact(float(row["low"])), f"high {of}": Fact(float(row["high"]))}
    clues = {}
    for percentile, spec in OURS.items():
        of, ours = SHORT[percentile], parse_strategy(spec)
        clues[of] = ours.policy.clues
        found |= {f"best {of}": Fact(ours.total), f"holder {of}": Fact(RECORDS[percentile])}
        found |= {f"saved {of}": Fact(100 * (1 - ours.total / RECORDS[percentile]))}
        found |= {f"clues {of}": Fact(clues[of]), f"made for {of}": Fact(ours.policy.budget)}
        found |= {f"hold {of}": Fact(100 * win_rate_to_hold(percentile, 1001))}
        found |= {f"pure {of}": Fact(pure_success(ours.total, len(ORIGINAL.answers)))}
        found |= {f"renyi {of}": Fact(renyi_success(ours.total, clues[of], len(ORIGINAL.answers)))}
        found |= {f"delta {of}": Fact(approximate_success(ours.total, clues[of], len(ORIGINAL.answers)))}
    for row in rows("converse.csv"):
        found |= {f"{column} {100 * float(row['win rate']):g}": Fact(float(shown), down=True)
                  for column, shown in row.items() if column != "win rate" and shown not in ("", "inf")}  # fmt: skip
    most = word_list.most_parts_of_two(ORIGINAL)
    found |= {"parts": Fact(word_list.most_parts(ORIGINAL)), "parts of two": Fact(most)}
    found |= {"cap": Fact(100 * word_list.most_parts(ORIGINAL) / len(ORIGINAL.answers))}
    found |= {"cap of two": Fact(100 * most / len(ORIGINAL.answers))}
    # The record of the 5th percentile is sold at two clues of 7.8 and plays less.
    found |= {"spent": Fact(9.3 + 5.3), "openers": Fact(len(rows("two_clues.csv")))}
    optimum = re.search(r"best (\d+)", (TABLES / "optimum_original.txt").read_text(encoding="utf-8"))
    assert optimum
    found |= {"optimum": Fact(int(optimum[1]))}
    found |= {
        "attacks": Fact(sum(1 for path in (ROOT / "tests" / "attacks").iterdir() if (path / "expected").is_file()))
    }
    games = {(row["lies"], row["rule"], row["guesses"], row["given"]): row for row in rows("fibble.csv")}
    three = games["3", "counted", "8", "False"]
    found |= {"won 3 lies": Fact(100 * float(three["won"])), "bound 3 lies": Fact(100 * float(three["bound"]), up=True)}
    found |= {"games 3 lies": Fact(float(three["games"]))}
    rate, wide = float(three["won"]), float(three["high"]) - float(three["low"])
    found |= {"with luck": Fact(math.sqrt(rate * (1.0 - rate)))}
    found |= {"without luck": Fact(wide / 2 / 1.96 * math.sqrt(float(three["games"])))}
    found |= {"games of each": Fact(min(float(games[lies, "counted", "7", "False"]["games"]) for lies in "012345"))}
    found |= {"models 3 lies": Fact(float(pages.PUBLISHED[3]))}
    few = [games[lies, "counted", guesses, "False"] for lies in "34" for guesses in "23456"]
    found |= {"share of the bound": Fact(min(100 * float(row["won"]) / float(row["bound"]) for row in few), down=True)}
    gains = {(row["lies"], row["player"]): row for row in rows("fibble_parts.csv")}
    for lies in "34":
        gain = float(gains[lies, "a win counted as information"]["gain"])
        found |= {f"a win counts, {lies} lies": Fact(100 * gain)}
    middle = [gains[lies, "expected wins in the middle"] for lies in "34"]
    ends = [abs(float(row[end])) for row in middle for end in ("gain low", "gain high")]
    found |= {"middle": Fact(100 * max(ends), up=True)}
    found |= {"ahead at 5": Fact(100 * float(gains["5", "the last three looked ahead"]["gain"]))}
    limits = Limits()
    found |= {"game seconds": Fact(limits.game_seconds), "gigabytes": Fact(limits.memory / (1024 * MIB))}
    found |= {"cpu seconds": Fact(limits.cpu_seconds), "min epsilon": Fact(limits.min_epsilon)}
    found |= {"scratch": Fact(limits.scratch / MIB), "tasks": Fact(limits.tasks), "asks": Fact(limits.asks)}
    found |= {"upload": Fact(BOUNDS.size / MIB), "unpacked": Fact(BOUNDS.unpacked / MIB)}
    found |= {"zip entries": Fact(BOUNDS.entries), "folders": Fact(MAX_DEPTH - 1), "tokens": Fact(MOST_TOKENS)}
    found |= {"waiting uploads": Fact(MOST_WAITING), "bodies": Fact(MOST_BODIES)}
    found |= {"streams": Fact(MOST_STREAMS), "own streams": Fact(MOST_STREAMS_OF_TOKEN)}
    return found


# Passages with the names of their figures in braces, by document, an empty line between. Each stands in its document
# once; line breaks do not matter.
PASSAGES = """
# README.md
| 5th | {holder 5} (it spends {spent}) | `Fifth()` | {best 5} | {win rate 5}, exact |

| 50th | {holder 50} | `Median()` | {best 50} | {win rate 50}, exact |

| 95th | {holder 95} | `NinetyFifth()` | {best 95} | {win rate 95} (99% interval {low 95} to {high 95}) |

The 5th ({saved 5}% less) and the 95th ({saved 95}%) clear that; the 50th ({saved 50}%) does not.

With three false marks in each row, it wins {won 3 lies}% of all games within 8 guesses. No player can win more
than {bound 3 lies}%; language models won {models 3 lies}% on average.

# docs/fibble.md
benchmark: {games 3 lies} games in each row of the table.

{games of each} games for each, besides those above.

its standard deviation falls from {with luck} to {without luck} a game at three lies

a player that counts this as information wins {a win counts, 4 lies} to {a win counts, 3 lies} percentage points more

a difference of at most {middle} points, either way

It gains {ahead at 5} points at five lies

it wins at least {share of the bound}% of what the bound allows

# docs/how-to/contest.md
a win rate of {hold 5}% for the 5th percentile, {hold 50}% for the 50th, {hold 95}% for the 95th

Limits: {cpu seconds} s of CPU a game, all threads and processes together; {game seconds} s of wall clock a game and a
move, which only ends what sleeps or waits; {gigabytes} GiB, {scratch} MiB of files, {tasks} processes and threads,
{asks} asks. An ask needs an epsilon of at least {min epsilon}.

# docs/how-to/host.md
`tests/attacks/` holds {attacks} attacks

# docs/how-to/host-the-contest.md
| an upload | {upload} MiB |

| the files of a zip | {unpacked} MiB unpacked, {zip entries} files and folders, {folders} folders in each other |

| uploads that wait | {waiting uploads};

| uploads that are received at once | {bodies} |

| streams of progress | {streams}, and {own streams} of a token;

| tokens | {tokens} |

client_max_body_size {upload}m;

# docs/how-to/trees.md
the exact optimum: {optimum} guesses for {answers} answers

over all {guesses} openers

# docs/tutorial.ipynb
The answer is one of {answers} words.

No budget lifts two clues above {cap of two}%

# docs/reference/speed.md
exact clue entropy of {guesses} guesses, {answers}-answer posterior

# docs/records.md
| 5th | {holder 5} (it spends {spent}) | `Fifth()` | {best 5} | {win rate 5} | exact, all {histories 5} first
clues |

| 50th | {holder 50} | `Median()` | {best 50} | {win rate 50} | exact, all {histories 50} pairs of clues |

| 95th | {holder 95} | `NinetyFifth()` | {best 95} | {win rate 95} | stratified sample, 99% interval {low 95}
to {high 95} |

takes a true win rate of {hold 5}%, {hold 50}% and {hold 95}%

TRACE at 12.6 of {made for 50}, then

SALET at 17.5 of {made for 95}.

below {any strategy 5}, {any strategy 50}, {any strategy 95} ([the converse](converse.md)); with two clues at
most, 5% takes {two clues 5} or more

experiments.two_clues --openers {openers}`

No two-clue policy that we found reaches 5% at {made for 5}.

# docs/converse.md
uniform among `N` words of `m` letters ({answers} of five)

budgets of at least {equal split 5}, {equal split 50} and {equal split 95} for win rates

{any strategy 5}, {any strategy 50} and {any strategy 95} where equal splits gave {equal split 5}, {equal
split 50} and {equal split 95}

passes {parts}/{answers} = {cap}%, because no guess has more than {parts} different

no more than {parts of two} of the answers

two clues above {parts of two}/{answers} = {cap of two}%

so at most {parts} answers count

sum over the {parts} heaviest answers

over all {guesses} guesses

The best budgets known are {best 5}, {best 50} and {best 95} for

the bound for any strategy is at {any strategy 5}, {any strategy 50} and {any strategy 95}.

# docs/privacy.md
For budgets {best 5}, {best 50} and {best 95} in {clues 5}, {clues 50} and {clues 95} clues: pure {pure 5},
{pure 50}, {pure 95}; Rényi {renyi 5}, {renyi 50}, {renyi 95}; (epsilon, delta) {delta 5}, {delta 50}, {delta
95};

# experiments/tables/README.md
no opener but SALET reaches {optimum} |

the {openers} openers that tell most on their own

experiments.two_clues --openers {openers}`

# experiments/optimum.py
{optimum} guesses, and that no opener

# strategies/follow_tree.py
(SALET, {optimum} guesses for {answers} answers)
"""


def bounds_table() -> list[tuple[str, str]]:
    """The rows of the table in docs/converse.md, as passages."""
    columns = ["any strategy", "one clue", "two clues", "first clue at least 4", "first clue at least 8"]
    found = []
    for row in rows("converse.csv"):
        rate = f"{100 * float(row['win rate']):g}"
        cells = ["none" if row[c] == "inf" else f"{{{c} {rate}}}" if row[c] else "" for c in columns]
        found.append(("docs/converse.md", f"| {rate}% | {' | '.join(cells)} |"))
    return found


@cache
def passages() -> list[tuple[str, str]]:
    """Document and passage."""
    found = []
    for part in re.split(r"^# ", PASSAGES, flags=re.MULTILINE)[1:]:
        document, _, text = part.partition("\n")
        found += [(document, " ".join(passage.split())) for passage in text.split("\n\n") if passage.strip()]
    return [*found, *bounds_table()]


def pattern(passage: str) -> re.Pattern[str]:
    parts = re.split(r"\{[^}]*\}", passage)
    return re.compile(NUMBER.join(r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)) for part in parts))


def faults(text: str, passage: str) -> list[str]:
    """What does not fit in a document's text, a line each."""
    found = list(pattern(passage).finditer(text))
    if len(found) != 1:
        return [f"{passage!r} stands there {len(found)} times"]
    names = re.findall(r"\{([^}]*)\}", passage)
    shown = zip(names, found[0].groups(), strict=True)
    return [
        f"{name} is {facts()[name].value}, not {figure}" for name, figure in shown if not facts()[name].agrees(figure)
    ]


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize(("document", "passage"), passages())
def test_a_document_shows_what_its_source_says(document, passage):
    assert faults(read(document), passage) == []


@pytest.mark.parametrize(("document", "passage"), passages())
def test_a_figure_that_is_changed_is_found(document, passage):
    text = read(document)
    (found,) = pattern(passage).finditer(text)
    for group in range(1, len(found.groups()) + 1):
        figure = found[group]
        for changed in (f"{figure[:-1]}{(int(figure[-1]) + 1) % 10}", f"{figure[:-1]}{(int(figure[-1]) - 1) % 10}"):
            assert faults(text[: found.start(group)] + changed + text[found.end(group) :], passage), changed
    assert faults(text[: found.start()] + text[found.end() :], passage)


# Three figures of the three percentiles, wherever they stand: near one of these triples, they must be it.

TRIPLES = ("best", "holder", "any strategy", "equal split")
_ONE, _AND = r"(\d\d(?:\.\d+)?)", r"(?:,| and|, and)\s+"
TRIPLE = re.compile(rf"(?<![\d.]){_ONE}{_AND}{_ONE}{_AND}{_ONE}(?![\d%])")


def documents() -> list[Path]:
    own = [path for folder in ("docs", "wordpl", "strategies", "experiments") for path in (ROOT / folder).rglob("*")]
    return sorted(path for path in [ROOT / "README.md", *own] if path.suffix in (".md", ".py"))


def strays(text: str) -> list[str]:
    """Triples that are within 4% of a triple of facts, but are no rounding of one."""
    found = []
    for match in TRIPLE.finditer(text):
        near = []
        for name in TRIPLES:
            expected = [facts()[f"{name} {of}"] for of in SHORT.values()]
            if all(abs(float(x) / fact.value - 1) < 0.04 for x, fact in zip(match.groups(), expected, strict=True)):
                near.append(all(fact.agrees(x) for x, fact in zip(match.groups(), expected, strict=True)))
        if near and not any(near):
            found.append(match[0])
    return found


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_document_has_other_figures_for_the_percentiles(path):
    assert strays(path.read_text(encoding="utf-8")) == []


def test_figures_that_disagreed_are_found():
    """As two pages had them."""
    assert strays("The best budgets known are about 14.3, 36 and 67 for 5%, 50% and 95%;") == ["14.3, 36 and 67"]
    assert strays("For budgets 14.3, 36 and 67 in 2, 3 and 4 clues") == ["14.3, 36 and 67"]
    assert strays("the bound for any strategy is at 10.8, 23.0 and 38.9") == ["10.8, 23.0 and 38.9"]
    assert strays("at 14.3, 36.3 and 68.5, the bound at 10.7, 23.0, 38.8, the contest's 15.6, 36.9, 75.0") == []


def test_the_links_of_the_readme_lead_to_files():
    """The building of the site checks those of all other pages."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", read("README.md"))
    inside = [link for link in links if not link.startswith("https:")]
    assert len(inside) > 20
    assert [link for link in inside if not (ROOT / link).is_file()] == []


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
    assert frontier.CONTEST_RECORDS == RECORDS


def test_the_picture_shows_records_and_bounds():
    (axes,) = frontier.draw(*map(pd.read_csv, frontier.SOURCES)).axes
    shown = {text.get_text() for text in axes.texts}
    for percentile, spec in OURS.items():
        of = SHORT[percentile]
        assert f"{spec} {facts()[f'best {of}'].value:g}" in shown
        assert f"before: {RECORDS[percentile]:g}" in shown
        assert any(re.fullmatch(r"[\d.]+", text) and facts()[f"any strategy {of}"].agrees(text) for text in shown)


@pytest.mark.parametrize("name", pages.TABLES_OF_PAGES)
def test_a_page_shows_the_table_that_its_results_give(name):
    """If this fails, run `python -m experiments.pages`, after the results are what you want."""
    text = pages.page_of(name).read_text("utf-8")
    assert pages.fill(text, name) == text


def test_every_marked_table_is_written_by_a_command():
    found = [
        (path.relative_to(ROOT / "docs").as_posix(), name)
        for path in (ROOT / "docs").rglob("*.md")
        for name in re.findall(r"<!-- table: (.*?) -->", path.read_text("utf-8"))
    ]
    assert sorted(found) == sorted((table.page, name) for name, table in pages.TABLES_OF_PAGES.items())


def test_a_table_that_was_edited_by_hand_is_found():
    text = pages.page_of("orders").read_text("utf-8")
    assert pages.fill(text.replace("+0.0052", "+0.0053"), "orders") == text
    with pytest.raises(ValueError, match="marked once"):
        pages.fill(text.replace("<!-- end of table -->", ""), "orders")


def test_the_guess_list_table_is_made_of_ranges_and_losses():
    measured = guess_list.Measured([309, 318], [0.07, 0.041], {"clue_entropy": [0.123, 0.13], "expected_top": []})
    assert measured.row("a way") == ["a way", "309 to 318", "0.04 to 0.07", "0.123, 0.130", ""]
    measured = guess_list.Measured([12972, 12972], [1.0, 1.0], {"clue_entropy": [], "expected_top": [0.0, 0.0165]})
    assert measured.row("all") == ["all", "12,972", "1.00", "", "0, 0.0165"]


def test_bounds_are_below_what_is_known():
    for of in SHORT.values():
        known = facts()[f"best {of}"].value
        assert facts()[f"any strategy {of}"].value < facts()[f"equal split {of}"].value < known
    assert facts()["two clues 5"].value < facts()["best 5"].value
    assert facts()["cap of two"].value > 50
