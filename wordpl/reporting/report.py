"""A report: what was run and what came of it, in one file that opens anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wordpl.errors import WordplError, error_line
from wordpl.reporting.markup import Part, page, shown
from wordpl.reporting.outcome_tables import nothing_found
from wordpl.simulation.outcomes import read_outcomes, shared_terms
from wordpl.simulation.selection import Where
from wordpl.simulation.store import Store
from wordpl.storage.files import StrPath, whole_file
from wordpl.text.displays import counted

if TYPE_CHECKING:
    from wordpl.contest.ledger.writer import Ledger

MAX_TASKS = 500
"""Tasks of a report, at most."""
MAX_BYTES = 6_000_000


def write_report(
    source: Store | Ledger, target: StrPath, *, title: str = "", match: str = "", where: Where = ()
) -> None:
    """Write a report on a results file or a ledger to the HTML file `target`; missing folders are made.

    The file needs no network and loads nothing: it holds tables with intervals, and curves as pictures whose points
    say their figures. The same source gives the same bytes. `title` is by default the name of the source.
    `match` chooses tasks whose strategy or word list contains it, or entries by name or id; `where` chooses tasks by
    their properties, as for `read_outcomes`.

    Raises `WordplError` if nothing matches, if the report would have more than 500 tasks or 6 MB, if the source is
    damaged or the file cannot be written; `MissingExtraError` without matplotlib.
    """
    try:
        with np.errstate(invalid="raise"):  # so that a damaged file makes no NaN
            if isinstance(source, Store):
                about, parts = _of_results(source, match, where)
            else:
                about, parts = _of_ledger(source, match)
        content = page(title or source.path.name, about, parts).encode()
    except WordplError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise WordplError(f"{source.path} is damaged: {error_line(error)}") from None
    if len(content) > MAX_BYTES:
        raise WordplError(
            f"the report would have {len(content) / 1e6:.1f} MB, and {MAX_BYTES / 1e6:g} are allowed;"
            " --match and --where take less"
        )
    with whole_file(target) as beside:
        beside.write_bytes(content)


def _of_results(store: Store, match: str, where: Where) -> tuple[list[str], list[Part]]:
    from wordpl.reporting.report_results import result_parts

    tasks = [task for task in store.tasks(match, where) if task.trials]
    if not tasks:
        raise WordplError(nothing_found([store], match, where))
    if len(tasks) > MAX_TASKS:
        raise WordplError(f"a report takes {MAX_TASKS} tasks, and these are {len(tasks):,}; --where takes fewer")
    found = read_outcomes(store, match, where)
    strategies = counted(len({(outcome.name, outcome.task.code) for outcome in found}), "strategy", "strategies")
    games = sum(outcome.figures.trials for outcome in found)
    size = f"{strategies}, {counted(len(found), 'task')}, {games:,} games, from {shown(store.path.name)}"
    return [shown(shared_terms(found)), size], result_parts(store, found)


def _of_ledger(book: Ledger, match: str) -> tuple[list[str], list[Part]]:
    from wordpl.contest.audit.chain import check_shown
    from wordpl.reporting.report_ledger import ledger_parts

    with book.snapshot():
        check_shown(book, book.entries(match))
        return ledger_parts(book, match)
