"""Audit an entry of a ledger: its terms, its seed, every game, its end, its standings and its flag; or watch a game.

The owner of a ledger can write anything into it and work out every hash again. This module checks what he cannot forge
without a contradiction. docs/trust.md says which forgeries only the strategy or an earlier copy can show.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from wordpl.base.checks import instance, whole_number
from wordpl.base.errors import WordplError
from wordpl.base.printing import printable
from wordpl.base.progress import Progress
from wordpl.base.sanitizing import visible
from wordpl.contest.audit.whole import MOST_LINES, lines, recorded_faults
from wordpl.contest.contestant import KEPT_ERRORS, ContestantProcess
from wordpl.contest.file_strategy import FileStrategy
from wordpl.contest.judge.evidence import TESTS, Flag, figures
from wordpl.contest.judge.ranking import EntryJudge, Row, flag, standings
from wordpl.contest.ledger.entries import ENDED, SEEDED, Entry, read_row
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.seeds import SECRET, entry_secret, scoring_seed
from wordpl.contest.run.entry_run import ContestRun, RunBudget, RunEndedError, TrialQueue
from wordpl.contest.sandbox import Launcher
from wordpl.contest.submission import Submission
from wordpl.model.channel import CHANNELS
from wordpl.model.clues import clue_strings
from wordpl.model.names import RULES
from wordpl.play.moves import Answer, Ask, InvalidMoveError
from wordpl.play.referee import ForfeitError, Game, Referee, Verdict
from wordpl.play.setting import Setting
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name
from wordpl.simulation.watch import GameRecord, Observed, WatchedPlayer, check_trial, game_record

_BY_LOAD = frozenset((Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH))


@dataclass(frozen=True)
class PlayAgain:
    """How `audit_entry` plays a `submission` again: by `launcher`, `games` trials (None: all) in `jobs` processes."""

    submission: Submission
    launcher: Launcher
    games: int | None = None
    jobs: int = 1

    def trials(self, entry: Entry) -> list[int]:
        """Return the trials of `entry` that are played again: all, or `games` of them at even distances."""
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
    """Return the faults of an `entry` of `ledger` and what cannot be checked, one line each, whatever the ledger holds.

    `setting` gives the word list. Every trial is worked out again from the seed. With `again` the strategy plays again,
    too, and its moves are compared with the log. `progress` is called after each trial of both. Of a running entry only
    its terms are checked, since its seed is not published.
    """
    instance("setting", setting, Setting)
    return lines(_faults(ledger, entry, setting, again, progress))


def _faults(
    ledger: LedgerReader, entry: Entry, setting: Setting, again: PlayAgain | None, progress: Progress | None
) -> Iterator[str]:
    yield from recorded_faults(ledger, entry)
    if entry.running:
        return
    secret, root = entry.secret or "", ledger.contest.secret
    if str(scoring_seed(secret, entry.facts(SEEDED))) != entry.seed:
        yield "its seed does not follow from its secret and its terms, the committed ones"
    if SECRET.fullmatch(root) and entry_secret(root, entry.key) != secret:
        yield "its secret does not follow from the contest's secret and its number"
    if entry.trials is None or entry.seed is None:
        yield "it has no seed or no number of trials, so its games cannot be replayed"
        return
    entry_setting = setting_of(entry, setting)
    limits = entry.limits
    referee = Referee(entry_setting, int(entry.seed), max_asks=limits.asks, min_epsilon=limits.min_epsilon)
    yield from lines(_game_faults(ledger, entry, referee, progress), MOST_LINES)
    yield from _end_faults(ledger, entry)
    if again is not None:
        yield from lines(_rerun_faults(ledger, entry, entry_setting, again, progress), MOST_LINES)


def _game_faults(ledger: LedgerReader, entry: Entry, referee: Referee, progress: Progress | None) -> Iterator[str]:
    trial = 0
    for row in ledger.stored(entry):
        if row[0] != trial:
            yield f"trial {trial} is missing"
            return
        try:
            yield from (f"trial {trial}: {fault}" for fault in _replay_faults(referee, read_row(row)))
        except WordplError as error:
            yield str(error)
        trial += 1
        if progress is not None:
            progress(visible(entry.name), 1, trial, max(entry.trials or 0, trial))
    if entry.trials != trial:
        yield f"the run is said to have {entry.trials} trials, the log has {trial}"


def _end_faults(ledger: LedgerReader, entry: Entry) -> Iterator[str]:
    """What does not follow from the outcomes: where the run stopped, its standings and its flag."""
    rule, outcomes, recorded = entry.stop_rule, ledger.outcomes(entry), ledger.standings(entry)
    with np.errstate(all="ignore"):
        judge = EntryJudge(rule, ledger.rows(entry))
        stop = len(judge.outcomes) if judge.over else None
        computed, computed_flag = (standings(outcomes, rule), flag(outcomes)) if len(outcomes) else ([], None)
    ended = entry.state == ENDED
    checks = (("standings", recorded, not ended), ("flag", entry.flag, not ended), ("reason", entry.reason, ended))
    for name, value, belongs in checks:
        if bool(value) != belongs:
            yield f"it has {'no ' if belongs else ''}{name}, but its run was {'not ' if ended else ''}finished"
    if ended:
        if stop is not None and stop < len(outcomes):
            yield f"its run was to be finished after {stop} trials"
        return
    if stop != entry.trials:
        end = "later" if stop is None else f"after {stop} trials"
        yield f"its run stopped after {entry.trials} trials; by its stop rule it stops {end}"
    stored, expected = ([np.hstack(astuple(standing)) for standing in group] for group in (recorded, computed))
    if len(stored) != len(expected) or not _close(stored, expected):
        yield "the standings do not follow from the scores"
    if entry.flag and not (computed_flag and _same_flag(entry.flag, computed_flag)):
        yield "the flag does not follow from the games"


def _rerun_faults(
    ledger: LedgerReader, entry: Entry, setting: Setting, again: PlayAgain, progress: Progress | None
) -> Iterator[str]:
    """Where the moves part from the log if the strategy plays again, with the seed and the limits of the entry."""
    if again.submission.digest != entry.digest:
        yield f"the submission is another one than was entered: its digest is {again.submission.digest}"
        return
    trials = again.trials(entry)
    run, budget = run_of(entry, again.submission, setting, again.launcher), RunBudget(seconds=math.inf)
    queue = TrialQueue(run, trials, jobs=min(again.jobs, max(1, len(trials))), budget=budget)
    count, compared = 0, False
    try:
        for rows in queue:
            strategy, interface = queue.started
            if interface and not compared and (visible(strategy), interface) != (entry.strategy, entry.interface):
                yield f"played again, the strategy calls itself {visible(strategy)!r}, {interface} interface"
            compared = bool(interface)
            for repeat in rows:
                with suppress(WordplError):  # of a malformed row, which the replay has told of
                    if row := ledger.row(entry, repeat.trial):
                        yield from (f"trial {row.trial}: {fault}" for fault in difference(row, repeat.game))
            count += len(rows)
            if progress is not None:
                progress(entry.name, len(rows), count, len(trials))
    except RunEndedError as error:
        if visible(str(error)) != entry.reason:
            yield f"played again, the run ends after {count} trials: {visible(str(error))}"
    except WordplError as error:
        yield f"cannot be played again here: {error}"


def setting_of(entry: Entry, setting: Setting) -> Setting:
    """Return the setting of an entry's games. Raises `WordplError` if they cannot be replayed in this one."""
    channel, words = CHANNELS.get(entry.channel, setting.channel), setting.words
    for same, why in (
        (entry.words_digest == words.digest, f"with other words than {words.name}; --words or --answers names them"),
        (entry.engine == ENGINE_VERSION, f"by engine {entry.engine}, this is engine {ENGINE_VERSION}"),
        (entry.rule in RULES, f"by the unknown rule {visible(entry.rule, 40)!r}"),
        (channel_name(channel) == entry.channel, f"on the unknown channel {visible(entry.channel, 80)!r}"),
    ):
        if not same:
            raise WordplError(f"entry {entry.id} cannot be replayed here: it was scored {why}")
    return replace(setting, rule=entry.rule, channel=channel, noiseless=False)


