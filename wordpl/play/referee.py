"""The referee knows the answer, makes the noise, measures the time and keeps the score of each game.

Times are measured and never judged: no verdict may depend on how busy a machine is. The sandbox of the contest has
limits of its own.
"""

import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Protocol

from wordpl.base.checks import instance, non_negative, whole_number
from wordpl.base.displays import counted, cut, line_of
from wordpl.base.errors import WordplError, error_line, one_line
from wordpl.base.sources import is_foreign
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix, clue_strings
from wordpl.play.formats import CONTEST, FIBBLE_FIRST_GUESS, GameFormat
from wordpl.play.moves import Ask, InvalidMoveError, Move, read_move
from wordpl.play.seeds import Seeds
from wordpl.play.setting import History, Setting, Turn, total_budget
from wordpl.play.strategy import Player


class Verdict(StrEnum):
    """The end of a trial."""

    WIN = "WIN"
    LOSS = "LOSS"
    INVALID = "INVALID"
    TIMEOUT = "TIMEOUT"
    CRASH = "CRASH"
    MEMORY = "MEMORY"
    PROTOCOL = "PROTOCOL"


class ForfeitError(Exception):
    """The player has lost its game, but not by a wrong proposal."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict, self.reason = verdict, reason


@dataclass(slots=True)
class Game:
    """One game while it is played.

    `trial` is its number. `answer` is the secret word. `history` has the turns so far, and `proposed` is the word that
    was proposed. `verdict` says how the game ended, and `format` what ends it.
    """

    trial: int
    answer: str
    verdict: Verdict = Verdict.LOSS
    proposed: str | None = None
    reason: str = ""
    """Why the game was lost; empty if by a wrong proposal."""
    history: History = ()
    seconds: float = 0.0
    """Wall-clock seconds of all moves. They show how fast the player is and decide nothing."""
    slowest: float = 0.0
    """Wall-clock seconds of the slowest move."""
    format: GameFormat = CONTEST

    @property
    def won(self) -> bool:
        return self.verdict is Verdict.WIN

    @property
    def budget(self) -> float:
        """The sum of the epsilons asked, to ten digits (`total_budget`)."""
        return total_budget(turn.epsilon for turn in self.history)

    @property
    def score(self) -> float:
        """The budget, or in the format of Wordle the number of guesses, if won; infinity if not."""
        if not self.won:
            return math.inf
        return float(len(self.history)) if self.format.is_wordle else self.budget

    @property
    def turns(self) -> int:
        """The number of guesses: in the contest the asks, plus 1 unless the last one was for the answer."""
        if self.format.right_ends:
            return len(self.history)
        asked_last = bool(self.history) and self.history[-1].guess == self.answer
        return len(self.history) + (0 if asked_last else 1)

    def __repr__(self) -> str:
        end = f"{self.verdict}, {cut(self.answer)}, {counted(len(self.history), 'ask')}, budget {self.budget:g}"
        return line_of(self, f"{self.trial}: {end}")


class Opponent(Protocol):
    """The other side of one game: knows, or decides, the answer."""

    def reply(self, ask: Ask) -> Turn:
        """Return the turn that a legal ask makes: guess, epsilon and clue. Raises `InvalidMoveError` to refuse it."""

    def is_answer(self, word: str) -> bool:
        """Return whether the proposed word is right. This ends the game."""


@dataclass(frozen=True)
class GameRules:
    """The moves that a player may make in one game."""

    setting: Setting
    max_asks: float = math.inf
    min_epsilon: float = 0.0

    def legal(self, move: object, asked: int) -> Move:
        """Return the move that a player's return value stands for. Raises `InvalidMoveError` if it is not allowed."""
        setting, format, wordle = self.setting, self.setting.format, self.setting.format.is_wordle
        if asked == 0 and format.first_guess is not None:
            return Ask(format.first_guess, setting.row_epsilon)
        legal = read_move(move, setting.words, setting.noiseless)
        if not isinstance(legal, Ask):
            return Ask(legal.word, setting.row_epsilon if wordle else 0.0) if format.right_ends else legal
        if wordle and legal.epsilon != setting.row_epsilon:
            raise InvalidMoveError(f"asked with epsilon {legal.epsilon}; that of this game is {setting.row_epsilon}")
        if asked >= self.max_asks:
            raise InvalidMoveError(f"asked more than {self.max_asks} times")
        if legal.epsilon < self.min_epsilon:
            raise InvalidMoveError(f"asked with epsilon {legal.epsilon}; the smallest is {self.min_epsilon}")
        return legal


