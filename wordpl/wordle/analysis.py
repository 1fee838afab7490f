"""A finished game, turn by turn: in bits, and as skill and luck from 0 to 99, as `docs/how-to/wordle.md` defines them.

The answers that were possible before a guess count as equally likely. Under noise they have their posterior
probabilities, and a number of answers is that of equally likely ones that would be as hard to guess: 1 / sum of P
squared.

In the format of Wordle, where the right guess ends the game even if clues lie, that the guess is right is one more
outcome of it: its bits and its luck count it, and a guess that did not end the game is ruled out.

The best guess is the one `wordpl solve` ranks first: most information, ties to the likelier answer; in hard mode, of
the guesses that it allows. In the last two rows of a game it is the one with the best chance to win, and skill counts
what a guess gives away of that chance.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, cast

import numpy as np
from typing_extensions import TypedDict

from wordpl.base.checks import instance
from wordpl.base.displays import counted, html_table, line_of
from wordpl.base.errors import ContradictionError, WordplError
from wordpl.base.json_types import Doc, JsonEpsilon, Rule, Words
from wordpl.base.sanitizing import html_text
from wordpl.model.channel import make_channel
from wordpl.model.clues import Clue, clue_row, html_tiles
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, fold_word
from wordpl.play.setting import History, Setting, Turn
from wordpl.scoring.guess_statistics import GuessStatistics, score_word, statistics_of
from wordpl.wordle import rules
from wordpl.wordle.ranking import DIGITS, Indices, effective, ranking
from wordpl.wordle.reading import turn_record, write_turn
from wordpl.wordle.steps import Steps

CRITERION = "information_gain"
BITS = ("expected_bits", "actual_bits", "best_bits", "skill_bits", "luck_bits")
MOST = 99
"""The most that skill and luck can be."""
_END = {True: "solved", False: "not solved", None: "no end"}
_LIKELIEST = 10
CERTAIN = 0.99
"""From this probability on, an answer is certain enough to be proposed."""


@dataclass(frozen=True, slots=True)
class ReviewedTurn:
    """The value of one turn."""

    guess: Annotated[str, Doc("The guess.")]
    clue: Annotated[str, Doc("Its clue.")]
    epsilon: Annotated[JsonEpsilon, Doc("Its budget.")]
    chance: Annotated[float, Doc("Chance that the guess was the answer.")]
    remaining_before: Annotated[float, Doc("Effective number of answers before.")]
    remaining_after: Annotated[float, Doc("Effective number of answers after.")]
    leader: Annotated[str, Doc("The likeliest answer after.")]
    leader_chance: Annotated[float, Doc("Its probability.")]
    left: Annotated[list[str], Doc("Answers left after, the likeliest first; the ten likeliest if they are not equal.")]
    wasted: Annotated[bool, Doc("True if an answer was certain before, so that to propose it would have cost nothing.")]
    expected_bits: Annotated[float, Doc("Information gain of the guess.")]
    actual_bits: Annotated[float, Doc("Information of the clue.")]
    best: Annotated[str, Doc("The best guess.")]
    best_bits: Annotated[float, Doc("Its information gain.")]
    skill_bits: Annotated[float, Doc("Expected bits less those of the best guess.")]
    luck_bits: Annotated[float, Doc("Actual bits less expected bits.")]
    steps: Annotated[float | None, Doc("Expected guesses to the end, this one included; null under noise, and first.")]
    best_steps: Annotated[float | None, Doc("Expected guesses of the best guess.")]
    skill: Annotated[int | None, Doc("0 to 99; null for the first guess.")]
    luck: Annotated[int | None, Doc("0 to 99; null if only one clue was possible.")]
    line: Annotated[list[str], Doc("The best guesses from here.")]
    """To the answer; where it is not known, only the next."""


class Totals(TypedDict):
    guesses: Annotated[int, Doc("Number of turns.")]
    expected_bits: float
    actual_bits: float
    best_bits: float
    skill_bits: float
    luck_bits: float


@dataclass(frozen=True)
class Analysis:
    """A game turn by turn. `words` names the word list, and `rule` the repeat rule."""

    words: Words
    rule: Rule
    turns: Annotated[tuple[ReviewedTurn, ...], Doc("The turns.")]
    total: Annotated[Totals, Doc("Sums.")]
    skill: Annotated[int | None, Doc("Mean of the turns that have one; null if none has.")]
    luck: Annotated[int | None, Doc("Mean of the turns that have one; null if none has.")]
    hard: Annotated[rules.HardMode, Doc("Hard mode, or extra hard mode.")]
    unlisted: Annotated[str | None, Doc("The answer, if it is not among those of the list; it counts as one more.")]
    line: Annotated[list[str], Doc("The best guesses from the start.")]
    """To the answer; where it is not known, only the first."""
    solved: Annotated[bool | None, Doc("True if the word was found; null if a game with proposals does not say.")]
    proposed: Annotated[str | None, Doc("The word that was proposed.")]
    proposed_chance: Annotated[float | None, Doc("Its probability then.")]
    remark: Annotated[str, Doc("A note on the text in which the game was given, such as a missing row; or empty.")] = ""

    def __repr__(self) -> str:
        summary = f"{counted(len(self.turns), 'guess', 'guesses')}, {_END[self.solved]}"
        return line_of(self, f"of {summary}: skill {self.skill}, luck {self.luck}")

    def _repr_html_(self) -> str:
        def grade(value: int | None) -> str:
            return "" if value is None else str(value)

        rows = []
        for turn in self.turns:
            tiles, left = html_tiles(Clue.parse(turn.clue).marks, turn.guess), f"{turn.remaining_after:.4g}"
            rows.append((tiles, left, html_text(turn.best), grade(turn.skill), grade(turn.luck)))
        title = f"{_END[self.solved].capitalize()}: skill {grade(self.skill)}, luck {grade(self.luck)}"
        return html_table(title, ("guess", "answers left", "best", "skill", "luck"), rows)


def _mean(statistics: list[int | None]) -> int | None:
    """The mean of those that are not None."""
    values = [value for value in statistics if value is not None]
    return _rounded(sum(values) / len(values)) if values else None


def _rounded(value: float) -> int:
    """The nearest whole number from 0 to 99; halves are rounded up."""
    return min(max(math.floor(round(value, 6) + 0.5), 0), MOST)


def analyze(
    setting: Setting,
    turns: History,
    *,
    hard: rules.HardMode = False,
    answer: str | None = None,
    proposed: str | None = None,
    kernels: bool = False,
) -> Analysis:
    """Review each of the `turns` of a game. In `hard` mode (see `rules`) only legal guesses can be the best.

    `setting` is that of the game: ordinary Wordle is played by the rule `counted`. `answer` is for a game that was
    lost, to which the best guesses then lead, or that ended with the word `proposed`; one that is not in the list
    counts as one more. With `kernels` the compiled kernels are used, whose first use takes seconds; the
    statistics are the same.

    Raises `WordplError` if there is no turn, if no answer fits them all, if a guess breaks hard mode, and for turns
    that no game of the setting has.
    """
    instance("setting", setting, Setting)
    if not turns:
        raise WordplError("there is no guess to analyze")
    words = setting.words
    answer = answer and fold_word(answer)
    exact = rules.all_exact(setting, (turn.epsilon for turn in turns))
    rules.check_turns(setting, turns, hard, exact)
    # A false all-correct clue to another word than the answer wins nothing.
    may_win = setting.format.right_ends and answer in (None, turns[-1].guess)
    won = rules.winning_guess(setting, turns) if may_win else None
    right = turns[-1].guess if exact and turns[-1].clue == words.n_clues - 1 else None
    known, unlisted = answer or won or right, None
    if known is not None and known not in words.answer_index:
        words, unlisted = words.with_answer(known), known
        setting = replace(setting, words=words)
    beliefs = _beliefs(setting, turns, won)
    left = beliefs[-1].possible
    if answer is None and len(left) == 1:
        answer = words.answers[left[0]]
    elif answer is not None and words.answer_index[answer] not in left:
        raise WordplError(f"the answer {answer!r} does not fit the clues")
    return _Reviewer(setting, turns, hard, exact, answer, unlisted, proposed, won, kernels).analysis(beliefs)


def _beliefs(setting: Setting, turns: History, won: str | None) -> list[Posterior]:
    """The posterior before each turn and after the last, which may be that of a game won by a guess."""
    words, beliefs = setting.words, [setting.belief()]
    for number, turn in enumerate(turns, start=1):
        try:
            word = won if number == len(turns) else None
            beliefs.append(beliefs[-1].update(*turn) if word is None else rules.belief_of_win(setting, word))
        except ContradictionError:
            if impossible := rules.impossible_clue(setting, turns):
                raise WordplError(impossible) from None
            raise WordplError(
                f"no answer of {words.name} fits clue {number} ({write_turn(turn)}) and the clues before it;"
                " check guesses and clues, the word list and the repeat rule"
            ) from None
    return beliefs


@dataclass(frozen=True)
class _Reviewer:
    """Reviews the turns of one game."""

    setting: Setting
    turns: History
    hard: rules.HardMode
    exact: bool
    answer: str | None
    unlisted: str | None
    proposed: str | None
    winner: str | None
    """The guess that won a game of Wordle."""
    kernels: bool
    _bests: dict[tuple[int, float], str] = field(default_factory=dict)

    @property
    def words(self) -> WordList:
        return self.setting.words

    @cached_property
    def _steps(self) -> Steps:
        return Steps(self.words, self.setting.rule, self.hard)

    @cached_property
    def _won(self) -> bool:
        """True if the last guess was right."""
        last = self.turns[-1]
        if self.setting.format.right_ends:
            return self.winner is not None
        return math.isinf(last.epsilon) and last.clue == self.words.n_clues - 1

    @property
    def _proposes(self) -> bool:
        """True if a proposal ends the game, and not a guess."""
        return not (self.exact or self.setting.format.right_ends)

    def analysis(self, beliefs: Sequence[Posterior]) -> Analysis:
        reviews = [self._review(at, before, after) for at, (before, after) in enumerate(itertools.pairwise(beliefs))]
        solved: bool | None = self._won
        if not self._won and (self._proposes or self.proposed):
            solved = None if None in (self.answer, self.proposed) else self.proposed == self.answer
        index = self.words.answer_index.get(self.proposed or "")
        chance = None if index is None else float(beliefs[-1].probabilities[index])
        sums = {name: math.fsum(getattr(turn, name) for turn in reviews) for name in BITS}
        return Analysis(
            words=self.words.name,
            rule=self.setting.rule,
            turns=tuple(reviews),
            total=cast(Totals, {"guesses": len(reviews), **sums}),
            skill=_mean([turn.skill for turn in reviews]),
            luck=_mean([turn.luck for turn in reviews]),
            hard=self.hard,
            unlisted=self.unlisted,
            line=self._line(0, beliefs[0]),
            solved=solved,
            proposed=self.proposed,
            proposed_chance=chance,
        )

    def _review(self, at: int, before: Posterior, after: Posterior) -> ReviewedTurn:
        turn = self.turns[at]
        statistics = statistics_of(before, turn.epsilon, turn.guess)
        best = statistics_of(before, turn.epsilon, self._best(before, turn.epsilon, at))
        steps = best_steps = None
        lost = 1 - statistics.bits / best.bits if round(best.bits, DIGITS) else 0.0  # else no guess tells anything
        if (rows := self._rows_left(at)) in (1, 2):
            lost = 1 - self._win_chance(before, statistics, rows) / self._win_chance(before, best, rows)
            if self.exact:  # the rows end the game
                steps, best_steps = (rows - (rows - 1) * guess.chance for guess in (statistics, best))
                lost += max(steps - best_steps, 0.0)
        elif at and self.exact:
            here = before.possible, self._allowed(at)
            steps, best_steps = self._steps.expected(turn.guess, *here), self._steps.expected(best.word, *here)
            lost = steps - best_steps
        wasted = self._proposes and bool(before.probabilities.max() >= CERTAIN)
        leader, leader_chance = after.top
        actual = before.entropy - after.entropy
        likeliest = after.likeliest(_LIKELIEST if after.log_weights[after.possible].any() else None)
        return ReviewedTurn(
            **turn_record(turn),
            chance=statistics.chance,
            remaining_before=effective(before),
            remaining_after=effective(after),
            leader=leader,
            leader_chance=leader_chance,
            left=[self.words.answers[i] for i in likeliest],
            wasted=wasted,
            expected_bits=statistics.bits,
            actual_bits=actual,
            best=best.word,
            best_bits=best.bits,
            skill_bits=statistics.bits - best.bits,
            luck_bits=actual - statistics.bits,
            steps=steps,
            best_steps=best_steps,
            skill=_rounded(0.0 if wasted else MOST * (1 - lost)) if at else None,
            luck=_luck(before, turn, self._won and at == len(self.turns) - 1),
            line=self._line(at + 1, after),
        )

    def _rows_left(self, at: int) -> int | None:
        """The rows left after the first `at` turns; None if there is no end to them."""
        rows = self.setting.format.guesses
        return None if rows is None else rows - at

    def _win_chance(self, belief: Posterior, statistics: GuessStatistics, rows: int) -> float:
        """The chance to win by a guess, or, with two rows left, by the best guess after its clue."""
        if rows == 1:
            return statistics.chance
        return score_word(belief, self.setting.row_epsilon, statistics.word)["expected_top"]

    def _allowed(self, at: int) -> Indices:
        """The guesses of the list that may follow the first `at` turns: all answers that fit them, at least."""
        return np.flatnonzero(rules.legal_guesses(self.words.guesses, self.setting.rule, self.turns[:at], self.hard))

    def _best(self, belief: Posterior, epsilon: float, at: int) -> str:
        """The best guess after the first `at` turns, which lead to `belief`."""
        rows = self._rows_left(at)
        if rows == 1:
            return belief.top[0]
        if (at, epsilon) not in self._bests:
            criterion = "expected_top" if rows == 2 else CRITERION
            ranked = ranking(belief, epsilon, criterion, self._allowed(at), 1, kernels=self.kernels)
            self._bests[at, epsilon] = self.words.guesses[int(ranked[0])]
        return self._bests[at, epsilon]

    def _line(self, at: int, belief: Posterior) -> list[str]:
        """The best guesses after the first `at` turns."""
        rows = self._rows_left(at)
        if rows == 0 or (at == len(self.turns) and self._won):
            return []
        if self.exact and self.answer:
            return self._steps.line(self.words.answer_index[self.answer], belief.possible, self._allowed(at), rows)
        return [self._best(belief, self.turns[max(at - 1, 0)].epsilon, at)]


def _luck(before: Posterior, turn: Turn, won: bool) -> int | None:
    """The luck of the clue, compared with what the other clues to that guess would have left."""
    words, p = before.words, before.probabilities
    channel = make_channel(before.channel, turn.epsilon, words.length)
    row = clue_row(turn.guess, words, before.rule)
    true, squared = (np.bincount(row, p**power, words.n_clues) for power in (1, 2))
    win = 0.0
    if before.right_ends:
        win, true[-1], squared[-1] = float(true[-1]), 0.0, 0.0
    noisy, squares = channel.transform(true), channel.transform(squared, power=2)
    left = np.divide(noisy**2, squares, np.zeros_like(noisy), where=squares > 0)
    if not before.right_ends and math.isinf(turn.epsilon):
        left[-1] = 0.0
    # To win is one more outcome, the last, and leaves nothing.
    noisy, left = np.append(noisy, win), np.append(left, 0.0).round(6)
    code = words.n_clues if won and before.right_ends else turn.clue
    if np.count_nonzero(noisy) == 1:
        return None
    more, same = (float(noisy[where].sum()) for where in (left > left[code], left == left[code]))
    return _rounded(MOST * (more + same / 2))