def _same_flag(recorded: Flag, computed: Flag) -> bool:
    # What follows the bracket of the reason is figures, which are compared below.
    both = recorded, computed
    facts, others = ((f.raised, f.trials, set(f.e_values), f.reason.partition(" (")[0]) for f in both)
    if facts != others:
        return False
    # An e-value is the exponential of a sum over all trials, so it rounds more coarsely than other figures.
    logs, others_logs = np.log(np.maximum([[f.e_value, *(f.e_values[test] for test in TESTS)] for f in both], 1e-300))
    return np.allclose(logs, others_logs, rtol=0.0, atol=1e-6)


def _close(figures: ArrayLike, others: ArrayLike) -> bool:
    """Return whether figures are equal up to rounding: sums may differ by so much on another processor."""
    return np.allclose(figures, others, rtol=1e-9, atol=1e-9, equal_nan=True)


def _replay_faults(referee: Referee, row: Row) -> Iterator[str]:
    """What a trial of the log has that does not follow from the seed and its moves, which the referee takes again."""
    open_game = referee.open(row.trial)
    game = open_game.game
    if game.answer != row.answer:
        yield f"the answer was {game.answer}, not {visible(row.answer, 40)}"
    try:
        for ask, (guess, epsilon, clue) in enumerate(row.log):
            turn = open_game.take(Ask(guess, epsilon))
            if turn is not None and turn.clue != clue:
                yield f"the clue to ask {ask} was {turn.clue}, not {clue}"
        if row.proposed is not None:
            open_game.take(Answer(row.proposed))
    except InvalidMoveError as error:
        yield f"after {len(game.history)} asks, {visible(str(error))}"
        return
    if game.budget != row.budget:
        yield f"the budget was {game.budget!r}, not {row.budget!r}"
    forfeited = row.verdict not in (Verdict.WIN, Verdict.LOSS) and row.reason != ""
    if not (forfeited if row.proposed is None else row.verdict == game.verdict and row.reason == ""):
        yield f"the verdict {row.verdict} does not follow from proposing {row.proposed}"
    with np.errstate(all="ignore"):
        chance, evidence = figures(referee.setting, game)
    if not _close(chance, row.chance):
        yield f"the chance of the proposed word was {chance!r}, not {row.chance!r}"
    if not _close(evidence, row.evidence):
        yield "the evidence does not follow from the game"


