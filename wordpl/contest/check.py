"""The conformance test, in this process or in a sandbox: what a strategy must do to be scored; and starting points."""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np

from wordpl.base.checks import instance
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, nearest
from wordpl.base.files import StrPath, write_text
from wordpl.base.progress import Progress
from wordpl.base.workers import Call, run_calls
from wordpl.contest import TEMPLATES
from wordpl.contest.contestant import ContestantProcess
from wordpl.contest.limits import Limits
from wordpl.contest.permissions import LIBRARIES
from wordpl.contest.run import ContestRun
from wordpl.contest.submission import check_module_name
from wordpl.model.channel import ChannelFamily, RandomizedResponse
from wordpl.model.clues import Clue
from wordpl.model.distance_channel import LARGEST_LOG_ODDS, Channel
from wordpl.model.entropy import Floats
from wordpl.model.words import WordList
from wordpl.play.referee import ForfeitError, Game, Referee, Verdict
from wordpl.play.seeds import check_seed, stream
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player, Strategy
from wordpl.simulation.tasks import make_task

_ADVICE = {
    Verdict.INVALID: "return (word, epsilon): a word of valid.txt, in lower case, and a finite epsilon above 0 to ask;"
    " a word of answers.txt and epsilon 0 to propose it",
    Verdict.TIMEOUT: "compute what games share when the strategy is created, which is not timed, and less in each move",
    Verdict.CRASH: "mend the error",
    Verdict.MEMORY: "keep less",
    Verdict.PROTOCOL: "return moves from first_move and next_move, and leave open files that are not yours alone",
}
_IN_NEW_PROCESS = (
    "in a process with another hash seed: sort what comes from a set; and draw only from random and numpy.random, whose"
    " functions are seeded for each game, or by the seed that players() gets: default_rng() is new each time"
)
_AFTER_OTHERS = "when the game came after others: reset the state of a game in first_move"


@dataclass(frozen=True)
class Finding:
    """The result of one `check`: whether it `passed`, and a `message` that says what was seen or what to change."""

    check: str
    passed: bool
    message: str


_HERE = Limits(game_seconds=math.inf, move_seconds=math.inf, asks=1000, min_epsilon=sys.float_info.min)
"""Limits in this process, which bounds little beyond the CPU time of a game."""


def check_strategy(
    strategy: Strategy | str,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    seed: int = 1,
    games: int = 5,
) -> list[Finding]:
    """Put a strategy through the conformance test in this process; it conforms if every finding has passed.

    - `strategy`: an object or a spec
    - `words`: a word list, or the name of one
    - `rule`: `letterwise` or `counted`
    - `seed`: the root seed of the games, 0 to 2**256 - 1
    - `games`: number of games in each of six rounds, of which the last three are played in new processes

    Raises `WordplError` for words, a rule or a seed that is not allowed.
    """
    task = make_task(strategy, seed, words=words, rule=rule)

    def again(hash_seed: int, trials: Sequence[int]) -> Iterable[Game]:
        call: Call = _games_anew, (task.strategy, task.setting, seed, trials), {}
        replayed: list[Game] = next(run_calls(1, [call], hash_seed=hash_seed))
        return replayed

    return _examine(_InProcess(task.strategy, task.setting), again, task.setting, _HERE, seed, games, lambda *_: None)


_ROUNDS = 6
_DRAWS = 20_000


