"""What made a results file, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from wordpl.base.displays import counted, cut
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import print_table
from wordpl.simulation.provenance import Run

_LONGEST = 2000
VERSIONS = ("wordpl", "engine", "python", "numpy", "scipy", "numba", "platform")


def print_runs(title: str, runs: Sequence[Run]) -> None:
    """Print a row for each run: its command, what it added and when; and what the runs were made with."""
    columns = [TableColumn("command", kind="text"), TableColumn("trials"), TableColumn("tasks", 1)]
    columns += [TableColumn("begun (UTC)", 2), TableColumn("took", 3)]
    rows = [[cut(run.command, _LONGEST), str(run.trials), str(len(run.added)), *_times(run)] for run in runs]
    versions = Counter(tuple(getattr(run, name) for name in VERSIONS) for run in runs)
    notes = [_made_with(version, n if n < len(runs) else 0) for version, n in versions.items()]
    print_table(f"{title}: what made it", columns, rows, notes)


def _made_with(versions: Sequence[object], runs: int) -> str:
    """The values of `VERSIONS`, and how many runs had them if that is given."""
    names = {"wordpl": "WORDPL", "engine": "engine", "python": "Python", "platform": "on"}
    made_with = (f"{names.get(name, name)} {value}" for name, value in zip(VERSIONS, versions, strict=True))
    text = f"with {cut(', '.join(made_with), _LONGEST)}"
    return f"{counted(runs, 'run')} {text}" if runs else text


def _times(run: Run) -> tuple[str, str]:
    """When a run began, to the minute, and how long it took; as it is, if another program has written it."""
    try:
        start = datetime.fromisoformat(run.begun)
        seconds = (datetime.fromisoformat(run.ended) - start).total_seconds()
    except (ValueError, TypeError):  # no time, or one without a zone
        return cut(run.begun, _LONGEST), ""
    return f"{start:%Y-%m-%d %H:%M}", f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
