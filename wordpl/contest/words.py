"""The word files of the contest's repository, as its strategies read them from the current directory."""

from __future__ import annotations

from wordpl.model.words import WordList

_EASY_TURNS = 3


def lists(words: WordList) -> dict[str, bytes]:
    """Name -> content of `answers.txt`, `valid.txt` and `easy_words.txt`.

    Easy are the answers that the optimal tree finds in three guesses; all of them where no tree is bundled.
    """
    return {
        "answers.txt": _file(words.answers),
        "valid.txt": _file(words.guesses),
        "easy_words.txt": _file(_easy(words)),
    }


def _easy(words: WordList) -> tuple[str, ...]:
    from importlib import resources

    tree = resources.files("wordpl.model") / "data" / f"{words.name}_salet.tree"
    if not tree.is_file():
        return words.answers
    # Each line is the path of an answer: guess and clue by turns.
    paths = [line.split() for line in tree.read_text("utf-8").splitlines()]
    easy = {path[-2] for path in paths if len(path) in (4, 2 * _EASY_TURNS)}
    return tuple(sorted(easy & set(words.answers))) or words.answers


def _file(words: tuple[str, ...]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