def check_channel(channel: Channel, *, seed: int = 1) -> list[Finding]:
    """Test a `channel` of your own; it can be used if every finding has passed. `seed` is that of the test's draws.

    The columns of its matrix must sum to one, likelihoods, their logarithms and transforms must be those of the matrix,
    and samples of three true clues must be drawn with its probabilities (20,000 draws of each). A finding that always
    passes says how private its clues are.
    """
    channel = instance("channel", channel, Channel)
    rng, clues = np.random.default_rng(stream(check_seed(seed), "check of a channel")), 3**channel.length
    matrix = channel.matrix().toarray()
    some, weights = rng.integers(clues, size=20).tolist(), rng.random(clues)
    likelihoods = [channel.likelihood(code) for code in some]
    with np.errstate(divide="ignore"):
        logs = np.log(matrix[some])
    off = np.abs(matrix.sum(axis=0) - 1.0).max(initial=0.0) if matrix.min() >= 0.0 else math.inf
    private = channel.epsilon > LARGEST_LOG_ODDS or math.log(max(channel.odds, 1.0)) <= channel.epsilon + 1e-9
    more = "" if private else f", more than e^{channel.epsilon:g}: its epsilon is a price and promises no privacy"
    told = f"a clue changes the odds of two answers by a factor of up to {channel.odds:.6g}{more}"
    findings = [
        Finding("columns", off < 1e-9, f"probabilities of the noisy clues of a true clue sum to 1 within {off:.1g}"),
        _equal("likelihood", likelihoods, matrix[some]),
        _equal("log_likelihood", [channel.log_likelihood(code) for code in some], logs),
        _equal("transform", [channel.transform(weights)], [matrix @ weights]),
        Finding("epsilon", True, told),
    ]
    for code in (0, clues // 2, clues - 1):
        codes = [channel.sample(code, uniforms) for uniforms in rng.random((_DRAWS, channel.length)).tolist()]
        counts, expected = np.bincount(codes, minlength=clues), _DRAWS * matrix[:, code]
        # Samples that fit are further off once in 1e8 tests.
        fit = len(counts) == clues and (np.abs(counts - expected) <= 6 * np.sqrt(expected) + 6 * (expected > 0)).all()
        shown = (
            f"of the clue {Clue(code, channel.length)} noisy ones are {'' if fit else 'not '}drawn as the matrix says"
        )
        findings.append(Finding("sample", bool(fit), shown))
    return findings


def _equal(name: str, rows: Sequence[Floats], of_matrix: Sequence[Floats] | Floats) -> Finding:
    pairs = zip(rows, of_matrix, strict=True)
    equal = all(np.allclose(row, expected, rtol=1e-6, atol=1e-12) for row, expected in pairs)
    return Finding(name, equal, f"{name} is {'' if equal else 'not '}what the matrix says")


def check_submission(run: ContestRun, games: int = 5, progress: Progress | None = None) -> list[Finding]:
    """Return the findings on the submission of `run`; only the first one if it cannot be started.

    `games` are played in each of six rounds. `progress` is told of the start, too, which may take minutes.
    """
    tell: Progress = progress or (lambda *_: None)
    tell("starting the strategy", 0, 0, _ROUNDS * games)
    contestant_process = ContestantProcess(
        run.submission,
        run.setting,
        run.limits,
        run.launcher,
        print_to_stderr=True,
        on_print=lambda _: None,  # so that no traceback says the error a second time
    )
    with contestant_process as contestant:
        try:
            contestant.ready()
        except ForfeitError as error:
            last = contestant.printed.text.strip().splitlines()[-4:]
            return [Finding("starts", False, " | ".join([f"{error.verdict}: {error.reason}", *last]))]
        started = f"{contestant.name}, {contestant.interface} interface, {contestant.start_seconds:.2g} s"
        findings = [Finding("starts", True, started)]
        if run.submission.contest_files:
            advice = "; set WORDPL_CONTEST_FILES to a clone of the contest" if run.submission.reads_sorted_list else ""
            findings.append(Finding("contest files", True, run.submission.contest_files + advice))

        def again(hash_seed: int, trials: Sequence[int]) -> Iterable[Game]:
            contestant.start_anew(hash_seed)
            return _games(contestant, run.setting, run.limits, run.seed, trials)

        return findings + _examine(contestant, again, run.setting, run.limits, run.seed, games, tell)


def _games(
    subject: _InProcess | ContestantProcess, setting: Setting, limits: Limits, seed: int, trials: Iterable[int]
) -> Iterator[Game]:
    """Play these trials in their order."""
    referee = Referee(setting, seed, max_asks=limits.asks, min_epsilon=limits.min_epsilon)
    for trial in trials:
        yield referee.play(trial, subject.player(referee.seeds.player(trial, "check")))


def _examine(
    subject: _InProcess | ContestantProcess,
    again: Callable[[int, Sequence[int]], Iterable[Game]],
    setting: Setting,
    limits: Limits,
    seed: int,
    games: int,
    progress: Progress,
) -> list[Finding]:
    """Return the findings on a subject: `games` games at each noise level, then again in new processes.

    `again(hash_seed, trials)` plays them there.
    """
    # A noise that is not what was paid for: clues can be perfect by luck, or say nothing at all.
    noises: dict[str, ChannelFamily] = {"the noise asked for": setting.channel}
    if setting.channel is RandomizedResponse and not setting.noiseless:
        noises["clues without noise"] = lambda epsilon, length: RandomizedResponse(math.inf, length)
        noises["clues of pure noise"] = lambda epsilon, length: RandomizedResponse(1e-9, length)
    played: list[tuple[Game, float]] = []
    for name, channel in noises.items():
        for game in _games(subject, replace(setting, channel=channel), limits, seed, range(games)):
            played.append((game, subject.game_cpu()))
            progress(name, 1, len(played), _ROUNDS * games)
    findings: list[Finding] = []
    for number, name in enumerate(noises):
        of_round = [game for game, _ in played[number * games : (number + 1) * games]]
        advise = all(finding.passed for finding in findings)
        findings.append(_legal(f"plays legal moves, {name}", of_round, advise))
    progress("the same games in new processes", 0, len(played), _ROUNDS * games)
    findings.append(_repeated([game for game, _ in played[:games]], again))
    # The first game after the start is not judged: code that is compiled then slows one game in a thousand.
    return findings + _times(played[1:] or played, limits)


def _legal(check: str, games: Collection[Game], advise: bool) -> Finding:
    for game in games:
        if game.verdict in _ADVICE:
            ending = f"{game.verdict} after {counted(len(game.history), 'ask')}: {game.reason}"
            return Finding(check, False, f"{ending}; {_ADVICE[game.verdict]}" if advise else ending)
    budgets = [game.budget for game in games]
    return Finding(check, True, f"budgets {min(budgets):.4g} to {max(budgets):.4g}")


def _repeated(games: Sequence[Game], again: Callable[[int, Sequence[int]], Iterable[Game]]) -> Finding:
    """The first move that differs in processes with other hash seeds, or in another order of the games.

    One other hash seed is not enough: the first of six words in a set is the same under one in six.
    """
    check, order = "same moves for same clues and seed", range(len(games))
    for hash_seed, trials in ((1, order), (2, [*order, *order[::-1]])):
        for place, other in enumerate(again(hash_seed, trials)):
            moves = enumerate(itertools.zip_longest(_moves(games[other.trial]), _moves(other)), start=1)
            if differs := next((f"move {at}: {one}, but {two}" for at, (one, two) in moves if one != two), ""):
                reason = _IN_NEW_PROCESS if place < len(games) else _AFTER_OTHERS
                return Finding(check, False, f"trial {other.trial}, {differs} {reason}")
    return Finding(check, True, counted(len(games), "game"))


def _moves(game: Game) -> list[str]:
    """The moves of a game in words, and after them how it ended."""
    moves = [f"{turn.guess} at {turn.epsilon}" for turn in game.history]
    return [*moves, f"{game.proposed} as the answer" if game.proposed else f"{game.verdict} ({game.reason})"]


def _times(played: Sequence[tuple[Game, float]], limits: Limits) -> list[Finding]:
    """Findings on time: moves and games, with their CPU seconds, may take half of what the limits allow.

    A game is judged by its CPU time, as in a ranking. Wall clock also depends on what else the machine does, and only
    shows a player that sleeps or waits.
    """
    move, wall = max(game.slowest for game, _ in played), max(game.seconds for game, _ in played)
    cpu = max(cpu for _, cpu in played)
    advice = ""
    if cpu > limits.cpu_seconds / 2:
        advice = f"; that is more than half of what a game may take ({limits.cpu_seconds:g} s of CPU)"
    elif wall > limits.game_seconds / 2:
        advice = f"; that is more than half of what a game may take ({limits.game_seconds:g} s)"
    return [
        Finding("time per move", move <= limits.move_seconds / 2, f"slowest {move:.3g} s"),
        Finding("time per game", not advice, f"longest {cpu:.3g} s of CPU, {wall:.3g} s in all{advice}"),
    ]


class _InProcess:
    """A strategy of ours in this process, with the methods of `ContestantProcess` that an examination needs."""

    def __init__(self, strategy: Strategy, setting: Setting) -> None:
        self._players = strategy.players(setting)

    def player(self, seed: int) -> Player:
        self._start = time.process_time()
        return self._players(seed)

    def game_cpu(self) -> float:
        return time.process_time() - self._start


def _games_anew(strategy: Strategy, setting: Setting, seed: int, trials: Sequence[int]) -> list[Game]:
    return list(_games(_InProcess(strategy, setting), setting, _HERE, seed, trials))


def write_template(path: StrPath, interface: str = "contest") -> None:
    """Write a starting point for an `interface` of `TEMPLATES` to the new module `path`. Raises `WordplError`."""
    if interface not in TEMPLATES:
        raise WordplError(f"unknown interface {interface!r}: {nearest(interface, TEMPLATES)}")
    path = Path(path)
    check_module_name(str(path))
    if path.stem in {*sys.stdlib_module_names, *LIBRARIES, "utils", "wordpl"}:
        raise WordplError(
            f"{path.stem} is the name of a module that a strategy may import, which the file would hide;"
            " choose another, as my_strategy.py"
        )
    write_text(path, template(str(path), interface), must_be_new=True)


def template(name: str, interface: str = "contest") -> str:
    """Return the starting point for an `interface` of `TEMPLATES` in a file of this `name`."""
    text = resources.files("wordpl.contest").joinpath("templates", f"{interface}.txt").read_text("utf-8")
    return text.replace("{name}", name)
