"""The helper of a player who plays elsewhere: takes guesses and clues, says what to guess next.

No input and no output here; `wordpl.cli.solve` has the terminal, `wordpl.web` the page. The rules it goes by:

- Guesses are ranked by information gain (or the criterion given), ties to the likelier answer. When
  two answers or fewer are left (under noise: 1 / sum of P squared, rounded), these go first.
- A clue that contradicts the ones before it is kept: any of them may be the one that is wrong. Until
  one is taken back there is nothing to rank, and the closest words are all there is to offer.
- In a game of so many rows, which the right guess ends, the last two rows go by the chance to win. That is
  exact: with two rows left, the chance that this guess is right or the best guess after its clue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.assistant.lies import belief_of_win, check_rows, false_mark_chances, winning_guess
from wordpl.assistant.reading import check_word, positive, read_turn, write_turn
from wordpl.displays import counted, cut, json_epsilon, line_of
from wordpl.errors import ContradictionError, WordplError
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_name, differing_marks, make_channel
from wordpl.model.clues import Clue, clue, clue_row, clue_rows, clue_strings
from wordpl.model.hard_mode import legal_after
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, letters_of
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.strategy import History, Setting, Turn
from wordpl.scoring import guess_figures
from wordpl.scoring.guess_figures import GuessFigures, Indices

FEW = 20
"""So many answers are few enough to be shown after every clue."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Clues that no answer fits."""

    at: int
    """Position of the first clue at which nothing is left."""
    mends: tuple[tuple[int, int], ...]
    """Each clue that can be wrong alone: its position, and how many answers fit all the others."""


@dataclass(frozen=True, slots=True)
class Close:
    """A word that nearly fits the clues, or fits them but is only among the guesses."""

    word: str
    contradicted: int
    """Marks that would have to be wrong."""
    answer: bool
    """Whether it is among the answers."""


