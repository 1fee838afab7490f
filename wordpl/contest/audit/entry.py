"""Audit an entry of a ledger: its terms, its seed, every game, its end, its standings and its flag.

The owner of a ledger can write anything into it and work out every hash again. This module checks what he cannot forge
without a contradiction. docs/trust.md says which forgeries only the strategy or a receipt can show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from wordpl.contest import cells
from wordpl.contest.audit.chain import MOST_LINES, lines, recorded_faults
from wordpl.contest.cage.sandbox import Launcher
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.judge.evidence import Flag, figures
from wordpl.contest.judge.ranking import flag, standings
from wordpl.contest.ledger.entries import ENDED, Board, Entry, Played, Row, read_row
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.receipt import SECRET, Event, commitment, entry_secret, scoring_seed
from wordpl.contest.limits import Limits
from wordpl.contest.run.table import ContestRun, RunBudget, RunEndedError, play_trials
from wordpl.errors import WordplError
from wordpl.model.channel import CHANNELS, make_channel
from wordpl.model.clues import RULES, clue_matrix, clue_strings
from wordpl.play.referee import Game, Verdict
from wordpl.play.seeds import Seeds
from wordpl.play.setting import Setting, Turn
from wordpl.progress import Progress
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name
from wordpl.text.sanitizing import visible

_BY_LOAD = frozenset((Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH))

_Move = tuple[str, float] | str


@dataclass(frozen=True)
class PlayAgain:
    """How `audit_entry` plays a strategy again: its submission, where it runs, and how many trials (None for all)."""

    submission: Submission
    launcher: Launcher
    games: int | None = None
    jobs: int = 1
    progress: Progress | None = None

    def trials(self, entry: Entry) -> list[int]:
        """Return the trials of an entry that are played again: all, or `games` of them at even distances."""
        trials = entry.trials or 0
        games = trials if self.games is None else min(self.games, trials)
        return [i * trials // games for i in range(games)]


def audit_entry(
    ledger: LedgerReader,
    entry: Entry,
    setting: Setting,
    again: PlayAgain | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Return what does not fit in one entry or cannot be checked, one line for each fault; none if no faults are found.

    `setting` gives the word list. The rule is the entry's own, and so is a bundled channel. Every trial is worked out
    again from the seed. With `again` the strategy plays again, too, and its moves are compared with the log. Of a
    running entry only its terms are checked, since its seed is not published. `progress` is called after each trial
    that is worked out again. Whatever the ledger holds, no error is raised.
    """
    return lines(_faults(ledger, entry, setting, again, progress))


def _faults(
    ledger: LedgerReader, entry: Entry, setting: Setting, again: PlayAgain | None, progress: Progress | None
) -> Iterator[str]:
    yield from recorded_faults(ledger, entry, {number: Event(payload) for number, payload, _ in ledger.events()})
    if entry.running:
        return
    yield from _seed_faults(ledger, entry)
    if entry.trials is None or entry.seed is None or not int(entry.seed) < 2**256:
        yield "it has no seed or no number of trials, so its games cannot be replayed"
        return
    own = setting_of(entry, setting)
    if Board.of(own, entry.played_under, entry.board_rule) != entry.board:
        yield "its terms are not written as a board's are, so it stands on a board of its own"
    replay = _Replay(own, entry.played_under, int(entry.seed))
    yield from lines(_game_faults(ledger, entry, replay, progress), MOST_LINES)
    yield from _end_faults(ledger, entry)
    if again is not None:
        yield from lines(_rerun_faults(ledger, entry, own, again), MOST_LINES)


def _seed_faults(ledger: LedgerReader, entry: Entry) -> Iterator[str]:
    secret = entry.secret or ""
    if commitment(secret) != entry.commitment:
        yield "its secret is not the one that was committed to"
    if str(scoring_seed(secret, entry.terms)) != entry.seed:
        yield "its seed does not follow from its secret and its terms, the committed ones"
    root, _, _ = ledger.contest
    if SECRET.fullmatch(root) and entry_secret(root, entry.key) != secret:
        yield "its secret does not follow from the contest's secret and its number"


def _game_faults(ledger: LedgerReader, entry: Entry, replay: _Replay, progress: Progress | None) -> Iterator[str]:
    played = 0
    for stored in ledger.stored(entry):
        if stored[0] != played:
            yield f"trial {played} is missing"
            return
        try:
            yield from (f"trial {played}: {fault}" for fault in replay.faults(read_row(stored)))
        except WordplError as error:
            yield str(error)
        played += 1
        if progress is not None:
            progress(visible(entry.name), 1, played, max(entry.trials or 0, played))
    if entry.trials != played:
        yield f"the run is said to have {entry.trials} trials, the log has {played}"


