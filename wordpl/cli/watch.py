"""`wordpl watch`: one game of a strategy, move by move."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from typer import Argument, Option

import wordpl
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.cli import execution
from wordpl.cli import options as opt
from wordpl.cli.terminal import say, screen, tiles
from wordpl.reporting.tables import print_json

_INDENT = 4
_PAD = " " * _INDENT
_TILE = 3
"""Columns of a letter (`wordpl.cli.terminal.tiles`)."""
_SEARCHED = (10, 90, 900, 9000)
"""Games among which a lost one is looked for, so many at a time."""


@dataclass(frozen=True)
class WatchOptions(opt.SandboxOptions):
    """Which game is watched, and how."""

    trial: Annotated[str, Option(help="Show game number N, or games 0 to 5 for 0-5.", metavar="N")] = "0"
    lost: Annotated[bool, Option("--lost", help="Show the first lost game from number --trial on.")] = False
    seed: opt.Seed = 1
    count: Annotated[int, opt.count("Show the N most probable answers.")] = 3

    @property
    def trials(self) -> range:
        """The numbers of the games. Raises `WordplError` if `trial` names none, or with `lost` more than one."""
        start, dash, end = self.trial.partition("-")
        first, last = (int(n) if n.isdecimal() else -1 for n in (start, end if dash else start))
        if not 0 <= first <= last:
            raise WordplError(f"--trial {self.trial}: the number of a game, or a range such as 0-5, is expected")
        if self.lost and last > first:
            raise WordplError("--lost shows one game; give --trial one number, to look for it from there on")
        return range(first, last + 1)

    def played(self, evaluate: Callable[[int, int], wordpl.Evaluation]) -> Sequence[int]:
        """The numbers of the games to show; with --lost, that of the first one lost in `evaluate(first, trials)`."""
        first = start = self.trials[0]
        for n in _SEARCHED if self.lost else ():
            frame = evaluate(first, n).frame
            lost = frame.trial[(frame.verdict != "WIN") & (frame.trial >= first)]
            if len(lost):
                return [int(lost.iloc[0])]
            first += n
        if self.lost:
            raise WordplError(f"no game from trial {start} to {first - 1} was lost; --trial names a later one")
        return self.trials


def watch(
    strategy: Annotated[str, Argument(help='Such as "Greedy(epsilon=10)", or a submission such as my.py:Mine().')],
    *,
    how: WatchOptions,
    game: opt.GameOptions,
    epsilon: opt.NoEpsilon = None,
    json: opt.Json = False,
) -> None:
    """Show a game of a strategy, or several, move by move.

    Game N is the same game that score plays with these options. For each move you see the noisy clue, the true clue and
    the most probable answers so far.
    """
    fault, records, trials = "", list[Any](), how.trials
    for number, record in enumerate(_records(strategy, how, game)):
        if json:
            records.append(record.summary())
        else:
            print_game(record, after="\n" if number else "")
        played = record.game
        if played.verdict not in ("WIN", "LOSS", "TIMEOUT"):
            fault = fault or f"{record.strategy} lost trial {played.trial} by an error: {played.reason}"
    if json:
        print_json(records if len(trials) > 1 else records[0])
    if fault:
        raise WordplError(fault)


def _records(spec: str, how: WatchOptions, game: opt.GameOptions) -> Iterator[wordpl.simulation.GameRecord]:
    if not how.sandbox:
        from wordpl.simulation.watch import watch_games

        terms, strategy = game.terms(), wordpl.parse_strategy(spec)
        execution.tell_of_trust([spec])
        task = wordpl.make_task(strategy, how.seed, **terms)
        play = partial(wordpl.evaluate, strategy, seed=how.seed, **terms)
        trials = how.played(lambda first, n: play(trials=n, first_trial=first))
        yield from watch_games(task, trials, how.count)
        return
    run = how.run(spec, game.setting(), how.seed)
    with wordpl.show_progress("games") as progress:
        trials = how.played(lambda first, n: wordpl.contest.evaluate_submission(run, first + n, progress=progress))
    for trial in trials:
        with wordpl.show_progress("games") as progress:
            progress("starting and playing", 0, 0, 1)
            record = wordpl.contest.watch_submission(run, trial, top=how.count)
        yield record


def print_game(record: wordpl.simulation.GameRecord, after: str = "", seed: str = "") -> None:
    """Show a game on the terminal, move by move; `seed` is its root seed as it was published, if not as a number."""
    game, setting = record.game, record.setting
    say(f"{after}{record.strategy}: trial {game.trial} of seed {seed or record.seed}")
    wordle = setting.format.is_wordle
    channel = wordpl.channel_name(setting.channel).replace("_", " ")
    terms = [setting.words.name, setting.rule, channel, *([str(setting.format)] if wordle else [])]
    say(f"{', '.join(terms)}; {record.prior_bits:.2f} bits")
    for line in record.printed.splitlines():
        say(f"{_PAD}| {line}")
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


def _print_move(number: int, move: wordpl.simulation.MoveRecord, wordle: bool) -> None:
    """Show a move; in games of Wordle it is a guess."""
    at = f" at {move.epsilon:g}" if move.epsilon is not None and not (wordle and move.epsilon == math.inf) else ""
    verb = {"ask": "guesses" if wordle else "asks", "answer": "proposes", "forfeit": "makes no move"}[move.kind]
    say(f"{number:<{_INDENT}}{verb} {f'{move.word}{at} ' if move.word else ''}({1e3 * move.cpu_seconds:.3g} ms of CPU)")
    if move.word is not None and move.noisy_clue is not None and move.true_clue is not None:
        screen().print(f"{_PAD}noisy ", tiles(move.word, move.noisy_clue), sep="")
        screen().print(f"{_PAD}true  ", tiles(move.word, move.true_clue), sep="")
        if move.flipped:
            signs = "".join("^".center(_TILE) if i in move.flipped else " " * _TILE for i in range(len(move.word)))
            line = f"{signs}  {counted(len(move.flipped), 'mark')} flipped"
            screen().print(f"{_PAD}      {line}", style="bold red")
    best = ", ".join(f"{word} {probability:.3g}" for word, probability in move.top)
    say(f"{_PAD}{move.bits:.2f} bits left: {best}")
    for line in move.printed.splitlines():
        say(f"{_PAD}| {line}")
