"""`wordpl check`: the conformance test on a submission in its own process; and the template of `wordpl new`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import perf_counter

from wordpl.contest.cage.contestant_process import ContestantProcess
from wordpl.contest.cage.sandbox import Launcher
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.limits import MIB, Limits
from wordpl.contest.run.conformance import ROUNDS, Finding, examine
from wordpl.errors import WordplError, nearest
from wordpl.play.referee import ForfeitError
from wordpl.play.setting import Setting
from wordpl.play.strategy import Player
from wordpl.progress import Progress
from wordpl.storage.files import StrPath, write_text

_MUCH_PRINTED = 10_000

_CONTEST = '''"""A strategy for WORDPL: say here what it does.

wordpl check {name}                 # is it one?
wordpl try {name}                   # how does it do?
wordpl submit {name} --name NAME    # how does it rank?
"""

from strategies.utils import answers  # the possible answers; `valid` has all words that can be asked


class Mine:
    """One object plays all games. Make here, once, what they share: it is not on the clock of a game."""

    def __init__(self, epsilon=18.0):
        self.epsilon = epsilon  # the privacy budget of an ask: more buys clearer clues

    def __str__(self):
        return f"Mine(epsilon={{self.epsilon}})"

    def first_move(self):
        """A new game: set its state anew, and return (word, epsilon) to ask for a clue."""
        self.turns = []
        return "trace", self.epsilon

    def next_move(self, guess, epsilon, clues):
        """The last ask and its clue, five letters: c correct, i elsewhere in the word, . absent.

        Return (word, epsilon) to ask again, or (word, 0) to propose the answer, which ends the game. Each
        letter of the clue is false now and then: right with probability e^(epsilon/5) / (2 + e^(epsilon/5)).
        """
        self.turns.append((guess, clues))
        return max(answers, key=self.agreement), 0

    def agreement(self, answer):
        """How many marks of all clues an answer agrees with."""
        return sum(mark == seen for guess, clues in self.turns for mark, seen in zip(marks(guess, answer), clues))


def marks(guess, answer):
    """The clue without noise, as the contest gives it."""
    return "".join("c" if a == b else "i" if a in answer else "." for a, b in zip(guess, answer))
'''


_WORDPL = '''"""A strategy for WORDPL: say here what it does.

wordpl check {name}                 # is it one?
wordpl score "{name}:Mine()"        # how does it do?
wordpl submit {name} --name NAME    # how does it rank?
"""

from dataclasses import dataclass

from wordpl import Answer, Ask, History, HistoryStrategy, Move, Setting, best_guess


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    """Asks twice, then proposes the most probable answer.

    It is configuration only: the fields are its parameters, as in Mine(epsilon=12). Moves depend on the turns so far
    and on nothing else, so each is decided once and then looked up. A strategy that draws random numbers, or remembers
    more, subclasses wordpl.Strategy.
    """

    epsilon: float = 10.0  # the privacy budget of an ask: more buys clearer clues
    asks: int = 2

    def decide(self, setting: Setting, history: History) -> Move:
        """The move after these turns (guess, epsilon, noisy clue): ask for a clue, or propose, which ends the game."""
        if not history:
            return Ask("trace", self.epsilon)  # the first turn is the same in every game
        belief = setting.belief(history)  # the exact posterior over the answers
        if len(history) < self.asks:
            return Ask(best_guess(belief, self.epsilon), self.epsilon)  # of all words, the one that tells most
        return Answer(belief.top[0])
'''

TEMPLATES = {"contest": _CONTEST, "wordpl": _WORDPL}
"""Starting points by interface: a class as in the contest's repository, or a `wordpl.HistoryStrategy`."""


def write_template(path: StrPath, interface: str = "contest") -> None:
    """Write a working starting point to a new file.

    `interface` is "contest" for a class as in the contest's repository, or "wordpl" for a `HistoryStrategy`. Raises
    `WordplError` for another one, a name that no Python module can have, and a file that is there already.
    """
    if interface not in TEMPLATES:
        raise WordplError(f"unknown interface {interface!r}: {nearest(interface, TEMPLATES)}")
    path = Path(path)
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise WordplError(f"{str(path)!r} is not a name for a Python module; one such as my_strategy.py is expected")
    write_text(path, TEMPLATES[interface].format(name=path), must_be_new=True)


def check_submission(
    submission: Submission,
    setting: Setting,
    limits: Limits,
    launcher: Launcher,
    *,
    seed: int = 1,
    games: int = 5,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return the findings on a submission; only the first one if it cannot be started.

    `games` are played in each of five rounds. `progress` is told of the start, too, which may take minutes.
    """
    tell: Progress = progress or (lambda *_: None)
    tell("starting the strategy", 0, 0, ROUNDS * games)
    with ContestantProcess(submission, setting, limits, launcher, print_to_stderr=True) as contestant:
        subject = _Subject(contestant)
        begun = perf_counter()
        try:
            subject.start()
        except ForfeitError as error:
            last = contestant.errors.strip().splitlines()[-4:]
            return [Finding("starts", False, " | ".join([f"{error.verdict}: {error.reason}", *last]))]
        took = perf_counter() - begun
        tell("playing", 0, 0, ROUNDS * games)
        found = [Finding("starts", True, f"{contestant.name}, {contestant.interface} interface, {took:.2g} s")]
        if submission.contest_files:
            advice = "; --contest-files names a checkout of the contest" if submission.reads_sorted_list else ""
            found.append(Finding("contest files", True, submission.contest_files + advice))
        found += examine(subject, setting, limits, seed=seed, games=games, progress=progress)
    peak, at_start = contestant.usage.peak, subject.printed_at_start
    printed = contestant.printed - at_start
    found.append(Finding("memory", peak <= limits.memory, f"{peak / MIB:.0f} MiB of {limits.memory / MIB:.0f}"))
    quiet = printed / (ROUNDS * games) < _MUCH_PRINTED
    message = f"{printed} bytes in all games, {at_start} at start"
    message += "" if quiet else "; printing takes time, and nobody reads it: print less in games"
    return [*found, Finding("prints little", quiet, message)]


class _Subject:
    """A contestant's process."""

    def __init__(self, contestant: ContestantProcess) -> None:
        self.contestant = contestant
        self.printed_at_start = 0
        """Bytes, in all starts."""

    def start(self) -> None:
        """Start the contestant unless it runs. Raises `ForfeitError` if it cannot be started."""
        starts, printed = self.contestant.starts, self.contestant.printed
        self.contestant.ready()
        if self.contestant.starts > starts:
            self.contestant.look()  # reads what it has printed
            self.printed_at_start += self.contestant.printed - printed

    def player(self, seed: int) -> Player:
        with suppress(ForfeitError):  # then its first move says so
            self.start()
        return self.contestant.player(seed)

    def restart(self) -> None:
        with suppress(ForfeitError):  # what it used is in its peak
            self.contestant.look()
        self.contestant.stop()

    def game_cpu(self) -> float:
        with suppress(ForfeitError):  # the game is over, and has its verdict
            self.contestant.look()
        return self.contestant.usage.game_cpu