def _end_faults(ledger: LedgerReader, entry: Entry) -> Iterator[str]:
    """What does not follow from the outcomes: where the run stopped, its standings and its flag."""
    rule, outcomes, recorded = entry.stop_rule, ledger.outcomes(entry), ledger.standings(entry)
    with np.errstate(all="ignore"):
        stop = rule.stops_at(outcomes)
        computed, computed_flag = (standings(outcomes, rule), flag(outcomes)) if len(outcomes) else ([], None)
    if entry.state == ENDED:
        if recorded:
            yield "it has standings, but its run was not finished"
        if entry.flag:
            yield "it has a flag, but its run was not finished"
        if not entry.reason:
            yield "its run ended without a reason"
        if stop is not None and stop < len(outcomes):
            yield f"its run was to be finished after {stop} trials"
        return
    if entry.reason:
        yield "its run was finished, yet has a reason to have ended"
    if stop != entry.trials:
        when = "not yet" if stop is None else f"after {stop} trials"
        yield f"its run stopped after {entry.trials} trials; by its stop rule it stops {when}"
    pairs = zip(recorded, computed, strict=False)
    same = all(_close(np.hstack(astuple(standing)), np.hstack(astuple(other))) for standing, other in pairs)
    if not (0 < len(recorded) == len(computed) and same):
        yield "the standings do not follow from the scores"
    if not entry.flag:
        yield "it has no flag, which every finished run has, raised or not"
    elif computed_flag is None or not _same_flag(cells.record(Flag, entry.flag, "flag"), computed_flag):
        yield "the flag does not follow from the games"


def _rerun_faults(ledger: LedgerReader, entry: Entry, setting: Setting, again: PlayAgain) -> Iterator[str]:
    """Where the moves part from the log if the strategy plays again, with the seed and the limits of the entry."""
    if again.submission.digest != entry.digest:
        yield f"the submission is another one than was entered: its digest is {again.submission.digest}"
        return
    trials, strings = again.trials(entry), clue_strings(setting.words.length)
    faults: list[str] = []
    done = 0

    def on_started(strategy: str, interface: str) -> None:
        if (visible(strategy), interface) != (entry.strategy, entry.interface):
            faults.append(f"played again, the strategy calls itself {visible(strategy)!r}, {interface} interface")

    def on_played(records: Sequence[Played]) -> None:
        nonlocal done
        for record in records:
            faults.extend(f"trial {record.game.trial}: {fault}" for fault in compared(record.game))
        done += len(records)
        if again.progress is not None:
            again.progress(entry.name, len(records), done, len(trials))

    def compared(game: Game) -> list[str]:
        try:
            row = ledger.row(entry, game.trial)
        except WordplError:
            return []  # the replay has said so
        return [] if row is None else difference(row, game, strings)

    run, budget = run_of(entry, again.submission, setting, again.launcher), RunBudget(seconds=math.inf)
    jobs = min(again.jobs, max(1, len(trials)))
    try:
        play_trials(run, trials, on_played, jobs=jobs, on_started=on_started, budget=budget)
    except RunEndedError as error:
        if visible(str(error)) != entry.reason:
            faults.append(f"played again, the run ends after {done} trials: {visible(str(error))}")
    except WordplError as error:
        faults.append(f"cannot be played again here: {error}")
    yield from faults


def setting_of(entry: Entry, setting: Setting) -> Setting:
    """Return the setting of an entry's games. Raises `WordplError` if they cannot be replayed in this one."""
    channel, why = CHANNELS.get(entry.channel, setting.channel), ""
    if entry.words_digest != setting.words.digest:
        why = f"it was scored with other words than {setting.words.name}; name them with --words or --answers"
    elif entry.engine != ENGINE_VERSION:
        why = f"it was scored by engine {entry.engine}, this is engine {ENGINE_VERSION}"
    elif entry.rule not in RULES:
        why = f"its repeat rule {visible(entry.rule, 40)!r} is not known"
    elif channel_name(channel) != entry.channel:
        why = f"its channel {visible(entry.channel, 80)!r} is not known"
    if why:
        raise WordplError(f"entry {entry.id} cannot be replayed here: {why}")
    return replace(setting, rule=entry.rule, channel=channel, noiseless=False)


def _same_flag(recorded: Flag, computed: Flag) -> bool:
    def facts(flag: Flag) -> tuple[object, ...]:
        # What follows the bracket of the reason is figures, which are compared below.
        return flag.raised, flag.trials, sorted(flag.e_values), flag.reason.partition(" (")[0]

    def logs(flag: Flag) -> list[float]:
        e_values = [flag.e_value, *(value for _, value in sorted(flag.e_values.items()))]
        return [math.log(max(value, 1e-300)) for value in e_values]

    # An e-value is the exponential of a sum over all trials, so it rounds more coarsely than that.
    return facts(recorded) == facts(computed) and np.allclose(logs(recorded), logs(computed), rtol=0.0, atol=1e-6)