@dataclass(frozen=True)
class OpenGame:
    """A game that is played move by move, by a player's loop or by a person's clicks.

    `rules` say which moves are legal; `opponent` replies to asks.
    """

    rules: GameRules
    game: Game
    """The record so far."""
    opponent: Opponent

    def take(self, move: object) -> Turn | None:
        """Make `move`, and return the turn that follows from an ask, or None if the move ends the game.

        In the contest's format a proposal ends the game. In the others the right guess or the last one does, which is
        then the last turn of the record. The clue to the right guess is all correct, whatever the channel.

        Raises `InvalidMoveError`, and changes nothing, if the rules do not allow the move.
        """
        game, setting = self.game, self.rules.setting
        legal = self.rules.legal(move, len(game.history))
        word = legal.guess if isinstance(legal, Ask) else legal.word
        right = self.opponent.is_answer(word) if setting.format.right_ends or not isinstance(legal, Ask) else False
        if isinstance(legal, Ask):
            turn = Turn(word, legal.epsilon, setting.words.n_clues - 1) if right else self.opponent.reply(legal)
            game.history += (turn,)
            if not right and len(game.history) != setting.format.guesses:
                return turn
        game.proposed, game.verdict = word, Verdict.WIN if right else Verdict.LOSS
        return None

    def play(self, player: Player) -> None:
        """Let `player` play the game. Raises `ForfeitError` for an illegal move, and any error of the two sides.

        The time of each move is added to the record.
        """
        game, strings = self.game, clue_strings(self.rules.setting.words.length)
        ask: Callable[[], object] = player.first_move
        while True:
            start = perf_counter()
            try:
                move = ask()
            finally:
                seconds = perf_counter() - start
                game.seconds += seconds
                game.slowest = max(game.slowest, seconds)
            try:
                turn = self.take(move)
            except InvalidMoveError as refused:
                raise ForfeitError(Verdict.INVALID, str(refused)) from None
            if turn is None:
                return
            ask = partial(player.next_move, turn.guess, turn.epsilon, strings[turn.clue])

    def __repr__(self) -> str:
        asks = f"{counted(len(self.game.history), 'ask')}, budget {self.game.budget:g}"
        return line_of(self, f"of {self.rules.setting!r}: {asks}")


