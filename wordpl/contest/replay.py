"""Replay games of an entry from the seeds: is what the ledger says of them true?

After the close everybody can, with the ledger alone; before it only the host, since the seeds are in his ledger. A
stranger's ledger is data: it is opened read-only, and the files of an entry run in the sandbox, within limits that this
machine can bear.
"""

import os

from wordpl.base.checks import whole_number
from wordpl.base.errors import WordplError
from wordpl.base.progress import Progress
from wordpl.base.sanitizing import visible
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.records import Contest, Entry, PlayedGame
from wordpl.contest.run import RunEndedError, TrialQueue, order_of_trials, run_of_entry, watch_submission
from wordpl.contest.sandbox import Launcher
from wordpl.play.referee import Verdict
from wordpl.simulation.watch import GameRecord

MOST_LINES = 20
"""Differences that are told of one entry."""
_BY_LOAD = (Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH)


def replay_entry(
    ledger: Ledger,
    entry: Entry,
    stage: str,
    *,
    launcher: Launcher,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[str]:
    """Play all games of an entry in a stage again, with the files in the ledger; return the differences, one line each.

    No line says that answers, clues, moves, verdicts and budgets are those in the ledger. Raises `WordplError` for
    damaged records, for files that are not those that were entered, for a contest of another engine, and for one that
    lets an entry use more memory than this machine has, or more files, processes and threads than usual.

    - `ledger`: the contest's file; it may be opened read-only
    - `entry`: one of its entries
    - `stage`: `provisional` or `final`
    - `launcher`: the sandbox
    - `jobs`: contestants that play at a time
    - `progress`: is called after each game
    """
    contest = _bearable(ledger.current())
    stored = {game.trial: game for game in ledger.games(entry, stage)}
    run = run_of_entry(contest, stage, ledger.submission(entry), launcher)
    lines = list[str]()
    if len(stored) != contest.trials and not entry.ended:
        lines.append(f"{len(stored):,} of {contest.trials:,} games are in the ledger")
    if extra := sorted(trial for trial in stored if trial >= contest.trials):
        lines.append(f"trial {extra[0]} is not of this contest")
    order = [trial for trial in order_of_trials(run, contest.trials) if trial in stored]
    count = 0
    try:
        for games in TrialQueue(run, order, jobs=max(1, min(jobs, len(order)))) if order else ():
            count += len(games)
            lines += filter(None, (difference(stored[game.trial], game) for game in games))
            if progress is not None:
                progress(visible(entry.name), len(games), count, len(order))
    except RunEndedError as error:
        if error.ended != entry.ended:
            lines.append(f"played again, it ends: {visible(str(error))}")
    return lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES} more"]


def replay_game(
    ledger: Ledger, entry: Entry, stage: str, trial: int, *, launcher: Launcher, top: int = 3
) -> tuple[GameRecord, str]:
    """Play one game of an entry again; return it move by move, and how it differs from the ledger; empty if not.

    A strategy that remembers earlier games may play otherwise here, where it has not played them. Raises `WordplError`
    as `replay_entry` does, and for a game that is not in the ledger.

    - `ledger`: the contest's file; it may be opened read-only
    - `entry`: one of its entries
    - `stage`: `provisional` or `final`
    - `trial`: the number of the game, from 0
    - `launcher`: the sandbox
    - `top`: how many of the most probable answers are kept after each move, 1 or more
    """
    contest, trial = _bearable(ledger.current()), whole_number("trial", trial, minimum=0)
    stored = next((game for game in ledger.games(entry, stage, trial) if game.trial == trial), None)
    if stored is None or trial >= contest.trials:
        raise WordplError(f"trial {trial} of the {stage} games is not in entry {entry.id}")
    run = run_of_entry(contest, stage, ledger.submission(entry), launcher)
    record = watch_submission(run, trial, top=top)
    return record, difference(stored, PlayedGame.of(record.game))


def _bearable(contest: Contest) -> Contest:
    """The contest, unless a stranger may have set its limits so that an entry could exhaust this machine."""
    bounds = {name: getattr(Limits(), name) for name in ("scratch", "files", "tasks", "open_files")}
    bounds["memory"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name, bound in bounds.items():
        if (value := getattr(contest.limits, name)) > bound:
            raise WordplError(f"this contest sets the limit {name} to {value}; a replay here allows {bound}")
    return contest


def difference(stored: PlayedGame, again: PlayedGame) -> str:
    """The first difference between a game in the ledger and its repetition, as a line; empty if they are the same."""
    asks: list[tuple[str, object, object]] = []
    asks += [(f"ask {i}", *pair) for i, pair in enumerate(zip(stored.log, again.log, strict=False))]
    asks.append(("the number of asks", len(stored.log), len(again.log)))
    for what, before, now in (
        ("the answer", stored.answer, again.answer),
        *asks,
        *((name, getattr(stored, name), getattr(again, name)) for name in ("proposed", "verdict", "budget")),
    ):
        if before != now:
            line = f"trial {stored.trial}: {what} is {visible(str(before), 80)} in the ledger"
            line += f" and {visible(str(now), 80)} when played again"
            by_load = any(game.verdict in _BY_LOAD for game in (stored, again))
            return line + ("; a clock or a busy machine alone can make this difference" if by_load else "")
    return ""
