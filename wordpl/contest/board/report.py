"""A contest as a page, which `wordpl contest board --out` writes to a .html. Of a running entry it tells that it runs.

Whatever a contestant chose is text here: visible, bounded, and escaped.
"""

from collections import defaultdict
from collections.abc import Sequence

from wordpl.base.checks import instance
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath
from wordpl.contest.audit.whole import check_shown
from wordpl.contest.board import leaderboard
from wordpl.contest.board.leaderboard import ShownBoard, linked_column, read_boards
from wordpl.contest.judge.evidence import ERROR, TESTS
from wordpl.contest.judge.ranking import win_rate_curve
from wordpl.contest.ledger.entries import Entry, read_source
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.reporting.markup import Group, Html, Section, clean, clean_lines, el, free_text, join, table, with_interval
from wordpl.reporting.plot_points import Line, Look, Panel, Point
from wordpl.reporting.report import write_sections
from wordpl.reporting.report_pictures import drawn
from wordpl.reporting.tables import number

MAX_ENTRIES = 500
"""Entries of a report, at most."""
MOST_CURVES = 6
"""Curves of a board: those of its first entries. Each needs all trials of its entry."""
_LONGEST = 120
"""Letters of a name, at most; a ledger of ours has fewer."""

_BOARD = (
    "Entries are ranked by the smallest budget that was shown to win 5%, 50% or 95% of games. The interval of each"
    " win rate holds at whatever time the run ended."
)
_EVIDENCE = (
    f"What the moves of an entry tell against its player. An honest entry reaches an E-value of {1 / ERROR:,.0f} with a"
    f" probability of at most {ERROR:g}, whatever it plays; one that reaches it is flagged. The E-value is the largest"
    " that the mean of five bets has been; the columns have each bet at the end."
)


def write_contest_report(ledger: LedgerReader, target: StrPath, *, title: str = "", match: str = "") -> None:
    """Write a report on `ledger` to the HTML file `target`, as `wordpl.write_report` does on a results file.

    `title` is by default the name of the ledger. `match` chooses entries by name or id. Raises `WordplError` if no
    entry matches, if there are more than 500, if the report would have more than 6 MB, if the ledger is damaged or the
    report cannot be written.
    """

    instance("ledger", ledger, LedgerReader)

    def sections() -> tuple[list[str], list[Section]]:
        with ledger.snapshot():
            check_shown(ledger, ledger.entries(match))
            return _sections(ledger, match)

    write_sections(target, ledger.path, title, sections)


def _sections(book: LedgerReader, match: str) -> tuple[list[str], list[Section]]:
    """Return the lines below the title and the sections on the entries that match. Raises `WordplError` if there are
    none, or more than a report takes."""
    entries = book.entries(match)
    if not entries:
        raise WordplError(f"{book.path} has no submission" + (f" that matches {match!r}" if match else ""))
    if len(entries) > MAX_ENTRIES:
        raise WordplError(
            f"{book.path} has {len(entries):,} submissions, and a report takes {MAX_ENTRIES}; choose less"
        )
    ranks = book.ranks()
    boards = read_boards(book, entries, ranks)
    parts = [_board(book, f"board-{i}", board) for i, board in enumerate(boards)]
    records = [leaderboard.entry_record(book, entry, ranks) for entry in entries]
    over = [record for record in records if "verdicts" in record]
    parts += [Section("entries", "Entries", _entries(records)), *_evidence(over), *_verdicts(over)]
    contest = book.contest
    targets = ", ".join(f"{leaderboard.ordinal(q)} {number(budget)}" for q, budget in contest.records.budgets.items())
    facts = (
        *(el("dt", "commitment to the contest's secret"), el("dd", clean(contest.commitment))),
        el("dt", "records for entries from now on"),
        el("dd", f"{targets}; entries must beat them by {100 * contest.records.margin:g}%"),
    )
    parts.append(Section("contest", "The contest", el("dl", *facts)))
    about = f"{counted(len(entries), 'entry', 'entries')} on {counted(len(boards), 'board')}; the contest is"
    return [f"{about} {'closed' if contest.closed else 'open'}. From {clean(book.path.name)}"], parts


