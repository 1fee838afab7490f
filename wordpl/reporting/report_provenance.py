"""What made the results of a report: its runs, what they were made with, and the commands to run them again."""

from __future__ import annotations

from collections.abc import Sequence

from wordpl.displays import counted
from wordpl.reporting.markup import Html, el, given, join, shown, shown_lines, table
from wordpl.reporting.provenance import VERSIONS, unrecorded
from wordpl.reporting.report_page import Part
from wordpl.simulation.provenance import PYTHON, Run
from wordpl.simulation.store import Store, TaskRow

MAX_RUNS = 50
"""Runs that are shown, at most: the first and the last of them."""
_MAX_LINES = 400
"""Of a study."""
_HEADING = "How to run it again"


def provenance_parts(store: Store, tasks: Sequence[TaskRow]) -> list[Part]:
    """Return the sections on the runs that added trials of these tasks, or one that says that there is no record."""
    wanted = {task.id for task in tasks}
    runs = [run for run in store.provenance() if wanted & run.added.keys()]
    if not runs:
        return [Part("again", _HEADING, el("p", "The file does not say what made it: it keeps no record of a run."))]
    some = runs if len(runs) <= MAX_RUNS else [*runs[: MAX_RUNS // 2], *runs[-MAX_RUNS // 2 :]]
    notes = [f"{counted(len(runs), 'run')}."]
    notes += [f"The first and the last {MAX_RUNS // 2} are shown."] if len(some) < len(runs) else []
    missing = unrecorded(runs, tasks)
    notes += [f"{counted(missing, 'game')} of runs that left no record."] if missing else []
    again = "A run adds the trials that are missing; the same command makes the same trials again."
    note = again if any(run.command != PYTHON for run in some) else ""
    return [
        Part("again", _HEADING, _commands(some), note),
        Part("provenance", "Provenance", _runs(some), " ".join(notes)),
    ]


def _commands(runs: Sequence[Run]) -> Html:
    """Each command once, and each study once."""
    told: list[str] = []
    commands = dict.fromkeys(run.command for run in runs if run.command != PYTHON)
    if commands:
        told += [_text("\n".join(shown_lines(command, 20, 4000) for command in commands), "Commands")]
    if any(run.command == PYTHON for run in runs):
        told.append(el("p", "A program in Python has added trials; it left no command."))
    for study in dict.fromkeys(run.study for run in runs if run.study):
        told += [el("h3", "The study file"), _text(shown_lines(study, _MAX_LINES), "Study file")]
    return join(told)


def _text(text: str, name: str) -> Html:
    return el("pre", text, tabindex="0", role="region", aria_label=name)


def _runs(runs: Sequence[Run]) -> Html:
    rows = [
        [
            el("code", shown(run.begun, 40)),
            el("code", shown(run.ended, 40)),
            f"{run.trials:,}",
            f"{len(run.added):,}",
            *(given(shown(str(getattr(run, name)))) for name in VERSIONS),
        ]
        for run in runs
    ]
    columns = ["begun", "ended", "games", "tasks", *VERSIONS]
    return table("Runs", columns, [("", rows)], ["ended", *VERSIONS])
