"""`wordpl frontier`: the smallest budget for each win rate, and the bound that no strategy can pass."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.stopping import stopping
from wordpl.cli.targets import BUDGETS, PICTURE
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import number, print_json, print_table
from wordpl.storage.files import whole_file

_SHOWN = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def frontier(
    *,
    points: Annotated[Path, typer.Option(help="File of measured points; they are not measured again.")] = Path(
        "results/frontier.jsonl"
    ),
    out: Annotated[
        list[Path] | None,
        opt.out(
            "Write the table, 1% to 99%, to a .csv, or draw it into a picture (.png, .svg, .pdf); repeatable.",
            BUDGETS,
            PICTURE,
        ),
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option(help="Only this family, as '3 clues' or NGuess; repeatable.", metavar="NAME")
    ] = None,
    bound: Annotated[bool, typer.Option("--bound/--no-bound", help="Whether to compute the bound as well.")] = True,
    standard_error: Annotated[float, typer.Option(help="Of a win rate that is estimated.", metavar="ERROR")] = 0.006,
    seed: opt.Seed = 1,
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    json: opt.Json = False,
) -> None:
    """Smallest budget for each win rate, beside the bound.

    For win rates from 1% to 99% it shows the smallest budget known by number of clues, the published strategies at
    their best parameters, our records, and the bound. Measured points are kept, so a run that was stopped resumes.
    """
    from wordpl.errors import nearest

    names = list(dict.fromkeys(known.name for known in wordpl.FAMILIES))
    for name in family or []:
        if name not in names:
            raise WordplError(f"unknown family {name!r}: {nearest(name, names)}")
    chosen = [known for known in wordpl.FAMILIES if not family or known.name in family]
    setting, workers = wordpl.Setting(wordpl.load_words("original")), opt.number_of_jobs(jobs, cluster)
    resume = f"the points so far are in {points}; the same command goes on from there"
    with stopping(lambda: resume, at_once=True), opt.on_cluster(cluster), show_progress("points") as shown:
        measured = wordpl.measure_frontier(
            chosen,
            setting,
            points,
            standard_error=standard_error,
            seed=seed,
            jobs=workers,
            progress=shown,
        )
    curves = {name: curve.tolist() for name, curve in wordpl.smallest_budgets(chosen, measured).items()}
    if bound:
        curves["bound"] = []
        with show_progress("bounds") as shown:
            for done, win_rate in enumerate(wordpl.WIN_RATES):
                shown("bound", int(done > 0), done, len(wordpl.WIN_RATES))
                curves["bound"].append(wordpl.budget_bound(win_rate, setting.words))
    for path in out or []:
        if path.suffix.lower() == ".csv":
            _write(path, curves)
        else:
            wordpl.draw_frontier(curves, wordpl.WIN_RATES, path)
    if json:
        print_json({name: [None if math.isnan(b) else b for b in curve] for name, curve in curves.items()})
        return
    rows = [
        [
            f"{percent}%",
            *("" if math.isnan(curve[percent - 1]) else number(curve[percent - 1]) for curve in curves.values()),
        ]
        for percent in _SHOWN
    ]
    columns = [Column(name, 1 if name in ("best", "bound") else 2) for name in curves]
    print_table("Smallest budget for each win rate", [Column("win rate"), *columns], rows)


def _write(path: Path, curves: dict[str, list[float]]) -> None:
    import pandas as pd

    table = pd.DataFrame(curves)
    table.insert(0, "win_rate", [percent / 100 for percent in range(1, 100)])
    with whole_file(path) as beside:
        table.to_csv(beside, index=False, float_format="%.3f")
