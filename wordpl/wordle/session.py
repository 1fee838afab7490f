"""Help in a game that is played elsewhere: it takes guesses and clues, and says what to guess next.

`wordpl.cli.solve` shows it on a terminal, `wordpl.web` on the page. Its rules:

- Guesses are ranked by information gain, or by another criterion; ties go to the likelier answer.
- A clue that contradicts earlier ones is kept, because any of them may be wrong. Until one is taken back, nothing is
  ranked, and only the closest words are offered.
- If the right guess ends the game, its last two rows go by the exact chance to win: with two rows left, the chance that
  this guess is right, or the best guess after its clue.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NotRequired

import numpy as np
from typing_extensions import TypedDict

from wordpl.base.checks import clue_epsilon, instance
from wordpl.base.defaults import FEW_ANSWERS
from wordpl.base.displays import counted, cut, json_epsilon, line_of
from wordpl.base.errors import ContradictionError, WordplError
from wordpl.base.json_types import Doc, JsonEpsilon, Rule, Words, json_of
from wordpl.model.channel import channel_name, make_channel
from wordpl.model.clues import Clue, clue, clue_row
from wordpl.model.words import WordList
from wordpl.play.setting import History, Setting, Turn
from wordpl.scoring.criteria import check_criterion
from wordpl.scoring.guess_statistics import GuessStatistics, statistics_of
from wordpl.scoring.proposal import ProposalAdvice, when_to_propose
from wordpl.wordle import rules
from wordpl.wordle.contradiction import CloseWord, Contradicted, closest_words, explain
from wordpl.wordle.ranking import effective, plain_scores, ranking
from wordpl.wordle.reading import TurnRecord, check_word, read_turn, turn_record


@dataclass(frozen=True, slots=True)
class Part:
    """The possible answers that give one true clue."""

    clue: Annotated[str, Doc("The clue.")]
    chance: Annotated[float, Doc("Its probability.")]
    size: Annotated[int, Doc("Number of these answers.")]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why to guess a word, or why not."""

    statistics: GuessStatistics
    known: Annotated[bool, Doc("True if the list has the word.")]
    legal: Annotated[bool, Doc("True if hard mode allows it.")]
    parts: Annotated[tuple[Part, ...], Doc("The likeliest first.")]


class CoachedTurn(TurnRecord):
    known: Annotated[bool, Doc("True if the list has the guess.")]


def coached_turn(turn: Turn, words: WordList) -> CoachedTurn:
    return {**turn_record(turn), "known": turn.guess in words.guess_index}


class ChanceOf(TypedDict):
    word: Annotated[str, Doc("An answer.")]
    chance: Annotated[float, Doc("Its probability.")]


class LimitedGame(TypedDict):
    """A game that the right guess ends: ordinary Wordle, or Fibble."""

    format: Annotated[str, Doc("wordle:N, with N rows.")]
    channel: Annotated[str, Doc("Channel of the clues.")]
    rows_left: Annotated[int | None, Doc("Guesses that are left.")]
    win_chances: Annotated[list[float], Doc("In the last two rows, chances to win by each suggestion; else empty.")]
    false_marks: Annotated[
        list[list[float]], Doc("For each clue, the chance that each of its marks is false; empty without noise.")
    ]


class GameStanding(TypedDict):
    """The state of a game and the best next guesses."""

    words: Words
    rule: Rule
    epsilon: Annotated[JsonEpsilon, Doc("Budget of a clue that does not say its own.")]
    criterion: Annotated[
        str, Doc("Criterion of `scores`: the one asked for; in the last two rows expected_top and chance.")
    ]
    hard: Annotated[rules.HardMode, Doc("Hard mode, or extra hard mode.")]
    clues: Annotated[list[CoachedTurn], Doc("The clues so far.")]
    solved: Annotated[str | None, Doc("The word if the last clue was all correct, else null.")]
    only: Annotated[str | None, Doc("The only answer left, else null.")]
    remaining: Annotated[int, Doc("Answers that are not ruled out.")]
    effective_remaining: Annotated[float, Doc("Answers as hard to guess if all were equally likely.")]
    bits_left: Annotated[float, Doc("Entropy of the answer in bits.")]
    answers: Annotated[list[ChanceOf], Doc("The likeliest answers.")]
    suggestions: Annotated[list[GuessStatistics], Doc("Best next guesses.")]
    scores: Annotated[list[float], Doc("Score of each suggestion, by which they are ranked.")]
    best_answer: Annotated[GuessStatistics | None, Doc("The best next guess of those that can be the answer.")]
    advice: NotRequired[Annotated[ProposalAdvice, Doc("Only if clues are noisy and a proposal ends the game.")]]
    game: NotRequired[Annotated[LimitedGame, Doc("Only if the game has so many rows, as ordinary Wordle and Fibble.")]]
    contradiction: NotRequired[Annotated[Contradicted, Doc("Only if the clues contradict each other.")]]
    closest: NotRequired[Annotated[list[CloseWord], Doc("The words that fit best; only beside a contradiction.")]]