def _close(figures: ArrayLike, others: ArrayLike) -> bool:
    """Return whether figures are equal up to rounding: sums may differ by so much on another processor."""
    return np.allclose(figures, others, rtol=1e-9, atol=1e-9, equal_nan=True)


class _Replay:
    """What the trials of an entry must say, given its seed and the moves in the log."""

    def __init__(self, setting: Setting, limits: Limits, seed: int) -> None:
        self._setting, self._limits, self._seeds = setting, limits, Seeds(seed)
        self._clues = clue_matrix(setting.words, setting.rule)

    def faults(self, row: Row) -> Iterator[str]:
        """Yield the faults of one trial, one line each."""
        words = self._setting.words
        place = self._seeds.answer(row.trial, len(words.answers))
        answer = words.answers[place]
        if answer != row.answer:
            yield f"the answer was {answer}, not {visible(row.answer, 40)}"
        if len(row.log) > self._limits.asks:
            yield f"it has {len(row.log)} asks; {self._limits.asks} are allowed"
        asks = [fault for ask, turn in enumerate(row.log) if (fault := self._ask(row.trial, ask, turn, place))]
        yield from asks
        history = tuple(Turn(*turn) for turn in row.log)
        game = Game(row.trial, answer, row.verdict, row.proposed, row.reason, history)
        if game.budget != row.budget:
            yield f"the budget was {game.budget!r}, not {row.budget!r}"
        if row.proposed is not None and row.proposed not in words.answer_index:
            yield f"the proposed {visible(row.proposed, 40)!r} is not in the list of answers"
            return
        if row.proposed is None:
            fits = row.verdict not in (Verdict.WIN, Verdict.LOSS) and row.reason != ""
        else:
            fits = row.verdict == (Verdict.WIN if row.proposed == answer else Verdict.LOSS) and row.reason == ""
        if not fits:
            yield f"the verdict {row.verdict} does not follow from proposing {row.proposed}"
        if not asks:
            yield from self._figures(game, row)

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

    def _figures(self, game: Game, row: Row) -> Iterator[str]:
        try:
            with np.errstate(all="ignore"):
                computed = figures(self._setting, game)
        except WordplError as error:
            yield f"its chance and evidence cannot be worked out: {error}"
            return
        if not _close(computed.chance, row.chance):
            yield f"the chance of the proposed word was {computed.chance!r}, not {row.chance!r}"
        if not _close(computed.evidence, row.evidence):
            yield "the evidence does not follow from the game"


def run_of(entry: Entry, submission: Submission, setting: Setting, launcher: Launcher) -> ContestRun:
    """Return the run of an entry whose seed is published, to be played again."""
    return ContestRun(submission.entered_as(entry.call), setting, int(entry.seed or 0), entry.played_under, launcher)


def difference(row: Row, game: Game, strings: Sequence[str]) -> list[str]:
    """Return where a logged trial and its repetition part, as lines; none if they do not."""
    logged, again = _moves(row.log, row.proposed), _moves(game.history, game.proposed)
    for move, (before, now) in enumerate(zip(logged, again, strict=False)):
        if before != now:
            return [f"move {move} is {_described(before)} in the log and {_described(now)} when played again"]
    for ask, (turn, played) in enumerate(zip(row.log, game.history, strict=False)):
        if turn[2] != played.clue and turn[2] < len(strings):
            clues = strings[turn[2]], strings[played.clue]
            return [f"the clue to ask {ask} is {clues[0]} in the log and {clues[1]} when played again"]
    if (row.verdict, len(logged)) == (game.verdict, len(again)):
        return []
    message = f"{row.verdict} in the log and {game.verdict} when played again"
    message += f", after the same {min(len(row.log), len(game.history))} asks"
    short = row.verdict if len(logged) < len(again) else game.verdict
    by_load = _BY_LOAD & ({row.verdict, game.verdict} if len(logged) == len(again) else {short})
    return [message + ("; a clock or a busy machine alone can make this difference" if by_load else "")]


def _moves(asks: Sequence[tuple[str, float, int]], proposed: str | None) -> list[_Move]:
    moves: list[_Move] = [(guess, epsilon) for guess, epsilon, _ in asks]
    return moves if proposed is None else [*moves, proposed]


def _described(move: _Move) -> str:
    return f"the proposal {visible(move, 40)}" if isinstance(move, str) else f"{visible(move[0], 40)} at {move[1]!r}"