def run_of(entry: Entry, submission: Submission, setting: Setting, launcher: Launcher) -> ContestRun:
    """Return the run of an entry whose seed is published, to be played again."""
    return ContestRun(submission.entered_as(entry.call), setting, int(entry.seed or 0), entry.limits, launcher)


def difference(row: Row, game: Game) -> list[str]:
    """Return where a logged trial and its repetition part, as lines; none if they do not."""
    log, repeats = (
        [
            *(f"{visible(guess, 40)} at {epsilon!r}" for guess, epsilon, _ in asks),
            *([f"the proposal {visible(proposed, 40)}"] if proposed is not None else []),
        ]
        for asks, proposed in ((row.log, row.proposed), (game.history, game.proposed))
    )
    for move, (before, repeat) in enumerate(zip(log, repeats, strict=False)):
        if before != repeat:
            return [f"move {move} is {before} in the log and {repeat} when played again"]
    for ask, (turn, repeat_turn) in enumerate(zip(row.log, game.history, strict=False)):
        if turn[2] != repeat_turn.clue:
            clues = clue_strings(len(repeat_turn.guess))
            before = clues[turn[2]] if turn[2] < len(clues) else str(turn[2])
            return [f"the clue to ask {ask} is {before} in the log and {clues[repeat_turn.clue]} when played again"]
    if (row.verdict, len(log)) == (game.verdict, len(repeats)):
        return []
    message = f"{row.verdict} in the log and {game.verdict} when played again"
    message += f", after the same {min(len(row.log), len(game.history))} asks"
    verdict = row.verdict if len(log) < len(repeats) else game.verdict
    by_load = _BY_LOAD & ({row.verdict, game.verdict} if len(log) == len(repeats) else {verdict})
    return [message + ("; a clock or a busy machine alone can make this difference" if by_load else "")]