def _board(book: LedgerReader, name: str, board: ShownBoard) -> Section:
    """The table of a board with the curves of its first entries, its notes, and the published sources, folded."""
    parts, note = [], ""
    entries = list({entry.key: entry for entry in board.entries}.values())
    if board.rows:
        columns = [column for column in board.columns if column != "percentile"]
        groups: dict[str, list[list[str]]] = defaultdict(list)
        for row, entry in zip(board.rows, board.entries, strict=True):
            groups[f"{row['percentile']} percentile"].append([_cell(column, row, entry) for column in columns])
        parts = [table(board.title, columns, groups.items(), ["name", "author", "id"]), drawn([_curves(book, entries)])]
        few = f" The curves are of the first {MOST_CURVES} of {len(entries)} entries."
        note = f"{_BOARD}{few if len(entries) > MOST_CURVES else ''}"
    if board.notes:
        parts.append(el("ul", *(el("li", clean(line, 600), class_="given") for line in board.notes)))
    for entry in entries:
        for file, text in read_source(entry.source, entry.files).items():
            summary = el("summary", clean(f"{entry.name}: {file}"))
            parts.append(el("details", summary, el("pre", clean_lines(text))))
    return Section(name, clean(board.title), join(parts), note)


def _cell(column: str, row: dict[str, str], entry: Entry) -> str:
    text = clean(row[column], _LONGEST)
    if column == linked_column(entry):
        return el("a", text, href=entry.link, rel="nofollow noopener noreferrer", class_="given")
    if column == "win rate there":
        return with_interval(*text.split(" ", 1))
    return free_text(text) if column in ("name", "author") else text


def _curves(book: LedgerReader, entries: Sequence[Entry]) -> Panel:
    """Win rate against budget of the first entries, each with the interval of its stop rule, and the records."""
    lines = []
    for i, entry in enumerate(entries[:MOST_CURVES]):
        through = [standing.budget for standing in book.standings(entry)]
        curve = win_rate_curve(book.outcomes(entry, entry.trials), entry.stop_rule.error, through)
        points = tuple(Point(p.budget, p.win_rate, p.interval) for p in curve)
        lines.append(Line(f"{clean(entry.name, _LONGEST)} ({entry.id})", points, Look(i)))
    records = entries[0].records.budgets if entries[0].board.is_contest else {}
    known = Line("record to beat", tuple(Point(budget, q) for q, budget in records.items()))
    return Panel("within", tuple(lines), (known,) if records else ())


def _entries(records: Sequence[leaderboard.EntryRecord]) -> Html:
    rows = []
    for record in records:
        name, sandbox = free_text(record["name"], _LONGEST), free_text(record["sandbox"], _LONGEST)
        strategy = free_text(record["strategy"] or "–", _LONGEST, "code")
        trials = "" if record.get("trials") is None else f"{record['trials']:,}"
        state, attempt, entered = record["state"], str(record["attempt"]), clean(record["entered"])
        rows.append([name, record["id"], strategy, state, trials, attempt, sandbox, entered])
    columns = ["name", "id", "strategy", "state", "trials", "attempt", "sandbox", "entered"]
    return table("Entries", columns, [("", rows)], ["id", "strategy", "state", "sandbox", "entered"])


def _evidence(records: Sequence[leaderboard.EntryRecord]) -> list[Section]:
    rows = []
    for record in records:
        flag = record["flag"]
        if "e_values" in flag:
            state = "cleared" if flag["cleared"] else "raised" if flag["raised"] else "no"
            values = [number(value, 3) for value in (flag["e_value"], *(flag["e_values"][test] for test in TESTS))]
            rows.append([free_text(_who(record)), *values, state, free_text(flag["cleared"] or flag["reason"])])
    if not rows:
        return []
    columns = ["entry", "E-value", *TESTS, "flag", "why"]
    return [Section("evidence", "Evidence", table("Evidence", columns, [("", rows)], ["flag", "why"]), _EVIDENCE)]


def _verdicts(records: Sequence[leaderboard.EntryRecord]) -> list[Section]:
    if not records:
        return []
    names = [name for name in records[0]["verdicts"] if any(record["verdicts"][name] for record in records)]
    rows = [[free_text(_who(record)), *(f"{record['verdicts'][name]:,}" for name in names)] for record in records]
    tables = [table("How games ended", ["entry", *(name.lower() for name in names)], [("", rows)])]
    groups: list[Group] = [
        (_who(record), [[free_text(reason["reason"]), f"{reason['trials']:,}"] for reason in record["reasons"]])
        for record in records
        if record["reasons"]
    ]
    if groups:
        tables.append(table("Why games were lost other than by a wrong proposal", ["reason", "games"], groups))
    return [Section("verdicts", "Verdicts and why games were lost", join(tables))]


def _who(record: leaderboard.EntryRecord) -> str:
    return f"{clean(record['name'], _LONGEST)} ({record['id']})"
