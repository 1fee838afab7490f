"""What plays an exported strategy: `wordpl contest export` copies everything below this text into the file it writes.

It needs numpy alone, and decides as `wordpl` does to the last bit: the lists are sorted before use, and where two
guesses come close their scores are computed by the same sequence of roundings.
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
_NEAR = 1e-9  # scores this close, relative, are told apart by exact arithmetic
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


def _marks(epsilon: float) -> tuple[float, float]:
    """P(a mark is kept), P(it becomes one given other mark)."""
    shrink = math.exp(-(epsilon / 5))
    keep = 1.0 / (1.0 + 2.0 * shrink)
    return keep, shrink * keep


def _log_likelihood(clue: str, epsilon: float) -> np.ndarray:
    """log P(this noisy clue given each true one): [243]."""
    per_mark = epsilon / 5
    log_keep = -math.log1p(2.0 * math.exp(-per_mark))
    log_flip = log_keep - per_mark
    wrong = np.arange(1, 6)
    levels = np.concatenate([[5 * log_keep], (5 - wrong) * log_keep + wrong * log_flip])
    seen = np.array([_MARKS[mark] for mark in clue])
    return np.asarray(levels.take((seen != _DIGITS).sum(axis=1)))


class _Scores:
    """The scores of guesses against weights of answers, for a clue at `epsilon`.

    `by` is `clue_entropy`, `information_gain`, `renyi` (Arimoto's mutual information of `order`) or
    `expected_top` (the chance to be right if this clue is the last).
    """

    def __init__(self, words: _Words, weights: np.ndarray, epsilon: float, by: str, order: float) -> None:
        if by == "renyi" and abs(order - 1.0) < _NEAR:
            by = "information_gain"
        self.words, self.by, self.order = words, by, order
        self.keep, self.flip = _marks(epsilon)
        least = 0.0
        if by == "expected_top":
            # The clue is epsilon-private: an answer below e^-epsilon of the top one cannot come out above it.
            least = weights.max() * (self.flip / self.keep) ** 5 * (1.0 - _NEAR)
        self.support = np.flatnonzero((weights > 0) & (weights >= least))
        self.weights = weights[self.support]
        self.factor = 1.0
        if by == "renyi":
            self.weights = (self.weights / weights.max()) ** order
            powers = (np.array([[self.keep, self.flip], [self.flip, self.keep]]) / self.keep) ** order
            self.factor = self.keep**5
            self.keep, self.flip = float(powers[0, 0]), float(powers[0, 1])
        elif by != "expected_top":
            marks = np.array([self.keep, self.flip, self.flip])
            self.noise = 5 * (0.0 - (marks * np.log2(marks, where=marks > 0, out=np.zeros(3))).sum())

    def tables(self, guesses: np.ndarray) -> np.ndarray:
        """Sum (for `expected_top` the largest) of the weights by true clue: [guesses, 243]."""
        out = np.empty((len(guesses), _CODES))
        for start in range(0, len(guesses), _BLOCK):
            block = guesses[start : start + _BLOCK]
            bins = self.words.clues(block, self.support) + np.arange(len(block)) * _CODES
            flat = out[start : start + _BLOCK].reshape(-1)
            if self.by == "expected_top":
                flat[:] = 0.0
                for k in np.argsort(self.weights):
                    flat[bins[k]] = self.weights[k]  # the heaviest comes last, and stays
            else:
                flat[:] = np.bincount(bins.ravel(), np.repeat(self.weights, len(block)), len(flat))
        return out

    def noisy(self, tables: np.ndarray) -> np.ndarray:
        """The same by noisy clue: [243, guesses]. One mark after the other, the last first."""
        keep, flip, table = self.keep, self.flip, tables.T
        for k in range(5):
            x, y, z = np.moveaxis(table.reshape(81 // 3**k, 3, 3**k, -1), 1, 0)
            out = np.empty((81 // 3**k, 3, 3**k, table.shape[-1]))
            if self.by == "expected_top":
                flipped = flip * np.maximum(np.maximum(x, y), z)
                for i, own in enumerate((x, y, z)):
                    np.maximum(keep * own, flipped, out=out[:, i])
            else:
                flip_x, flip_y, flip_z = flip * x, flip * y, flip * z
                out[:, 0] = keep * x + flip_y + flip_z
                out[:, 1] = flip_x + keep * y + flip_z
                out[:, 2] = flip_x + flip_y + keep * z
            table = out.reshape(_CODES, -1)
        return table

    def rank(self, table: np.ndarray, axis: int) -> np.ndarray:
        """What the score grows with, of tables by clue along `axis`."""
        if self.by == "expected_top":
            return np.asarray(table.sum(axis=axis))
        if self.by == "renyi":
            return np.asarray(math.copysign(1.0, self.order - 1.0) * (table ** (1.0 / self.order)).sum(axis=axis))
        return np.asarray(0.0 - (table * np.log2(np.maximum(table, 1e-300))).sum(axis=axis))

    def exact(self, table: np.ndarray) -> np.ndarray:
        """The scores of tables by noisy clue [243, guesses], each addition where `wordpl` has it: [guesses]."""
        if self.by == "expected_top":
            return _sum_in_order(table)
        if self.by == "renyi":
            root = 1.0 / self.order
            powers = np.sqrt(table) if root == 0.5 else np.array([[p**root for p in row] for row in table.tolist()])
            bits = np.log2(_sum_in_order(powers) * self.factor) - math.log2(self.weights.sum()) / self.order
            return np.maximum(self.order / (self.order - 1.0) * bits, 0.0)
        entropy = 0.0 - _sum_in_order(_plogp(table))
        return entropy if self.by == "clue_entropy" else np.maximum(entropy - self.noise, 0.0)

    def best(self, guesses: np.ndarray) -> int:
        """The guess with the best score, the first of them on a tie."""
        tables = self.tables(guesses)
        # No noisy clue tells more than the true one does.
        bounds = np.concatenate([self.rank(tables[i : i + _BLOCK], 1) for i in range(0, len(guesses), _BLOCK)])
        if self.by == "renyi":
            bounds /= self.factor
        elif self.by != "expected_top":
            bounds += self.noise
        order = np.argsort(-bounds, kind="stable")
        ranks = np.full(len(guesses), -math.inf)
        best = -math.inf
        for start in range(0, len(guesses), _BLOCK // 2):
            some = order[start : start + _BLOCK // 2]
            some = some[bounds[some] >= best - _NEAR * abs(best)]
            if not len(some):
                break
            ranks[some] = self.rank(self.noisy(tables[some]), 0)
            best = max(best, float(ranks[some].max()))
        near = np.flatnonzero(ranks >= best - _NEAR * abs(best))
        scores = [self.exact(self.noisy(tables[near[i : i + _BLOCK]])) for i in range(0, len(near), _BLOCK)]
        return int(guesses[near[np.concatenate(scores).argmax()]])


def _sum_in_order(table: np.ndarray) -> np.ndarray:
    total = np.zeros(table.shape[1])
    for row in table:
        total += row
    return total


def _plogp(p: np.ndarray) -> np.ndarray:
    """p log2 p, by the series of 2 atanh((m-1)/(m+1)) for p = m 2^k, as wordpl's compiled code has it."""
    bits = np.ascontiguousarray(p).view(np.int64)
    k = (bits - 0x3FE6A09E667F3BCD) >> 52
    m = (bits - (k << 52)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    series = np.full_like(z, 1.0 / 21.0)
    for n in range(19, 0, -2):
        series = series * z + 1.0 / n
    return p * (k.astype(np.float64) + 2.0 * s * series * (1.0 / math.log(2.0)))


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