# One game, move by move.


def watch_submission(run: ContestRun, trial: int, *, top: int = 3) -> GameRecord:
    """Play trial number `trial` of `run` and return it move by move.

    It is the game that `evaluate_submission` plays. `top` is how many of the most probable answers are kept after each
    move, 1 or more. Raises `WordplError` if the strategy cannot be started.
    """
    limits, setting, trial, top = run.limits, run.setting, check_trial(trial), whole_number("top", top)
    referee = Referee(setting, run.seed, max_asks=limits.asks, min_epsilon=limits.min_epsilon)
    moves: list[Observed] = []
    with ContestantProcess(run.submission, setting, limits, run.launcher, print_to_stderr=True) as contestant:
        try:
            contestant.ready()
        except ForfeitError as error:
            raise WordplError(f"{run.submission.path!r} cannot be started: {error.reason}") from None
        before = _printed_since(contestant, 0)
        player = contestant.player(referee.seeds.player(trial, FileStrategy.player_name))
        game = referee.play(trial, WatchedPlayer(player, lambda: _observed(contestant, moves)))
    label = run.submission.label(visible(contestant.name))
    return game_record(label, setting, run.seed, game, moves, before, top)


def watch_entry(
    ledger: LedgerReader,
    entry: Entry,
    submission: Submission,
    trial: int,
    *,
    setting: Setting,
    launcher: Launcher,
    top: int = 3,
) -> tuple[GameRecord, list[str]]:
    """Play trial number `trial` of a finished `entry` again; return its moves, and where the log of `ledger` differs.

    `submission` is what was entered, played by `launcher`. `top` is how many of the most probable answers are kept
    after each move, 1 or more. Seed, rule, limits and call are the entry's own; `setting` gives the word list. Raises
    `WordplError` for an entry whose run is not over, whose seed is therefore secret; for another submission or other
    words than the entry's; and for a trial that is not in the ledger.
    """
    instance("setting", setting, Setting)
    if entry.seed is None:
        raise WordplError(f"entry {entry.id} is running, so its seed is secret; its games can be watched afterwards")
    if entry.digest != submission.digest:
        raise WordplError(f"entry {entry.id} was made from another file or call; name the one that was submitted")
    entry_setting = setting_of(entry, setting)
    row = ledger.row(entry, trial) if check_trial(trial) < (entry.trials or 0) else None
    if row is None:
        raise WordplError(f"trial {trial} is not in entry {entry.id}; it has trials 0 to {(entry.trials or 1) - 1}")
    record = watch_submission(run_of(entry, submission, entry_setting, launcher), trial, top=top)
    return record, difference(row, record.game)


@contextmanager
def _observed(contestant: ContestantProcess, moves: list[Observed]) -> Iterator[None]:
    printed, start = contestant.printed.count, contestant.usage.game_cpu if moves else 0.0
    try:
        yield
    finally:
        seconds = contestant.game_cpu() - start
        moves.append((_printed_since(contestant, printed), seconds))


def _printed_since(contestant: ContestantProcess, printed: int) -> str:
    """What was written to stderr after the first `printed` bytes, as far as it was kept."""
    count = contestant.printed.count - printed
    tail = min(count, KEPT_ERRORS)
    return printable(contestant.printed.text[-tail:], count - tail) if tail else ""
