"""Orders of the rows and columns of the clue matrix, for pictures of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordpl.base.lru_cache import LruCache
from wordpl.model.clues import Codes, clue_matrix
from wordpl.model.entropy import Floats, entropy
from wordpl.model.words import WordList, letters_of
from wordpl.wordle.ranking import Indices, counts_by_clue

_DIGITS = 9  # entropies that agree to this many decimals are ties
_LETTERS = 32  # of an alphabet, the commonest; the others look like letters that no word has
_AXES = 60  # dimensions in which words are compared
_LEAF = 128  # words few enough to be put in the best order of a whole tree

_orders: LruCache[tuple[WordList, str, str, str], Indices] = LruCache(32)


def order_words(words: WordList, axis: str, by: str, rule: str) -> Indices:
    """Return the rows or the columns of the clue matrix of `words` in the order `by`: read-only indices of the words of
    `axis`, `guesses` or `answers`. `rule` is `letterwise` or `counted`. Ties go in the order of the list.

    - `word`: as in the list.
    - `entropy`: by the entropy of the exact clue if all words of the other axis are equally likely, the largest first.
    - `similarity`: words with similar clues are near each other. The distance of two words is the expected number of
      marks in which their clues differ, letter by letter. The words are divided in two at the median of the axis on
      which they differ most, again and again (Friedman, Bentley and Finkel 1977); each part of at most 128 words gets
      the optimal leaf order of its tree (Bar-Joseph, Gifford and Jaakkola 2001). The order is the same for both rules.
    """

    def make() -> Indices:
        order = np.arange(len(words.guesses if axis == "guesses" else words.answers))
        if by == "entropy":
            clues = clue_matrix(words, rule)
            bits = _entropies(clues if axis == "guesses" else clues.T, words.n_clues)
            order = np.argsort(-bits.round(_DIGITS), kind="stable")
        elif by == "similarity":
            order = _tour(_guess_points(words) if axis == "guesses" else _answer_points(words))
        order.flags.writeable = False
        return order

    return _orders.get_or_make((words, rule, axis, by), make)


def _entropies(clues: Codes, n_clues: int) -> Floats:
    """Entropy in bits of the codes of each row: [rows]."""
    rows, columns = (np.arange(size) for size in clues.shape)
    blocks = counts_by_clue(clues, n_clues, rows, columns)
    return np.concatenate([entropy(counts / len(columns), axis=1) for counts in blocks])


# Words as points whose squared distance is the expected number of differing marks


def _alphabet(words: WordList) -> NDArray[np.uint32]:
    letters, counts = np.unique(letters_of(words.guesses), return_counts=True)
    return np.sort(letters[np.argsort(-counts, kind="stable")[:_LETTERS]])


def _marks(words: WordList, letters: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether a letter at a position gets each mark, judged alone: [positions, letters, answers, 3 marks]."""
    answers = letters_of(words.answers)
    present = (answers == letters[:, np.newaxis, np.newaxis]).any(axis=2)
    correct = answers.T[:, np.newaxis, :] == letters[:, np.newaxis]
    marks = present + correct.astype(np.int8)
    return np.asarray(marks[..., np.newaxis] == np.arange(3))


def _letter_shares(words: WordList, letters: NDArray[np.uint32]) -> Floats:
    """The share of guesses that have a letter at a position: [positions, letters]."""
    return np.asarray((letters_of(words.guesses)[:, :, np.newaxis] == letters).mean(axis=0))


def _guess_points(words: WordList) -> Floats:
    """Points of the guesses: [guesses, axes]. Marks at different positions add up, so each has axes of its own."""
    letters = _alphabet(words)
    marks, shares = _marks(words, letters), _letter_shares(words, letters)
    n, typed = len(words.answers), letters_of(words.guesses)
    axes: list[tuple[float, int, Floats]] = []
    for k in range(words.length):
        # A last row for the letters that hit nothing.
        nothing = np.broadcast_to(np.arange(3) == 0, (1, n, 3))
        profile = np.concatenate([marks[k], nothing]).reshape(len(letters) + 1, -1) / np.sqrt(2 * n)
        profile -= profile.mean(axis=0)
        weight, direction = np.linalg.eigh(profile @ profile.T)
        places = direction * np.sqrt(np.maximum(weight, 0.0))
        share = np.append(shares[k], 1.0 - shares[k].sum())
        spread = share @ places**2 - (share @ places) ** 2
        axes += [(float(spread[j]), k, places[:, j]) for j in range(len(share))]
    axes.sort(key=lambda axis: -axis[0])
    index = np.searchsorted(letters, typed).clip(max=len(letters) - 1)
    index[letters[index] != typed] = len(letters)
    return np.stack([place[index[:, k]] for _, k, place in axes[:_AXES]], axis=1)


def _answer_points(words: WordList) -> Floats:
    """Points of the answers: [answers, axes]."""
    letters = _alphabet(words)
    weights = np.sqrt(_letter_shares(words, letters) / 2.0)
    profile = (weights[:, :, np.newaxis, np.newaxis] * _marks(words, letters)).transpose(2, 0, 1, 3)
    points: Floats = profile.reshape(len(words.answers), -1)
    points -= points.mean(axis=0)
    _, direction = np.linalg.eigh(points.T @ points)
    return np.asarray(points @ direction[:, ::-1][:, :_AXES])


def _tour(points: Floats) -> Indices:
    """Indices of the points in an order in which neighbours are near: [points]."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    def parts(chosen: Indices) -> list[Indices]:
        if len(chosen) > _LEAF:
            widest = int(points[chosen].var(axis=0).argmax())
            along = np.argsort(points[chosen, widest], kind="stable")
            half = len(chosen) // 2
            return parts(chosen[along[:half]]) + parts(chosen[along[half:]])
        if len(chosen) > 2:
            chosen = chosen[leaves_list(linkage(points[chosen], "average", optimal_ordering=True))]
        return [chosen]

    first, *others = parts(np.arange(len(points)))
    tour = [first]
    for part in others:
        last = points[tour[-1][-1]]
        near, far = (float(np.square(points[part[end]] - last).sum()) for end in (0, -1))
        tour.append(part if near <= far else part[::-1])
    return np.concatenate(tour)
