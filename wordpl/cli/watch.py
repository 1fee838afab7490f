"""`wordpl watch`: one game of a strategy, move by move."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.contest import Trusting, launcher_of
from wordpl.cli.terminal import say, screen, tiles
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json
from wordpl.text.displays import counted

_INDENT = 4
_TILE = 3
"""Columns of a letter (`wordpl.cli.terminal.tiles`)."""
_MOST_STORED = 2**63 - 1  # the largest number that SQLite has
_COMPARED = ("answer", "proposed", "verdict", "budget", "turns")


def watch(
    strategy: Annotated[str, typer.Argument(help='A spec, as "Greedy(epsilon=10)", or a submission, as my.py:Mine().')],
    *,
    trial: Annotated[int, typer.Option(min=0, help="Which trial of the run to play.")] = 0,
    seed: opt.Seed = 1,
    game_seconds: opt.GameSeconds = None,
    count: Annotated[
        int, typer.Option("--count", "-k", min=1, help="How many of the most probable answers to show.")
    ] = 3,
    trusted: Trusting = False,
    results: Annotated[Path | None, typer.Option(help="Play as in this results file, and compare.")] = None,
    task: Annotated[str, typer.Option(help="With --results: the id of the run, or how it begins.", metavar="ID")] = "",
    ledger: Annotated[Path | None, typer.Option(help="Play as in this ledger, and compare; needs --entry.")] = None,
    entry: Annotated[str, typer.Option(help="The id of a finished entry of the ledger.", metavar="ID")] = "",
    game: opt.GameOptions,
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
    options = _Watched(strategy, trial, seed, opt.seconds_of(game_seconds), trusted, count, game)
    source, differences = "", list[str]()
    if ledger is not None or entry:
        record, differences = options.of_entry(ledger, entry)
        source = f"entry {entry} in {ledger}"
    elif results is not None:
        record, differences = options.of_results(results, task)
        source = str(results)
    else:
        record = options.anew()
    if json:
        print_json(record.record() | ({"differences": differences} if source else {}))
    else:
        _print(record)
        if source and not differences:
            say(f"This is the game in {source}.")
    for line in differences:
        typer.echo(f"wordpl: not the game in {source}: {line}", err=True)
    if differences:
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Watched:
    """Which game is watched, and how."""

    strategy: str
    trial: int
    seed: int
    game_seconds: float
    trusted: bool
    count: int
    game: opt.GameOptions

    def anew(self) -> wordpl.GameRecord:
        """The game of a run that nothing is known of."""
        if re.match(r"[^(]*[./:]", self.strategy) or Path(self.strategy).is_dir():
            submission, limits = wordpl.load_submission(self.strategy), wordpl.Limits.for_games_of(self.game_seconds)
            run = wordpl.ContestRun(submission, self.game.setting(), self.seed, limits, launcher_of(self.trusted))
            with _starting():
                return wordpl.watch_submission(run, self.trial, top=self.count)
        if self.trusted:
            raise WordplError("--trusted goes with a file; strategies of the library always play in this process")
        terms = self.game.terms() | {"game_seconds": self.game_seconds}
        return wordpl.watch(wordpl.parse_strategy(self.strategy), self.trial, self.seed, **terms, top=self.count)

    def of_results(self, results: Path, task: str) -> tuple[wordpl.GameRecord, list[str]]:
        """The game of a results file, and how it differs from the one there."""
        strategy = wordpl.parse_strategy(self.strategy)
        with wordpl.Store(results, must_exist=True) as store:
            row = _task_row(store.tasks(), strategy.label, task, results)
            own_words = self.game.answers is not None or self.game.guesses is not None
            terms: dict[str, Any] = {
                "words": self.game.load() if own_words else opt.word_list(row.words, None, None),
                "rule": row.rule,
                "channel": wordpl.channel_family(row.channel),
                "format": row.format,
                "game_seconds": self.game_seconds,
            }
            again = wordpl.make_task(strategy, int(row.seed), **terms)
            if again.id != row.id:
                same_code = strategy.code == row.code
                why = "name its words and its --game-seconds" if same_code else "its code has changed since"
                raise WordplError(f"the run {row.id[:8]} of {results} cannot be played again: {why}")
            frame = store.evaluation(again, min(self.trial + 1, _MOST_STORED)).frame
        frame = frame[frame["trial"] == self.trial]
        if frame.empty:
            raise WordplError(f"trial {self.trial} of {strategy.label} is not in {results}")
        record = wordpl.watch(strategy, self.trial, again.seed, **terms, top=self.count)
        now: Mapping[str, Any] = {**record.record(), "budget": record.budget}
        then = frame.iloc[0]
        return record, [
            f"{name} {then[name]} there, {now[name]} here"
            for name in _COMPARED
            if (then[name] or None) != (now[name] or None)
        ]

    def of_entry(self, ledger: Path | None, entry: str) -> tuple[wordpl.GameRecord, list[str]]:
        """The game of an entry, and how it differs from the one in the ledger."""
        if ledger is None or not entry:
            raise WordplError("--ledger FILE and --entry ID go together; wordpl leaderboard shows the ids")
        submission, launcher = wordpl.load_submission(self.strategy), launcher_of(self.trusted)
        setting = wordpl.Setting(self.game.load(), channel=self.game.family())
        with wordpl.Ledger(ledger, read_only=True) as book, _starting():
            row = book.entry(entry)
            return wordpl.watch_entry(
                book, row, submission, self.trial, setting=setting, launcher=launcher, top=self.count
            )


@contextmanager
def _starting() -> Iterator[None]:
    """Say what is waited for while a submission starts, which may take minutes, and plays."""
    with show_progress("games") as shown:
        shown("starting and playing", 0, 0, 1)
        yield


def _task_row(rows: Sequence[wordpl.TaskRow], label: str, task: str, results: Path) -> wordpl.TaskRow:
    """The run that is meant: of this strategy, and with this id if one is given."""
    found = [row for row in rows if row.strategy == label and row.id.startswith(task)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise WordplError(f"{results} has no run of {label}" + (f" with the id {task!r}" if task else ""))
    some = "; ".join(f"{row.id[:8]} has seed {row.seed}, {row.words}, {row.rule}, {row.channel}" for row in found[:5])
    raise WordplError(f"{results} has {len(found)} runs of {label}; choose one with --task: {some}")


# On the screen


def _print(record: wordpl.GameRecord) -> None:
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


def _print_move(number: int, move: wordpl.MoveRecord, wordle: bool) -> None:
    """Show a move; in games of Wordle it is a guess."""
    at = f" at {move.epsilon:g}" if move.epsilon is not None and not (wordle and move.epsilon == math.inf) else ""
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
            flipped = f"{signs}  {counted(len(move.flipped), 'mark')} flipped"
            screen().print(Text(f"{pad}      ").append(flipped, "bold red"))
    best = ", ".join(f"{word} {probability:.3g}" for word, probability in move.top)
    say(f"{pad}{move.bits:.2f} bits left: {best}")
    _print_printed(move.printed)


def _print_printed(printed: str) -> None:
    for line in printed.splitlines():
        screen().print(Text(f"{' ' * _INDENT}| {line}"))
