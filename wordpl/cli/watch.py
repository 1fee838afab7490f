"""`wordpl watch`: one game of a strategy, move by move."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.contest import Trusting
from wordpl.cli.terminal import say, screen, tiles
from wordpl.displays import counted
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json

if TYPE_CHECKING:
    from wordpl.contest.sandbox import Launcher
    from wordpl.simulation.store import TaskRow
    from wordpl.simulation.watch import GameRecord, MoveRecord

_INDENT = 4
_TILE = 3
"""Columns of a letter (`wordpl.cli.terminal.tiles`)."""
_MOST_STORED = 2**63 - 1  # the largest number that SQLite has
_COMPARED = ("answer", "proposed", "verdict", "budget", "turns")


def register(app: typer.Typer, section: str) -> None:
    add(app, watch, section)


def watch(
    strategy: Annotated[
        str,
        typer.Argument(help='A spec, as "Greedy(epsilon=10)", or a submission, as my.py:Mine().', metavar="STRATEGY"),
    ],
    *,
    trial: Annotated[int, typer.Option("--trial", min=0, help="Which trial of the run to play.", metavar="N")] = 0,
    seed: opt.Seed = 1,
    game_seconds: opt.GameSeconds = None,
    count: Annotated[
        int, typer.Option("--count", "-k", min=1, help="How many of the most probable answers to show.", metavar="N")
    ] = 3,
    trusted: Trusting = False,
    results: Annotated[
        Path | None,
        typer.Option("--results", help="Play as in this results file, and compare.", metavar="FILE"),
    ] = None,
    task: Annotated[
        str, typer.Option("--task", help="With --results: the id of the run, or how it begins.", metavar="ID")
    ] = "",
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="Play as in this ledger, and compare; needs --entry.")
    ] = None,
    entry: Annotated[str, typer.Option("--entry", help="The id of a finished entry of the ledger.", metavar="ID")] = "",
    game: opt.ChannelOptions,
    json: opt.Json = False,
) -> None:
    """Show one game of a strategy, move by move.

    It is trial N of any run with the same seed, words, rule and channel: of score for a spec, of try for a file. Each
    move comes with the clue before the noise, and with what the referee's posterior makes of the clues so far. Exit
    code 1 says that the game is not the one in the results file or the ledger.
    """
    if results is not None and (ledger is not None or entry):
        raise WordplError("--results and --ledger exclude each other; give one of them")
    if task and results is None:
        raise WordplError("--task goes with --results: it names a run of that file")
    if ledger is not None or entry:
        record, differences = _entry(strategy, trial, ledger, entry, trusted, count, game)
        compared = f"entry {entry} in {ledger}"
    elif results is not None:
        record, differences = _stored(strategy, trial, results, task, game_seconds, count, game)
        compared = str(results)
    else:
        record, compared, differences = _new(strategy, trial, seed, game_seconds, trusted, count, game), "", []
    if json:
        print_json(record.record() | ({"differences": list(differences)} if compared else {}))
    else:
        _print(record)
        if compared and not differences:
            say(f"This is the game in {compared}.")
    for line in differences:
        typer.echo(f"wordpl: not the game in {compared}: {line}", err=True)
    if differences:
        raise typer.Exit(1)


def _is_file(strategy: str) -> bool:
    return bool(re.match(r"[^(]*[./:]", strategy)) or Path(strategy).is_dir()


def _new(
    strategy: str,
    trial: int,
    seed: int,
    game_seconds: float | None,
    trusted: bool,
    count: int,
    game: opt.ChannelOptions,
) -> GameRecord:
    from wordpl.contest.limits import Limits
    from wordpl.contest.scoring import ContestRun
    from wordpl.contest.submission import load_submission
    from wordpl.contest.watch import watch_submission
    from wordpl.play.strategy import Setting
    from wordpl.simulation.watch import watch
    from wordpl.specs import parse_strategy

    seconds = opt.GamesOptions(game_seconds=game_seconds).seconds
    if _is_file(strategy):
        setting = Setting(game.load(), game.rule, game.family(), format=game.played())
        run = ContestRun(load_submission(strategy), setting, seed, Limits.for_games_of(seconds), _launcher(trusted))
        with _starting():
            return watch_submission(run, trial, top=count)
    if trusted:
        raise WordplError("--trusted goes with a file; strategies of the library always play in this process")
    return watch(
        parse_strategy(strategy),
        trial,
        seed,
        words=game.load(),
        rule=game.rule,
        channel=game.family(),
        format=game.played(),
        game_seconds=seconds,
        top=count,
    )


@contextmanager
def _starting() -> Iterator[None]:
    """Say what is waited for while a submission starts, which may take minutes, and plays."""
    with show_progress("games") as shown:
        shown("starting and playing", 0, 0, 1)
        yield


def _launcher(trusted: bool) -> Launcher:
    from wordpl.contest.sandbox import Trusted
    from wordpl.contest.submit import launcher

    return Trusted() if trusted else launcher()


# A game that was played before


def _stored(
    strategy: str,
    trial: int,
    results: Path,
    task: str,
    game_seconds: float | None,
    count: int,
    game: opt.ChannelOptions,
) -> tuple[GameRecord, list[str]]:
    from wordpl.model.channel import channel_family
    from wordpl.simulation.store import Store
    from wordpl.simulation.sweep import make_task
    from wordpl.simulation.watch import watch
    from wordpl.specs import parse_strategy

    made = parse_strategy(strategy)
    with Store(results, must_exist=True) as store:
        row = _task_row(store.tasks(), made.label, task, results)
        own_words = game.answers is not None or game.guesses is not None
        again = make_task(
            made,
            int(row.seed),
            words=game.load() if own_words else opt.word_list(row.words, None, None),
            rule=row.rule,
            channel=channel_family(row.channel),
            format=row.format,
            game_seconds=opt.GamesOptions(game_seconds=game_seconds).seconds,
        )
        if again.id != row.id:
            why = "its code has changed since" if made.code != row.code else "name its words and its --game-seconds"
            raise WordplError(f"the run {row.id[:8]} of {results} cannot be played again: {why}")
        stored = store.evaluation(again, min(trial + 1, _MOST_STORED)).frame
    stored = stored[stored["trial"] == trial]
    if stored.empty:
        raise WordplError(f"trial {trial} of {made.label} is not in {results}")
    record = watch(
        made,
        trial,
        again.seed,
        words=again.setting.words,
        rule=again.setting.rule,
        channel=again.setting.channel,
        format=again.setting.format,
        game_seconds=again.game_seconds,
        top=count,
    )
    then, now = stored.iloc[0], record.record() | {"budget": record.budget}
    return record, [
        f"{name} {then[name]} there, {now[name]} here"
        for name in _COMPARED
        if (then[name] or None) != (now[name] or None)
    ]


def _task_row(rows: Sequence[TaskRow], label: str, task: str, results: Path) -> TaskRow:
    """The run that is meant: of this strategy, and with this id if one is given."""
    found = [row for row in rows if row.strategy == label and row.id.startswith(task)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise WordplError(f"{results} has no run of {label}" + (f" with the id {task!r}" if task else ""))
    some = "; ".join(f"{row.id[:8]} has seed {row.seed}, {row.words}, {row.rule}, {row.channel}" for row in found[:5])
    raise WordplError(f"{results} has {len(found)} runs of {label}; choose one with --task: {some}")


def _entry(
    strategy: str, trial: int, ledger: Path | None, entry: str, trusted: bool, count: int, game: opt.ChannelOptions
) -> tuple[GameRecord, list[str]]:
    from wordpl.contest.ledger import Ledger
    from wordpl.contest.submission import load_submission
    from wordpl.contest.watch import watch_entry
    from wordpl.play.strategy import Setting

    if ledger is None or not entry:
        raise WordplError("--ledger FILE and --entry ID go together; wordpl leaderboard shows the ids")
    submission, launcher = load_submission(strategy), _launcher(trusted)
    setting = Setting(game.load(), channel=game.family())
    with Ledger(ledger, read_only=True) as book, _starting():
        return watch_entry(book, book.entry(entry), submission, trial, setting=setting, launcher=launcher, top=count)


# On the screen


def _print(record: GameRecord) -> None:
    say(f"{record.strategy}: trial {record.trial} of seed {record.seed}")
    wordle = record.is_wordle
    terms = [record.words, record.rule, record.channel.replace("_", " "), *([record.format] if wordle else [])]
    say(f"{', '.join(terms)}; {record.prior_bits:.2f} bits")
    _print_printed(record.printed)
    for number, move in enumerate(record.moves, 1):
        say("")
        _print_move(number, move, wordle)
    say("")
    asked = sum(move.kind == "ask" for move in record.moves)
    spent = counted(asked, "guess", "guesses") if wordle else f"budget {record.budget:g}"
    if record.won:
        say(f"{record.verdict}: the answer is {record.answer}; {spent}.")
    elif record.proposed is not None:
        say(f"{record.verdict}: the answer is {record.answer}, not {record.proposed}; {spent}.")
    else:
        say(f"{record.verdict}: {record.reason}. The answer is {record.answer}; {spent}.")


def _print_move(number: int, move: MoveRecord, wordle: bool) -> None:
    """Show a move; in games of Wordle it is a guess."""
    at = "" if wordle and move.epsilon == math.inf else f" at {_number(move.epsilon)}"
    said = {
        "ask": f"{'guesses' if wordle else 'asks'} {move.word}{at}",
        "answer": f"proposes {move.word}",
        "forfeit": "makes no move",
    }
    say(f"{number:<{_INDENT}}{said[move.kind]} ({1e3 * move.cpu_seconds:.3g} ms of CPU)")
    pad = " " * _INDENT
    if move.word is not None and move.noisy_clue is not None and move.true_clue is not None:
        screen().print(Text(f"{pad}noisy ").append(tiles(move.word, move.noisy_clue)))
        screen().print(Text(f"{pad}true  ").append(tiles(move.word, move.true_clue)))
        if move.flipped:
            signs = "".join("^".center(_TILE) if i in move.flipped else " " * _TILE for i in range(len(move.word)))
            marks = "mark" if len(move.flipped) == 1 else "marks"
            screen().print(Text(f"{pad}      ").append(f"{signs}  {len(move.flipped)} {marks} flipped", "bold red"))
    best = ", ".join(f"{word} {probability:.3g}" for word, probability in move.top)
    say(f"{pad}{move.bits:.2f} bits left: {best}")
    _print_printed(move.printed)


def _number(epsilon: float | None) -> str:
    return "" if epsilon is None else f"{epsilon:g}"


def _print_printed(printed: str) -> None:
    for line in printed.splitlines():
        screen().print(Text(f"{' ' * _INDENT}| {line}"))
