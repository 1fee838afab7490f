"""The player of an exported strategy: `wordpl contest export` copies all below this text into the file it writes.

It needs numpy alone. Its scores agree with those of `wordpl` to 1e-9; the lists are sorted before use, and of guesses
whose scores differ by rounding alone it takes the first.
"""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

_CODES = 3**5  # a clue is five marks: absent, elsewhere, correct; the first is the most significant digit
_MARKS = {".": 0, "i": 1, "c": 2}
_DIGITS = np.arange(_CODES)[:, None] // 3 ** np.arange(4, -1, -1) % 3
_TIE = 1e-13  # scores this close, relative, differ by rounding alone
_BLOCK = 512  # guesses at a time, so that their tables stay in the processor's cache


class _Words:
    """The lists in the current directory, sorted, and what each letter of a guess says about each answer."""

    def __init__(self, made_for: str, name: str) -> None:
        try:
            self.answers = sorted(Path("answers.txt").read_text().split())
            self.guesses = sorted(set(Path("valid.txt").read_text().split()))
        except OSError as error:
            raise ValueError(f"{name} cannot read {error.filename} in this directory: {error.strerror}") from None
        text = "\n".join(self.answers) + "\n\n" + "\n".join(self.guesses) + "\n"
        if hashlib.sha256(text.encode()).hexdigest() != made_for:
            raise ValueError(
                f"{name} was made for other words than those of answers.txt ({len(self.answers)}) and valid.txt"
                f" ({len(self.guesses)}) in this directory; export it anew for these"
            )
        self.letters = _letters(self.guesses)
        index = {word: i for i, word in enumerate(self.guesses)}
        self.answers_as_guesses = np.array([index[word] for word in self.answers])
        letters = _letters(self.answers)
        alphabet = np.arange(26)[:, None, None]
        present = (letters == alphabet).any(axis=1).astype(np.uint8)
        # [place, letter, answer]: what it adds to the clue's code.
        self.adds = np.stack(
            [((present + (letters[k] == alphabet[:, 0])) * 3 ** (4 - k)).astype(np.uint8) for k in range(5)]
        )

    def clues(self, guesses: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Clue codes: uint8 [answers, guesses]."""
        codes = np.zeros((len(answers), len(guesses)), np.uint8)
        for k in range(5):
            codes += self.adds[k][:, answers].T.take(self.letters[k, guesses], axis=1)
        return codes

    def row(self, guess: str) -> np.ndarray:
        """Clue codes of one word against all answers: uint8 [answers]."""
        return sum((self.adds[k, ord(letter) - 97] for k, letter in enumerate(guess)), np.zeros((), np.uint8))


def _letters(words: list[str]) -> np.ndarray:
    return np.frombuffer("".join(words).encode(), np.uint8).reshape(-1, 5).T.astype(np.intp) - 97


def _log_likelihood(clue: str, epsilon: float) -> np.ndarray:
    """log P(this noisy clue given each true one): [243]."""
    wrong = (np.array([_MARKS[mark] for mark in clue]) != _DIGITS).sum(axis=1)
    return np.asarray(-5 * math.log1p(2.0 * math.exp(-epsilon / 5)) - wrong * (epsilon / 5))


class _Scores:
    """The scores of guesses against weights of answers, for a clue at `epsilon`.

    `by` is `clue_entropy`, `information_gain`, `renyi` (Arimoto's mutual information of `order`) or
    `expected_top` (the chance to be right if this clue is the last).
    """

    def __init__(self, words: _Words, weights: np.ndarray, epsilon: float, by: str, order: float) -> None:
        self.words, self.by, self.order = words, by, order
        self.support = np.flatnonzero(weights)
        self.weights = weights[self.support]
        # P(a mark is kept), P(it becomes one given other mark).
        shrink = math.exp(-epsilon / 5)
        self.keep = 1.0 / (1.0 + 2.0 * shrink)
        self.flip = shrink * self.keep
        if by == "renyi" and order == 1.0:
            self.by = "information_gain"
        elif by == "renyi":
            self.weights = (self.weights / weights.max()) ** order
            self.keep, self.flip = self.keep**order, self.flip**order

    def best(self, guesses: np.ndarray) -> int:
        """The guess with the best score, the first of them on a tie."""
        blocks = [guesses[start : start + _BLOCK] for start in range(0, len(guesses), _BLOCK)]
        scores = np.concatenate([self.scores(self.noisy(self.tables(block))) for block in blocks])
        best = scores.max()
        return int(guesses[(scores >= best - _TIE * abs(best)).argmax()])

    def tables(self, guesses: np.ndarray) -> np.ndarray:
        """Sum (for `expected_top` the largest) of the weights by true clue: [guesses, 243]."""
        bins = self.words.clues(guesses, self.support) + np.arange(len(guesses)) * _CODES
        size = len(guesses) * _CODES
        if self.by == "expected_top":
            flat = np.zeros(size)
            for k in np.argsort(self.weights):
                flat[bins[k]] = self.weights[k]  # the heaviest comes last, and stays
        else:
            flat = np.bincount(bins.ravel(), np.repeat(self.weights, len(guesses)), size).astype(float)
        return flat.reshape(-1, _CODES)

    def noisy(self, tables: np.ndarray) -> np.ndarray:
        """The same by noisy clue: [243, guesses]. One mark after the other, the last first."""
        keep, flip, table = self.keep, self.flip, tables.T
        for k in range(5):
            marks = table.reshape(81 // 3**k, 3, 3**k, -1)
            if self.by == "expected_top":
                table = np.maximum(keep * marks, flip * marks.max(axis=1, keepdims=True))
            else:
                table = (keep - flip) * marks + flip * marks.sum(axis=1, keepdims=True)
        return table.reshape(_CODES, -1)

    def scores(self, table: np.ndarray) -> np.ndarray:
        """A number with which the score grows, of tables by noisy clue [243, guesses]: [guesses]."""
        if self.by == "expected_top":
            return np.asarray(table.sum(axis=0))
        if self.by == "renyi":
            return np.asarray(math.copysign(1.0, self.order - 1.0) * (table ** (1.0 / self.order)).sum(axis=0))
        return np.asarray(-(table * np.log2(np.maximum(table, 1e-300))).sum(axis=0))


class _Exported:
    """Plays a plan and its table of first moves (see `wordpl.play.plan`). One object plays all games, one by one."""

    plans: ClassVar[list[dict[str, Any]]]

    def __init__(self, **parameters: object) -> None:
        plan = next((plan for plan in self.plans if plan["parameters"] == parameters), None)
        if plan is None:
            call = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
            there = ", ".join(plan["name"] for plan in self.plans)
            raise ValueError(f"{type(self).__name__}({call}) is not in this file, which has {there}")
        self.plan = plan
        self._words = _Words(self.plan["words"], self.plan["name"])

    def __str__(self) -> str:
        return str(self.plan["name"])

    def first_move(self) -> tuple[str, float]:
        """The first word to ask, and the budget for its clue."""
        self._clues: list[str] = []
        self._spent = 0.0
        self._log = np.zeros(len(self._words.answers))
        return self._move()

    def next_move(self, guess: str, epsilon: float, clues: str) -> tuple[str, float]:
        """The next word to ask and its budget; after enough clues the proposal and 0."""
        self._clues.append(clues)
        self._spent += epsilon
        log = _log_likelihood(clues, epsilon).take(self._words.row(guess)) + self._log
        self._log = log - log.max()
        return self._move()

    def _move(self) -> tuple[str, float]:
        asked, rounds = len(self._clues), self.plan["rounds"]
        if self._likeliest(self._log)[1] > self.plan["certainty"]:
            return self._likeliest(self._log)[0], 0
        found = self.plan["moves"].get(" ".join(self._clues))
        if found is not None:
            return found[0], self._rest() if found[1] is None else found[1]
        if asked < len(rounds):
            return self._ask(rounds[asked])
        if rounds and self.plan["endless"]:
            return self._ask(rounds[-1])
        return self._likeliest(self._log)[0], 0

    def _ask(self, round: dict[str, Any]) -> tuple[str, float]:
        """The move of a round that is not in the table."""
        log, cutoff = self._log, round["relative_cutoff"]
        if cutoff:
            log = np.where(log >= math.log(cutoff), log, -math.inf)
        epsilon = round["epsilon"]
        if epsilon is None:
            epsilon = self._rest()
            if round["budget_fractions"]:
                bits, fractions = np.array(round["budget_fractions"]).T
                epsilon *= float(np.interp(_entropy(log), bits, fractions))
        if round["by"] == "word":
            return round["word"], epsilon
        if round["by"] == "likeliest":
            return self._likeliest(log)[0], epsilon
        words = self._words
        candidates = words.answers_as_guesses if round["answers_only"] else np.arange(len(words.guesses))
        scores = _Scores(words, _probabilities(log), epsilon, round["by"], round["order"])
        return words.guesses[scores.best(candidates)], epsilon

    def _rest(self) -> float:
        return float(self.plan["budget"] - self._spent)

    def _likeliest(self, log: np.ndarray) -> tuple[str, float]:
        best = int(log.argmax())
        return self._words.answers[best], float(_probabilities(log)[best])


def _probabilities(log: np.ndarray) -> np.ndarray:
    weights = np.exp(log)
    return np.asarray(weights / weights.sum())


def _entropy(log: np.ndarray) -> float:
    p = _probabilities(log)
    return float(0.0 - (p * np.log2(p, where=p > 0, out=np.zeros_like(p))).sum())
