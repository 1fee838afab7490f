"""A finished game, turn by turn, in bits.

For each guess, with the answers that were possible before it taken as equally likely (under noise: with
their posterior probabilities):

- expected: what the clue was going to tell on average, the information gain of the guess;
- actual: what it told, the fall of the entropy of the answer. Without noise it is
  log2(answers before / answers after); under noise it can be below zero, when a clue misled;
- skill: expected of the guess less expected of the best guess of the list, so 0 is perfect play. A guess
  from outside the list can be better than that;
- luck: actual less expected. Over all answers it averages out at 0, whatever is guessed;
- chance: the probability that the guess was the answer;
- before, after: how many answers were left; under noise, how many equally likely answers would be
  as hard to guess, 1 / sum of P squared.

The best guess is the one `wordpl solve` ranks first: most information, ties to the likelier answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wordpl.assistant.reading import did_you_mean, positive
from wordpl.errors import ContradictionError, WordplError
from wordpl.model.clues import Clue, clue
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.play.strategy import History, Setting, Turn
from wordpl.scoring import guess_figures

CRITERION = "information_gain"

_ROW = re.compile("[⬛⬜🟨🟦🟩🟧]+")


@dataclass(frozen=True, slots=True)
class Review:
    """One turn; the module says what the figures mean."""

    guess: str
    clue: str
    epsilon: float
    chance: float
    before: float
    after: float
    expected: float
    actual: float
    best: str
    best_expected: float

    @property
    def skill(self) -> float:
        return self.expected - self.best_expected

    @property
    def luck(self) -> float:
        return self.actual - self.expected

    def record(self) -> dict[str, Any]:
        """The turn as plain JSON values; an infinite epsilon is null."""
        return {
            "guess": self.guess,
            "clue": self.clue,
            "epsilon": None if math.isinf(self.epsilon) else self.epsilon,
            "chance": self.chance,
            "remaining_before": self.before,
            "remaining_after": self.after,
            "expected_bits": self.expected,
            "actual_bits": self.actual,
            "best": self.best,
            "best_bits": self.best_expected,
            "skill": self.skill,
            "luck": self.luck,
        }


@dataclass(frozen=True)
class Analysis:
    """All turns of a game."""

    turns: tuple[Review, ...]

    @property
    def solved(self) -> bool:
        """Whether the last clue was exact and all correct."""
        last = self.turns[-1]
        return math.isinf(last.epsilon) and set(last.clue) == {"c"}

    def total(self, figure: str) -> float:
        """The sum over turns of `expected`, `actual`, `best_expected`, `skill` or `luck`."""
        return math.fsum(getattr(turn, figure) for turn in self.turns)

    def record(self) -> dict[str, Any]:
        """The game as plain JSON values."""
        return {
            "solved": self.solved,
            "turns": [turn.record() for turn in self.turns],
            "total": {
                "guesses": len(self.turns),
                "expected_bits": self.total("expected"),
                "actual_bits": self.total("actual"),
                "best_bits": self.total("best_expected"),
                "skill": self.total("skill"),
                "luck": self.total("luck"),
            },
        }


def analyze(words: WordList, turns: History, rule: str = "counted") -> Analysis:
    """What each turn was worth. Raises `WordplError` if there is none, or if no answer fits them all."""
    if not turns:
        raise WordplError("there is no guess to analyze")
    belief, reviews = Setting(words, rule).belief(), []
    for number, turn in enumerate(turns, start=1):
        try:
            after = belief.update(*turn)
        except ContradictionError:
            shown = f"clue {number} ({turn.guess}={Clue(turn.clue, words.length)})"
            raise WordplError(
                f"no answer of {words.name} fits {shown} and the clues before it;"
                " check guesses and clues, or give the host's list with --words and its rule with --rule"
            ) from None
        reviews.append(_review(belief, after, turn, first=number == 1))
        belief = after
    return Analysis(tuple(reviews))


def _review(before: Posterior, after: Posterior, turn: Turn, first: bool) -> Review:
    chosen = guess_figures.figures_of(before, turn.epsilon, turn.guess)
    if first:
        best = guess_figures.opening(before, turn.epsilon, CRITERION, 1)[0]
    else:
        word = before.words.guesses[guess_figures.ranking(before, turn.epsilon, CRITERION)[0]]
        best = guess_figures.figures_of(before, turn.epsilon, word)
    return Review(
        guess=turn.guess,
        clue=str(Clue(turn.clue, before.words.length)),
        epsilon=turn.epsilon,
        chance=chosen.chance,
        before=guess_figures.effective(before),
        after=guess_figures.effective(after),
        expected=chosen.bits,
        actual=before.entropy - after.entropy,
        best=best.word,
        best_expected=best.bits,
    )


# What players have of a game


def turns_from_answer(guesses: Iterable[str], answer: str, words: WordList, rule: str = "counted") -> History:
    """The turns of an ordinary game whose answer is known."""
    if answer not in words.answer_index:
        hint = did_you_mean(answer, words) or "; give the host's list with --words"
        raise WordplError(f"{answer!r} is not among the answers of {words.name}{hint}")
    return tuple(Turn(guess, math.inf, clue(guess, answer, rule).code) for guess in guesses)


def turns_from_share(guesses: Sequence[str], text: str, words: WordList, epsilon: float = math.inf) -> History:
    """The turns of a game from the text its host shares: lines of coloured squares, anything else passed over."""
    rows = [found[0] for line in text.replace("\ufe0f", "").splitlines() if (found := _ROW.search(line))]
    if not rows:
        raise WordplError("the share text has no row of squares, as ⬛🟨⬛⬛🟩")
    if len(rows) != len(guesses):
        raise WordplError(f"the share text has {len(rows)} rows of squares for {len(guesses)} guesses; one each is due")
    return tuple(
        Turn(guess, positive(epsilon), Clue.parse(row, words.length).code)
        for guess, row in zip(guesses, rows, strict=True)
    )