class Referee:
    """Plays games of one `setting` under one root `seed`.

    `max_asks` and `min_epsilon` are for players that are not trusted. With many asks that cost almost nothing, such a
    player could make a record very long, and collect what replies reveal besides the noisy clue, for example by their
    timing.

    Raises `WordplError` for a seed that is not a whole number from 0 to 2**256 - 1, and a `max_asks` or `min_epsilon`
    below 0.
    """

    def __init__(self, setting: Setting, seed: int, *, max_asks: int | None = None, min_epsilon: float = 0.0) -> None:
        instance("setting", setting, Setting)
        self.setting, self.seeds = setting, Seeds(seed)
        limit = math.inf if max_asks is None else whole_number("max_asks", max_asks, minimum=0)
        self._rules = GameRules(setting, limit, non_negative("min_epsilon", min_epsilon))
        self.clues = clue_matrix(setting.words, setting.rule)

    def play(self, trial: int, player: Player) -> Game:
        """Play trial number `trial` with `player` to its end and return its record, whatever the player does.

        Whatever ends it, but for `KeyboardInterrupt`, becomes its verdict. Raises `WordplError` for a trial that is not
        a whole number from 0 to 2**64 - 1.
        """
        opened = self.open(trial)
        game = opened.game
        try:
            opened.play(player)
        except KeyboardInterrupt:
            raise
        except ForfeitError as lost:  # a trusted player's code could raise one that claims a win
            game.verdict = Verdict.CRASH if lost.verdict in (Verdict.WIN, Verdict.LOSS) else lost.verdict
            game.reason = one_line(lost.reason)
        except BaseException as error:  # a strategy that calls sys.exit loses this trial, not the run
            game.verdict, game.reason = Verdict.CRASH, error_line(error, where=user_line(error))
        return game

    def open(self, trial: int, answer: str | None = None) -> OpenGame:
        """Return the game of trial number `trial`, before its first move. It has the same noise as in `play`, and the
        same answer unless `answer` is given.

        Raises `WordplError` for a trial that is not a whole number from 0 to 2**64 - 1, or an answer not in the list.
        """
        trial = whole_number("trial", trial, minimum=0, maximum=2**64 - 1)
        words = self.setting.words
        n = len(words.answers)
        usual = trial % n if self.setting.format.every_answer else self.seeds.answer(trial, n)
        at = usual if answer is None else words.answer_index.get(answer)
        if at is None:
            raise WordplError(f"{answer!r} is not among the answers of {cut(words.name)}")
        game = Game(trial, words.answers[at], format=self.setting.format)
        return OpenGame(self._rules_of(trial, at), game, _Secret(self, trial, at))

    def _rules_of(self, trial: int, answer: int) -> GameRules:
        """The rules with the first guess of this trial, if each trial has its own."""
        setting = self.setting
        if setting.format.first_guess != FIBBLE_FIRST_GUESS:
            return self._rules
        strings, codes = clue_strings(setting.words.length), self.clues[setting.words.answers_as_guesses, answer]
        allowed = [at for at, code in enumerate(codes.tolist()) if "." in strings[code]]
        if not allowed:
            raise WordplError(f"no answer of {cut(setting.words.name)} can be the given first guess of trial {trial}")
        word = setting.words.answers[allowed[self.seeds.first_guess(trial, len(allowed))]]
        return replace(self._rules, setting=replace(setting, format=replace(setting.format, first_guess=word)))


@dataclass(repr=False, eq=False)
class _Secret:
    """The opponent of a trial: an answer that was drawn, and the noise of the trial."""

    referee: Referee
    trial: int
    answer: int
    asked: int = 0

    def reply(self, ask: Ask) -> Turn:
        words = self.referee.setting.words
        try:
            channel = make_channel(self.referee.setting.channel, ask.epsilon, words.length)
        except WordplError as error:  # a channel may not have every epsilon; then an ask at it is no legal move
            raise InvalidMoveError(str(error)) from None
        true = int(self.referee.clues[words.guess_index[ask.guess], self.answer])
        noisy = int(channel.sample(true, self.referee.seeds.noise(self.trial, self.asked, words.length)))
        self.asked += 1
        return Turn(ask.guess, ask.epsilon, noisy)

    def is_answer(self, word: str) -> bool:
        return word == self.referee.setting.words.answers[self.answer]


def chance(setting: Setting, history: History, word: str) -> float:
    """Return P(answer is `word` given the turns) by the referee's own posterior; 0 for a word that is no answer.

    Its mean over trials estimates the win rate with less variance than the mean of wins (Rao-Blackwell), as long as the
    player's moves depend on nothing but the turns and its own randomness.
    """
    at = setting.words.answer_index.get(word)
    return 0.0 if at is None else float(setting.belief(history).probabilities[at])


def user_line(error: BaseException) -> str:
    """`file.py:12`: the last line of the user's own code on the way to an error; "" if there is none in a file."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        file = Path(frame.f_code.co_filename)
        # The file of a notebook's cell has another name in each process.
        if file.suffix == ".py" and "ipykernel" not in str(file) and not is_foreign(name, str(file)):
            place = f"{file.name}:{line}"
    return place