@dataclass(frozen=True, slots=True)
class Part:
    """The possible answers that give one true clue."""

    clue: str
    chance: float
    words: tuple[str, ...]

    def __repr__(self) -> str:
        return line_of(self, f"{self.clue}: {counted(len(self.words), 'answer')}")


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why to guess a word, or why not."""

    figures: GuessFigures
    parts: tuple[Part, ...]
    """The likeliest first."""
    known: bool
    """Whether it is among the guesses of the list."""
    legal: bool
    """Whether hard mode allows it."""

    def __repr__(self) -> str:
        return line_of(self, f"{self.figures.word}: {self.figures.bits:.4f} bits, {counted(len(self.parts), 'part')}")


def legal_guesses(words: Sequence[str], rule: str, turns: History) -> NDArray[np.bool_]:
    """Which words official hard mode allows after these turns: [words]."""
    letters = letters_of(words)
    legal = np.ones(len(words), dtype=bool)
    for turn in turns:
        legal &= legal_after(letters, turn.guess, Clue(turn.clue, len(turn.guess)).marks, rule)
    return legal


class Assistant:
    """What is known in one game played elsewhere. `hard` may be switched at any time."""

    def __init__(
        self,
        words: WordList,
        rule: str = "counted",
        epsilon: float = math.inf,
        criterion: str = "information_gain",
        hard: bool = False,
        channel: ChannelFamily = RandomizedResponse,
        kernels: bool = False,
        format: GameFormat = CONTEST,
    ) -> None:
        """`kernels` says that all rankings use the compiled kernels, whose first use takes seconds.

        In the format of Wordle the right guess ends the game, and the epsilon is that of the channel.
        """
        self.setting = Setting(words, rule, channel, noiseless=math.isinf(epsilon), format=format)
        self.words, self.rule, self.hard = words, rule, hard
        self.epsilon = positive(self.setting.row_epsilon if format.is_wordle else epsilon)
        self.criterion = guess_figures.check_criterion(criterion)
        self.turns: History = ()
        self._start = self.belief = self.setting.belief()
        self.contradiction: Contradiction | None = None
        self._kernels = kernels  # or once `prepare` has loaded them

    def read(self, text: str) -> Turn:
        """The turn that `text` stands for; see `wordpl.assistant.reading`."""
        return read_turn(text, self.words, self.epsilon)

    def add(self, turn: Turn) -> None:
        """Take a guess and its clue."""
        self.take((*self.turns, turn))

    def undo(self, number: int | None = None) -> Turn:
        """Take back clue `number`, counted from 1, or the last one; returns it."""
        if not self.turns:
            raise WordplError("there is no clue to take back")
        at = len(self.turns) if number is None else number
        if not 1 <= at <= len(self.turns):
            raise WordplError(f"there is no clue {at}; there are {len(self.turns)}")
        gone = self.turns[at - 1]
        self.take(self.turns[: at - 1] + self.turns[at:])
        return gone

    def take(self, turns: History) -> None:
        """Take the guesses and clues of a game so far, in place of those before."""
        if self.setting.format.is_wordle:
            check_rows(self.setting, turns)
        self.turns, self.contradiction = turns, None
        try:
            self.belief = self._belief_after(turns)
        except ContradictionError:
            self.belief, self.contradiction = self._start, _contradiction(self.setting, turns)

    def _belief_after(self, turns: History) -> Posterior:
        word = self.solved if self.setting.format.is_wordle else None
        if word is None:
            return self.setting.belief(turns)
        known = word in self.words.answer_index
        return belief_of_win(self.setting, word) if known else self.setting.belief(turns[:-1])

    def prepare(self) -> None:
        """Load what the next ranking needs, so that it comes at once."""
        if self.noisy and self.lies is None:  # numpy ranks clues with lies at once
            guess_figures.load_kernels()
            self._kernels = True
        guess_figures.ranking(self._start, self.epsilon, self.criterion, np.arange(1), kernels=self._kernels)

    # What is left

    def known(self, word: str) -> bool:
        """Whether a word is among the guesses of the list."""
        return word in self.words.guess_index

    @property
    def noisy(self) -> bool:
        """Whether noise has a part in this game."""
        epsilons = (self.epsilon, *(turn.epsilon for turn in self.turns))
        return self.setting.channel is not RandomizedResponse or any(map(math.isfinite, epsilons))

    @property
    def solved(self) -> str | None:
        """The word of an exact all-correct clue that goes with all other exact clues, if there is one.

        It need not be in the list: hosts differ. Where the right guess ends the game, the all-correct clue is the last.
        """
        if self.setting.format.is_wordle:
            return winning_guess(self.setting, self.turns)
        won = self.words.n_clues - 1
        exact = [turn for turn in self.turns if math.isinf(turn.epsilon)]
        for word in (turn.guess for turn in exact if turn.clue == won):
            if all(clue(turn.guess, word, self.rule).code == turn.clue for turn in exact):
                return word
        return None

    @property
    def lies(self) -> int | None:
        """How many marks of each clue are false, if always as many; else None."""
        return make_channel(self.setting.channel, self.epsilon, self.words.length).false_marks

    @property
    def rows_left(self) -> int | None:
        """How many guesses the game has left; None if there is no end to them."""
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
        """How many answers are possible."""
        return 0 if self.contradiction else len(self.belief.possible)

    @property
    def few(self) -> bool:
        """Whether few enough answers are possible to be shown after every clue."""
        return self.remaining <= FEW

    @property
    def effective(self) -> float:
        """How many equally likely answers would be as hard to guess: 1 / sum of P squared."""
        return 0.0 if self.contradiction else guess_figures.effective(self.belief)

    @property
    def entropy(self) -> float:
        """Entropy of the answer in bits: how much is left to learn."""
        return 0.0 if self.contradiction else self.belief.entropy

    def answers(self, n: int | None = None) -> list[tuple[str, float]]:
        """The `n` likeliest of the possible answers, or all, with their probabilities."""
        if self.contradiction:
            return []
        p, possible = self.belief.probabilities, self.belief.possible
        order = possible[np.argsort(-p[possible], kind="stable")][:n]
        return [(self.words.answers[i], float(p[i])) for i in order]

    # What to do

    def suggestions(self, n: int = 10) -> list[GuessFigures]:
        """The `n` best next guesses, best first; none if the clues contradict each other or the word is found.

        One answer left is the only suggestion.
        """
        if self.contradiction or self.solved or self.rows_left == 0:
            return []
        if self.ranked_by == "chance":
            return [self._figures(word) for word, _ in self.answers(n)]
        if self.only:
            return [self._figures(self.only)]
        if not self.turns:
            return guess_figures.opening(self._start, self.epsilon, self.ranked_by, n, kernels=self._kernels)
        allowed = np.flatnonzero(self._legal) if self.hard else None
        ranked = guess_figures.ranking(self.belief, self.epsilon, self.ranked_by, allowed, kernels=self._kernels)
        lead = self._lead(allowed)
        # Some more than asked for, since those in the lead come again.
        best = (self.words.guesses[i] for i in ranked[: n + len(lead)])
        return [self._figures(word) for word in list(dict.fromkeys([*lead, *best]))[:n]]

    def _lead(self, allowed: Indices | None) -> list[str]:
        """The answers to try before anything is ranked."""
        if self.ranked_by == "expected_top" or round(self.effective) > 2:
            return []
        legal = None if allowed is None else {self.words.guesses[i] for i in allowed}
        return [word for word, _ in self.answers(2) if legal is None or word in legal]

    @property
    def _legal(self) -> NDArray[np.bool_]:
        return legal_guesses(self.words.guesses, self.rule, self.turns)

    def _figures(self, word: str) -> GuessFigures:
        return guess_figures.figures_of(self.belief, self.epsilon, word)

    def win_chance(self, word: str) -> float | None:
        """The chance to win by this guess or the best one after it, if there are no more rows; else None."""
        if self.contradiction or self.solved or self.rows_left not in (1, 2):
            return None
        if self.rows_left == 1:
            return self._figures(word).chance
        return guess_figures.score_word(self.belief, self.epsilon, word)["expected_top"]

    def false_marks(self) -> list[tuple[float, ...]]:
        """For each clue, the probability that each of its marks is false; empty if the clues contradict each other."""
        if self.contradiction:
            return []
        return [tuple(map(float, false_mark_chances(self.belief, turn))) for turn in self.turns]

    def why(self, word: str) -> Reasons:
        """What a clue to any word of the right length would tell, and how it parts the possible answers."""
        word = check_word(word, self.words.length)
        if self.contradiction:
            raise WordplError("nothing fits the clues, so no word tells anything; take one back with undo")
        codes = clue_row(word, self.words, self.rule)[self.belief.possible]
        strings = clue_strings(self.words.length)
        p = self.belief.probabilities
        members = {int(code): self.belief.possible[codes == code] for code in np.unique(codes)}
        parts = [
            Part(strings[code], float(p[at].sum()), tuple(self.words.answers[i] for i in at))
            for code, at in members.items()
        ]
        parts.sort(key=lambda part: (-part.chance, part.clue))
        legal = bool(legal_guesses([word], self.rule, self.turns)[0])
        return Reasons(self._figures(word), tuple(parts), self.known(word), legal)

    # What to do when nothing fits

    @property
    def explanation(self) -> str | None:
        """Which clues contradict each other, and which of them can be wrong alone, in words."""
        found = self.contradiction
        if found is None:
            return None

        def name(at: int) -> str:
            return f"clue {at + 1} ({write_turn(self.turns[at])})"

        said = f"{name(found.at)} rules everything out: no answer of {self.words.name} fits it"
        said += " and the clues before it." if found.at else "."
        others = [
            f"without {name(at)} {counted(left, 'answer')} fit{'s' if left == 1 else ''}" for at, left in found.mends
        ]
        if others:
            return f"{said} If a single clue is wrong: {'; '.join(others)}."
        return f"{said} More than one clue is wrong, or the word is not in the list."

    @cached_property
    def _wide(self) -> WordList:
        """The list with all its guesses as answers."""
        return WordList(f"all words of {self.words.name}", self.words.guesses, self.words.guesses)

    def closest(self, n: int = 10) -> list[Close]:
        """Words to offer when nothing fits: guesses that do, then the answers with fewest contradicted marks.

        Up to `n` of each. Marks are counted over the exact clues; equals are in the order that the noisy
        ones give them.
        """
        wrong = self._contradicted(self._wide)
        fits = np.flatnonzero(wrong == 0)
        noisy = Setting(self.words, self.rule).belief(tuple(t for t in self.turns if math.isfinite(t.epsilon)))
        if self.setting.format.is_wordle:  # which a guess that was right would have ended
            guessed = {turn.guess for turn in self.turns}
            fits = np.array([i for i in fits if self.words.guesses[i] not in guessed], dtype=np.intp)
        at = wrong[self.words.answers_as_guesses]
        nearest = np.lexsort((-noisy.log_weights, at))[:n]
        answers = self.words.answer_index
        found = [Close(self.words.guesses[i], 0, self.words.guesses[i] in answers) for i in fits[:n]]
        return found + [Close(self.words.answers[i], int(at[i]), True) for i in nearest]

    def _contradicted(self, words: WordList) -> NDArray[np.intp]:
        """For each answer of a list, how many marks of the exact clues are not the ones it would give.

        Of clues with lies, it is how many would be false too many or too few.
        """
        lies = self.lies or 0
        rows, wrong = clue_rows(words, self.rule), np.zeros(len(words.answers), dtype=np.intp)
        for turn in self.turns:
            if math.isinf(turn.epsilon):
                wrong += np.abs(differing_marks(turn.clue, words.length) - lies)[rows(turn.guess)]
        return wrong

    # As JSON

    def record(self, n: int = 10, answers: int = FEW) -> dict[str, Any]:
        """Where the game stands as plain JSON values, with `n` suggestions or closest words and so many answers."""
        record: dict[str, Any] = {
            "words": self.words.name,
            "rule": self.rule,
            "epsilon": json_epsilon(self.epsilon),
            "criterion": self.criterion,
            "hard": self.hard,
            "clues": [
                {
                    "guess": turn.guess,
                    "clue": str(Clue(turn.clue, self.words.length)),
                    "epsilon": json_epsilon(turn.epsilon),
                    "known": self.known(turn.guess),
                }
                for turn in self.turns
            ],
            "solved": self.solved,
            "only": self.only,
            "remaining": self.remaining,
            "effective_remaining": self.effective,
            "bits_left": self.entropy,
            "answers": [{"word": word, "chance": p} for word, p in self.answers(answers)],
            "suggestions": [asdict(figures) for figures in self.suggestions(n)],
        }
        if self.setting.format.is_wordle:
            record["game"] = self._game(record)
        if self.contradiction and not self.solved:
            record["contradiction"] = {
                "clue": self.contradiction.at + 1,
                "mends": [{"clue": at + 1, "remaining": left} for at, left in self.contradiction.mends],
                "explanation": self.explanation,
            }
            record["closest"] = [
                {"word": close.word, "contradicted_marks": close.contradicted, "answer": close.answer}
                for close in self.closest(n)
            ]
        return record

    def _game(self, record: dict[str, Any]) -> dict[str, Any]:
        """What a record says of a game that the right guess ends."""
        chances = [self.win_chance(figures["word"]) for figures in record["suggestions"]]
        return {
            "format": str(self.setting.format),
            "channel": channel_name(self.setting.channel),
            "rows_left": self.rows_left,
            "ranked_by": self.ranked_by,
            "win_chances": [chance for chance in chances if chance is not None],
            "false_marks": [list(chances) for chances in self.false_marks()],
        }

    def __repr__(self) -> str:
        left = "contradictory" if self.contradiction else f"{counted(self.remaining, 'answer')} left"
        return line_of(self, f"{cut(self.words.name)}, {self.rule}: {counted(len(self.turns), 'clue')}, {left}")


def _contradiction(setting: Setting, turns: History) -> Contradiction:
    at = next(k for k in range(len(turns)) if _left(setting, turns[: k + 1]) == 0)
    without = [(k, _left(setting, turns[:k] + turns[k + 1 :])) for k in range(len(turns))]
    return Contradiction(at, tuple((k, left) for k, left in without if left))


def _left(setting: Setting, turns: History) -> int:
    try:
        return len(setting.belief(turns).possible)
    except ContradictionError:
        return 0