class Assistant:
    """A game that is played elsewhere, and the help for it.

    `setting` is that of the game: ordinary Wordle is played by the rule `counted`. `epsilon` is that of a clue that
    does not say its own; in the format of Wordle it is that of the channel. `criterion` ranks guesses (see `CRITERIA`),
    `hard` takes and suggests only what hard mode allows (see `rules`). `kernels` says that all rankings use the
    compiled kernels, whose first use takes seconds. Raises `WordplError` for another criterion or mode, an epsilon out
    of range, and hard mode with noisy clues.
    """

    def __init__(
        self,
        setting: Setting,
        epsilon: float = math.inf,
        criterion: str = "information_gain",
        hard: rules.HardMode = False,
        kernels: bool = False,
    ) -> None:
        self.setting = instance("setting", setting, Setting)
        self.words, self.rule = setting.words, setting.rule
        self.epsilon = clue_epsilon("epsilon", setting.row_epsilon if setting.format.is_wordle else epsilon)
        self.criterion = check_criterion(criterion)
        self.turns: History = ()
        self._goes_on, self._kernels = False, kernels  # whether rankings use the kernels; also once `prepare` ran
        self.hard = hard
        self._start = self.belief = self.setting.belief()
        self.contradiction: Contradicted | None = None

    def read(self, text: str) -> Turn:
        """Read the `text` of a turn as `read_turn` does."""
        return read_turn(text, self.words, self.epsilon)

    def add(self, turn: Turn) -> None:
        """Take the next `turn` of the game: a guess and its clue."""
        self.take((*self.turns, turn))

    def undo(self, number: int | None = None) -> Turn:
        """Take back clue `number`, counted from 1, or the last one; returns it."""
        at, n = len(self.turns) if number is None else number, len(self.turns)
        if not 1 <= at <= n:
            there = f"there is no clue {at}; the game has {counted(n, 'clue')}"
            raise WordplError(there if n else "there is no clue to take back")
        turn = self.turns[at - 1]
        self.take(self.turns[: at - 1] + self.turns[at:])
        return turn

    def take(self, turns: History, *, goes_on: bool = False) -> None:
        """Take the `turns` of a game so far, its guesses and clues, in place of those before.

        `goes_on` says that the last guess was wrong, though its clue may be all correct and false. Raises
        `WordplError`, and takes none, for rows that the format has not, for an ordinary game that goes on after the
        right word, and in hard mode for noisy clues and for a guess that breaks it.
        """
        rules.check_turns(self.setting, turns, self.hard, self._exact(turns))
        self.turns, self.contradiction, self._goes_on = turns, None, goes_on
        word = self.solved if self.setting.format.right_ends else None
        try:
            if word is not None and word in self.words.answer_index:
                self.belief = rules.belief_of_win(self.setting, word)
            else:
                self.belief = self.setting.belief(turns if word is None else turns[:-1])
        except ContradictionError:
            self.belief, self.contradiction = self._start, explain(self.setting, turns)

    def prepare(self) -> None:
        """Load what the next ranking needs. Clues with lies need nothing: numpy ranks them fast."""
        self._kernels = self._kernels or (self.noisy and self.lies is None)
        ranking(self._start, self.epsilon, self.criterion, np.arange(1), kernels=self._kernels)

    @property
    def noisy(self) -> bool:
        """True if noise has a part in this game."""
        return not self._exact(self.turns)

    def _exact(self, turns: History) -> bool:
        return rules.all_exact(self.setting, (self.epsilon, *(turn.epsilon for turn in turns)))

    @property
    def hard(self) -> rules.HardMode:
        """The mode (see `rules`). It may be switched on where all clues are true and no guess breaks it."""
        return self._hard

    @hard.setter
    def hard(self, hard: rules.HardMode) -> None:
        rules.check_turns(self.setting, self.turns, hard, self._exact(self.turns))
        self._hard = hard

    @property
    def solved(self) -> str | None:
        """The word of an exact all-correct clue that goes with all other exact clues, if there is one.

        It need not be in the list: sites differ. Where the right guess ends the game, the all-correct clue is the last.
        """
        if self.setting.format.right_ends:
            return None if self._goes_on else rules.winning_guess(self.setting, self.turns)
        exact = [turn for turn in self.turns if math.isinf(turn.epsilon)]
        words = (turn.guess for turn in exact if turn.clue == self.words.n_clues - 1)
        return next((word for word in words if all(clue(t.guess, word, self.rule).code == t.clue for t in exact)), None)

    @property
    def lies(self) -> int | None:
        """The number of false marks in each clue; None if it varies."""
        return make_channel(self.setting.channel, self.epsilon, self.words.length).false_marks

    @property
    def rows_left(self) -> int | None:
        """The number of guesses that are left; None if there is no end to them."""
        most = self.setting.format.guesses
        return None if most is None else 0 if self.solved else most - len(self.turns)

    @property
    def ranked_by(self) -> str:
        """The criterion of the next suggestions: in the last two rows `expected_top` and `chance`."""
        return {2: "expected_top", 1: "chance"}.get(self.rows_left or 0, self.criterion)

    @property
    def only(self) -> str | None:
        """The one answer that is possible, if no other is."""
        possible = self.belief.possible
        return self.words.answers[possible[0]] if len(possible) == 1 and self.contradiction is None else None

    @property
    def remaining(self) -> int:
        """The number of possible answers."""
        return 0 if self.contradiction else len(self.belief.possible)

    @property
    def effective(self) -> float:
        """The number of equally likely answers that would be as hard to guess: 1 / sum of P squared."""
        return 0.0 if self.contradiction else effective(self.belief)

    @property
    def entropy(self) -> float:
        """Entropy of the answer in bits: how much is left to learn."""
        return 0.0 if self.contradiction else self.belief.entropy

    def answers(self, n: int | None = None) -> list[tuple[str, float]]:
        """The `n` likeliest of the possible answers, or all, with their probabilities."""
        if self.contradiction:
            return []
        p = self.belief.probabilities
        return [(self.words.answers[i], float(p[i])) for i in self.belief.likeliest(n)]

    def best_answer(self, suggestions: Sequence[GuessStatistics]) -> GuessStatistics | None:
        """The best next guess that can be the answer: the first such one of the `suggestions`, or ranked if none is."""
        possible = (statistics for statistics in suggestions if statistics.chance > 0.0)
        return next(possible, None) or next(iter(self.suggestions(1, answers_only=True)), None)

    def suggestions(self, n: int = 10, answers_only: bool = False) -> list[GuessStatistics]:
        """The `n` best next guesses, best first, or the only answer left; with `answers_only` of the possible answers.

        None if the clues contradict each other, the word is found, or no row is left.
        """
        if self.contradiction or self.solved or self.rows_left == 0:
            return []
        if self.ranked_by == "chance":
            return [statistics_of(self.belief, self.epsilon, word) for word, _ in self.answers(n)]
        if self.only:
            return [statistics_of(self.belief, self.epsilon, self.only)]
        allowed = np.flatnonzero(rules.legal_guesses(self.words.guesses, self.rule, self.turns, self.hard))
        if answers_only:
            allowed = np.intersect1d(allowed, self.words.answers_as_guesses[self.belief.possible], assume_unique=True)
        ranked = ranking(self.belief, self.epsilon, self.ranked_by, allowed, n, kernels=self._kernels)
        return [statistics_of(self.belief, self.epsilon, self.words.guesses[i]) for i in ranked]

    def scores(self, suggestions: Sequence[GuessStatistics]) -> list[float]:
        """Return the score by which each of `suggestions` is ranked."""
        if self.ranked_by == "chance":
            return [statistics.chance for statistics in suggestions]
        at = np.array([self.words.guess_index[statistics.word] for statistics in suggestions], dtype=np.intp)
        return list(map(float, plain_scores(self.belief, self.epsilon, at, self.ranked_by)))

    def win_chances(self, suggestions: Sequence[GuessStatistics]) -> list[float]:
        """In the last two rows, the chance to win by each of `suggestions` or the best guess after it; else empty."""
        return self.scores(suggestions) if self.rows_left in (1, 2) else []

    @property
    def advice(self) -> ProposalAdvice | None:
        """Advice on proposing; None if the right guess ends the game, clues have no price, or nothing fits them."""
        priced = self.noisy and getattr(self.setting.channel, "row_epsilon", None) != math.inf
        if not priced or self.setting.format.right_ends or self.contradiction or self.solved:
            return None
        return when_to_propose(self.belief)

    def false_marks(self) -> list[list[float]]:
        """For each clue, the probability that each of its marks is false; empty if the clues contradict each other."""
        if self.contradiction:
            return []
        return [rules.false_mark_chances(self.belief, turn).tolist() for turn in self.turns]

    def why(self, word: str) -> Reasons:
        """Return how a clue to `word`, any of the right length, would divide the possible answers."""
        word = check_word(word, self.words.length)
        if self.contradiction:
            raise WordplError("no answer fits the clues, so no word can be judged; take a clue back first")
        legal = not rules.hard_mode_fault(word, self.turns, self.rule, self.hard or True)
        statistics = statistics_of(self.belief, self.epsilon, word)
        possible, parts = self.belief.possible, []
        codes = clue_row(word, self.words, self.rule)[possible]
        for code in np.unique(codes).tolist():
            at = possible[codes == code]
            answers, chance = tuple(self.words.answers[i] for i in at), float(self.belief.probabilities[at].sum())
            parts.append(Part(str(Clue(code, self.words.length)), chance, len(at), answers))
        parts.sort(key=lambda part: (-part.chance, part.clue))
        return Reasons(statistics, word in self.words.guess_index, legal, tuple(parts))

    def closest(self, n: int = 10) -> list[CloseWord]:
        """Words to offer when nothing fits, up to `n` of each kind, as `closest_words` has them."""
        return closest_words(self.setting, self.turns, self.lies or 0, n)

    def record(self, n: int = 10, answers: int | None = FEW_ANSWERS, *, advise: bool = True) -> GameStanding:
        """The state of the game as plain JSON values: `n` suggestions or closest words, at most `answers` answers.

        It has advice on proposing if `advise`; this always needs the compiled kernels.
        """
        suggestions = self.suggestions(n)
        best = self.best_answer(suggestions)
        record: GameStanding = {
            "words": self.words.name,
            "rule": self.rule,
            "epsilon": json_epsilon(self.epsilon),
            "criterion": self.ranked_by,
            "hard": self.hard,
            "clues": [coached_turn(turn, self.words) for turn in self.turns],
            "solved": self.solved,
            "only": self.only,
            "remaining": self.remaining,
            "effective_remaining": self.effective,
            "bits_left": self.entropy,
            "answers": [{"word": word, "chance": p} for word, p in self.answers(answers)],
            "suggestions": suggestions,
            "scores": self.scores(suggestions),
            "best_answer": best,
        }
        if self.setting.format.is_wordle:
            record["game"] = {
                "format": str(self.setting.format),
                "channel": channel_name(self.setting.channel),
                "rows_left": self.rows_left,
                "win_chances": self.win_chances(suggestions),
                "false_marks": self.false_marks() if self.noisy else [],
            }
        if advise and (advice := self.advice):
            record["advice"] = advice
        if self.contradiction and not self.solved:
            record["contradiction"] = self.contradiction
            record["closest"] = self.closest(n)
        plain: GameStanding = json_of(record)
        return plain

    def __repr__(self) -> str:
        left = "contradictory" if self.contradiction else f"{counted(self.remaining, 'answer')} left"
        return line_of(self, f"{cut(self.words.name)}, {self.rule}: {counted(len(self.turns), 'clue')}, {left}")
