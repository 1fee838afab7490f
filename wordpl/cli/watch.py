"""`wordpl watch`: one game of a strategy, move by move."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import wordpl
from wordpl import simulation
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.base.progress import show_progress
from wordpl.cli import options as opt
from wordpl.cli.logs import tell
from wordpl.cli.terminal import say, screen, tiles
from wordpl.reporting.tables import print_json

_INDENT = 4
_TILE = 3
"""Columns of a letter (`wordpl.cli.terminal.tiles`)."""
_NEVER_STORED = 2**62
_SEARCHED = (10, 90, 900, 9000)
"""Games among which a lost one is looked for, so many at a time."""
_TRIALS = re.compile(r"([0-9]{1,20})(?:-([0-9]{1,20}))?")
_COMPARED = ("answer", "proposed", "verdict", "budget", "turns")


@dataclass(frozen=True)
class WatchOptions:
    """Which game is watched, and how."""

    trial: Annotated[str, Option(help="Show game number N, or games 0 to 5 for 0-5.", metavar="N")] = "0"
    lost: Annotated[bool, Option("--lost", help="Show the first lost game from number --trial on.")] = False
    seed: opt.Seed = 1
    game_seconds: opt.GameSeconds = None
    count: Annotated[int, Option("--count", "-k", min=1, help="Show the N most probable answers.")] = 3
    sandbox: opt.Sandboxed = False

    @property
    def trials(self) -> range:
        """The numbers of the games. Raises `WordplError` if `trial` names none, or with `lost` more than one."""
        ends = _TRIALS.fullmatch(self.trial)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if last < first:
            raise WordplError(f"--trial {self.trial}: the number of a game, or a range such as 0-5, is expected")
        if self.lost and last > first:
            raise WordplError("--lost shows one game; give --trial one number, to look for it from there on")
        return range(first, last + 1)


def watch(
    strategy: Annotated[str, Argument(help='Such as "Greedy(epsilon=10)", or a submission such as my.py:Mine().')],
    *,
    ctx: typer.Context,
    how: WatchOptions,
    results: Annotated[Path | None, Option(help="Replay a game of this results file, and compare the two.")] = None,
    task: Annotated[str, Option(help="With --results: the id of the run, or its first letters.", metavar="ID")] = "",
    game: opt.GameOptions,
    json: opt.Json = False,
) -> None:
    """Show a game of a strategy, or several, move by move.

    Game N is the same game that score plays with these options. For each move you see the noisy clue, the true clue and
    the most probable answers so far. Exit code 1: a game differs from the one in the results file.
    """
    if task and results is None:
        raise WordplError("--task goes with --results: it names a run of that file")
    if how.sandbox and (results is not None or not opt.is_file(strategy)):
        raise WordplError("--sandbox is for a file, and does not go with --results; leave it out")
    opt.check_clock(how.game_seconds, how.sandbox)
    if results is not None:
        opt.refuse_typed(
            ctx, ("seed", "words", "rule", "channel", "game", "first_guess"), "--results, whose file says it"
        )
    opt.check_there(results, kind="results file")
    source = str(results or "")
    differ, fault, records, trials = False, "", list[dict[str, Any]](), how.trials
    for first in trials:
        differences = list[str]()
        if results is not None:
            record, differences = _of_results(strategy, how, first, game, results, task)
        else:
            record = _anew(strategy, how, first, game)
        if json:
            records.append({**record.summary(), **({"differences": differences} if source else {})})
        else:
            print_game(record, after="" if first == trials[0] else "\n")
            if source and not differences:
                say(f"This is the game in {source}.")
        for line in differences:
            tell(f"not the game in {source}: {line}")
        differ, played = differ or bool(differences), record.game
        if not source and played.verdict not in ("WIN", "LOSS", "TIMEOUT"):
            fault = fault or f"{record.strategy} lost trial {played.trial} by an error: {played.reason}"
    if json:
        print_json(records if len(trials) > 1 else records[0])
    if differ:
        raise typer.Exit(1)
    if fault:
        raise WordplError(fault)


def _anew(spec: str, how: WatchOptions, first: int, game: opt.GameOptions) -> simulation.GameRecord:
    if how.sandbox:
        submission, limits = wordpl.contest.load_submission(spec), opt.sandbox_limits(how.game_seconds)
        run = wordpl.contest.ContestRun(submission, game.setting(), how.seed, limits, opt.launcher_of(spec, True))
        with _starting():
            trial = _trial(how, first, lambda at, trials: wordpl.contest.evaluate_submission(run, at + trials))
            return wordpl.contest.watch_submission(run, trial, top=how.count)
    terms = game.terms()
    strategy = wordpl.parse_strategy(spec)
    if first == how.trials[0]:
        opt.tell_of_trust([spec])
    trial = _trial(how, first, lambda at, trials: wordpl.evaluate(strategy, trials, how.seed, first_trial=at, **terms))
    return wordpl.watch(strategy, trial, how.seed, **terms, top=how.count)


def _trial(how: WatchOptions, start: int, evaluate: Callable[[int, int], wordpl.Evaluation]) -> int:
    """The trial that is meant, by what `evaluate` gives for so many trials from the first one on."""
    first = start
    for trials in _SEARCHED if how.lost else ():
        frame = evaluate(first, trials).frame
        lost = frame.trial[(frame.verdict != "WIN") & (frame.trial >= first)]
        if len(lost):
            return int(lost.iloc[0])
        first += trials
    if how.lost:
        raise WordplError(f"no game from trial {start} to {first - 1} was lost; --trial names a later one")
    return first


def _of_results(
    spec: str, how: WatchOptions, first: int, game: opt.GameOptions, results: Path, task: str
) -> tuple[simulation.GameRecord, list[str]]:
    """The game of a results file, and how it differs from the one there."""
    strategy = wordpl.parse_strategy(spec)
    with wordpl.Store(results, read_only=True) as store:
        row = _task_row(store, strategy.label, task)
        own_words = game.answers is not None or game.guesses is not None
        terms: dict[str, Any] = {
            "words": game.load() if own_words else row.words,
            **{name: getattr(row, name) for name in ("rule", "channel", "format")},
        }
        rerun = wordpl.make_task(strategy, int(row.seed), **terms)
        if rerun.id != row.id:
            same_code = strategy.code == row.code
            why = "name its words" if same_code else "its code has changed since"
            raise WordplError(f"the run {row.id[:8]} of {results} cannot be played again: {why}")
        trial = _trial(how, first, lambda at, trials: store.evaluation(rerun, trials, min(at, _NEVER_STORED)))
        frame = store.evaluation(rerun, 1, min(trial, _NEVER_STORED)).frame
    if frame.empty:
        raise WordplError(f"trial {trial} of {strategy.label} is not in {results}")
    record = wordpl.watch(strategy, trial, rerun.seed, **terms, top=how.count)
    replay: dict[str, Any] = {**record.summary(), "budget": record.game.budget}
    stored = frame.iloc[0]
    names = [name for name in _COMPARED if (stored[name] or None) != (replay[name] or None)]
    return record, [f"{name} {stored[name]} there, {replay[name]} here" for name in names]


@contextmanager
def _starting() -> Iterator[None]:
    """Say what is waited for while a submission starts, which may take minutes, and plays."""
    with show_progress("games") as progress:
        progress("starting and playing", 0, 0, 1)
        yield


def _task_row(store: wordpl.Store, label: str, task: str) -> simulation.TaskRow:
    """The run that is meant: of this strategy, and with this id if one is given."""
    rows = [row for row in store.tasks() if row.strategy == label and row.id.startswith(task)]
    if len(rows) == 1:
        return rows[0]
    if not rows:
        raise WordplError(f"{store.path} has no run of {label}" + (f" with the id {task!r}" if task else ""))
    runs = "; ".join(f"{row.id[:8]} has seed {row.seed}, {row.words}, {row.rule}, {row.channel}" for row in rows[:5])
    raise WordplError(f"{store.path} has {len(rows)} runs of {label}; choose one with --task: {runs}")


def print_game(record: simulation.GameRecord, after: str = "") -> None:
    """Show a game on the terminal, move by move."""
    game, setting = record.game, record.setting
    say(f"{after}{record.strategy}: trial {game.trial} of seed {record.seed}")
    wordle = setting.format.is_wordle
    channel = wordpl.channel_name(setting.channel).replace("_", " ")
    terms = [setting.words.name, setting.rule, channel, *([str(setting.format)] if wordle else [])]
    say(f"{', '.join(terms)}; {record.prior_bits:.2f} bits")
    _print_printed(record.printed)
    for number, move in enumerate(record.moves, 1):
        say("")
        _print_move(number, move, wordle)
    say("")
    asks = sum(move.kind == "ask" for move in record.moves)
    score = counted(asks, "guess", "guesses") if wordle else f"budget {game.budget:g}"
    answer = f"the answer is {game.answer}"
    if game.proposed is None:
        answer = f"{game.reason}. The answer is {game.answer}"
    elif not game.won:
        answer += f", not {game.proposed}"
    say(f"{game.verdict}: {answer}; {score}.")


def _print_move(number: int, move: simulation.MoveRecord, wordle: bool) -> None:
    """Show a move; in games of Wordle it is a guess."""
    at = f" at {move.epsilon:g}" if move.epsilon is not None and not (wordle and move.epsilon == math.inf) else ""
    verb = {"ask": "guesses" if wordle else "asks", "answer": "proposes", "forfeit": "makes no move"}[move.kind]
    say(f"{number:<{_INDENT}}{verb} {f'{move.word}{at} ' if move.word else ''}({1e3 * move.cpu_seconds:.3g} ms of CPU)")
    pad = " " * _INDENT
    if move.word is not None and move.noisy_clue is not None and move.true_clue is not None:
        screen().print(f"{pad}noisy ", tiles(move.word, move.noisy_clue), sep="")
        screen().print(f"{pad}true  ", tiles(move.word, move.true_clue), sep="")
        if move.flipped:
            signs = "".join("^".center(_TILE) if i in move.flipped else " " * _TILE for i in range(len(move.word)))
            line = f"{signs}  {counted(len(move.flipped), 'mark')} flipped"
            screen().print(f"{pad}      {line}", style="bold red")
    best = ", ".join(f"{word} {probability:.3g}" for word, probability in move.top)
    say(f"{pad}{move.bits:.2f} bits left: {best}")
    _print_printed(move.printed)


def _print_printed(printed: str) -> None:
    for line in printed.splitlines():
        say(f"{' ' * _INDENT}| {line}")
