"""Repeat the trials of a run: from its seed and its log, or by playing the strategy again in the sandbox."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wordpl.contest.budget import RunBudget, Tally
from wordpl.contest.entries import Entry, Row
from wordpl.contest.evidence import figures
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.limits import Limits
from wordpl.contest.sandbox import Launcher
from wordpl.contest.sanitizing import visible
from wordpl.contest.scoring import ContestRun, Played, RunEndedError, play_trials
from wordpl.contest.submission import Submission
from wordpl.errors import WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix, clue_strings
from wordpl.play.referee import Game, Verdict
from wordpl.play.seeds import Seeds
from wordpl.play.specs import literal_call
from wordpl.play.strategy import Setting, Turn
from wordpl.progress import Progress

_ROUNDING = 1e-9
"""Sums may differ by this much on another processor."""
_BY_LOAD = frozenset((Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH))

_Move = tuple[str, float] | str


def close(one: float, other: float) -> bool:
    """Return whether two figures are equal up to rounding."""
    return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


def game_of(row: Row) -> Game:
    """Return the game of a stored trial."""
    return Game(
        row.trial,
        row.answer,
        Verdict(row.verdict),
        row.proposed,
        row.reason,
        tuple(Turn(*turn) for turn in row.log),
        row.seconds,
        row.slowest,
    )


class Replay:
    """What the trials of an entry must say, given its seed and the moves in the log."""

    def __init__(self, setting: Setting, limits: Limits, seed: int, *, with_figures: bool = True) -> None:
        """Without figures, chance and evidence of a game are not worked out again, which takes most of the time."""
        self._setting, self._limits, self._seeds = setting, limits, Seeds(seed)
        self._with_figures = with_figures
        self._clues = clue_matrix(setting.words, setting.rule)

    def faults(self, row: Row) -> list[str]:
        """Return the faults of one trial, one line each."""
        words = self._setting.words
        place = self._seeds.answer(row.trial, len(words.answers))
        answer = words.answers[place]
        found = [] if answer == row.answer else [f"the answer was {answer}, not {visible(row.answer, 40)}"]
        if len(row.log) > self._limits.asks:
            found.append(f"it has {len(row.log)} asks; {self._limits.asks} are allowed")
        asks = [fault for ask, turn in enumerate(row.log) if (fault := self._ask(row.trial, ask, turn, place))]
        found += asks
        game = replace(game_of(row), answer=answer)
        if game.budget != row.budget:
            found.append(f"the budget was {game.budget!r}, not {row.budget!r}")
        found += self._verdict(game)
        if self._with_figures and not asks and (row.proposed is None or row.proposed in words.answer_index):
            found += self._figures(game, row)
        return found

    def _ask(self, trial: int, ask: int, turn: tuple[str, float, int], answer: int) -> str:
        """What does not fit in one ask; empty if all does."""
        words, (guess, epsilon, logged) = self._setting.words, turn
        if guess not in words.guess_index:
            return f"ask {ask}, {visible(guess, 40)!r}, is not in the list of guesses"
        if not self._limits.min_epsilon <= epsilon < math.inf:
            return f"ask {ask} has epsilon {epsilon!r}; the smallest is {self._limits.min_epsilon!r}"
        try:
            channel = make_channel(self._setting.channel, epsilon, words.length)
        except WordplError as error:
            return f"ask {ask} is not allowed: {error}"
        true = int(self._clues[words.guess_index[guess], answer])
        clue = int(channel.sample(true, self._seeds.noise(trial, ask, words.length)))
        return "" if clue == logged else f"the clue to ask {ask} was {clue}, not {logged}"

    def _verdict(self, game: Game) -> list[str]:
        proposed = game.proposed
        if proposed is not None and proposed not in self._setting.words.answer_index:
            return [f"the proposed {visible(proposed, 40)!r} is not in the list of answers"]
        if proposed is None:
            fits = game.verdict not in (Verdict.WIN, Verdict.LOSS) and game.reason != ""
        else:
            fits = game.verdict == (Verdict.WIN if proposed == game.answer else Verdict.LOSS) and game.reason == ""
        return [] if fits else [f"the verdict {game.verdict} does not follow from proposing {proposed}"]

    def _figures(self, game: Game, row: Row) -> list[str]:
        try:
            with np.errstate(all="ignore"):
                worked_out = figures(self._setting, game)
        except WordplError as error:
            return [f"its chance and evidence cannot be worked out: {error}"]
        found = []
        if not close(worked_out.chance, row.chance):
            found.append(f"the chance of the proposed word was {worked_out.chance!r}, not {row.chance!r}")
        pairs = zip(worked_out.evidence, row.evidence, strict=True)
        if not all(close(one, other) or (math.isnan(one) and math.isnan(other)) for one, other in pairs):
            found.append("the evidence does not follow from the game")
        return found


class Rerun:
    """Plays trials of an entry again, with its own submission, seed and limits, and compares the moves."""

    def __init__(self, ledger: LedgerReader, entry: Entry, submission: Submission, setting: Setting) -> None:
        if submission.call != entry.call:  # the same values, written in another way
            submission = replace(submission, call=entry.call, maker=literal_call(entry.call) if entry.call else None)
        self._ledger, self._entry, self._submission, self._setting = ledger, entry, submission, setting
        self._strings = clue_strings(setting.words.length)
        self.done = 0

    def play(
        self,
        trials: Sequence[int],
        launcher: Launcher,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> list[str]:
        """Play trials again and return how they differ from the log, one line for each difference."""
        faults: list[str] = []

        def on_played(played: Sequence[Played]) -> None:
            for record in played:
                faults.extend(f"trial {record.game.trial}: {fault}" for fault in self._compare(record.game))
            self.done += len(played)
            if progress is not None:
                progress(self._entry.name, len(played), self.done, len(trials))

        def on_started(strategy: str, interface: str) -> None:
            if (visible(strategy), interface) != (self._entry.strategy, self._entry.interface):
                faults.append(f"played again, the strategy calls itself {visible(strategy)!r}, {interface} interface")

        try:
            play_trials(
                ContestRun(
                    self._submission, self._setting, int(self._entry.seed or 0), self._entry.played_under, launcher
                ),
                trials,
                on_played,
                jobs=min(jobs, max(1, len(trials))),
                on_started=on_started,
                tally=Tally(RunBudget(seconds=math.inf)),
            )
        except RunEndedError as error:
            if visible(str(error)) != self._entry.reason:
                faults.append(f"played again, the run ends after {self.done} trials: {visible(str(error))}")
        return faults

    def _compare(self, game: Game) -> list[str]:
        try:
            row = self._ledger.row(self._entry, game.trial)
        except WordplError:
            return []  # the replay has said so
        return [] if row is None else difference(row, game, self._strings)


def difference(row: Row, game: Game, strings: Sequence[str]) -> list[str]:
    """Return where a logged trial and its repetition part, as lines; none if they do not."""
    logged, again = _moves(row.log, row.proposed), _moves(game.history, game.proposed)
    for move, (one, other) in enumerate(zip(logged, again, strict=False)):
        if one != other:
            return [f"move {move} is {_shown(one)} in the log and {_shown(other)} when played again"]
    for ask, (turn, played) in enumerate(zip(row.log, game.history, strict=False)):
        if turn[2] != played.clue and turn[2] < len(strings):
            clues = strings[turn[2]], strings[played.clue]
            return [f"the clue to ask {ask} is {clues[0]} in the log and {clues[1]} when played again"]
    if (row.verdict, len(logged)) == (str(game.verdict), len(again)):
        return []
    message = f"{row.verdict} in the log and {game.verdict} when played again"
    message += f", after the same {min(len(row.log), len(game.history))} asks"
    short = row.verdict if len(logged) < len(again) else str(game.verdict)
    by_load = {row.verdict, str(game.verdict)} & _BY_LOAD if len(logged) == len(again) else {short} & _BY_LOAD
    return [message + ("; a clock or a busy machine alone can make this difference" if by_load else "")]


def _moves(asks: Sequence[tuple[str, float, int]], proposed: str | None) -> list[_Move]:
    moves: list[_Move] = [(guess, epsilon) for guess, epsilon, _ in asks]
    return moves if proposed is None else [*moves, proposed]


def _shown(move: _Move) -> str:
    return f"the proposal {visible(move, 40)}" if isinstance(move, str) else f"{visible(move[0], 40)} at {move[1]!r}"
