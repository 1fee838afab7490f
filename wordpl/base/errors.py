"""Errors that the user can correct, and how any error is put on one line."""

import difflib
import re
from collections.abc import Iterable
from numbers import Real

SOURCE, IN_SOURCE = ".", " in a clone of WORDPL"  # from where pip installs it, until docs/how-to/release.md is done
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class WordplError(ValueError):
    """A mistake in what the user gave. The message is one line: what was wrong, what is allowed."""

    def __str__(self) -> str:
        return " ".join(super().__str__().split())  # a name of a file may have line ends


class RefusedValueError(WordplError):
    """A value that is not allowed. Its arguments are what is wrong, and what is expected."""

    def __str__(self) -> str:
        return "{}; {} is expected".format(*self.args)


class ContradictionError(WordplError):
    """A noiseless clue that leaves no possible answer."""


class OtherFormatError(WordplError):
    """A file of a format that is not read. Its arguments: the file, what it is, its format, and the format read."""

    def __str__(self) -> str:
        path, kind, found, own = self.args
        return (
            f"{path} is {kind} of format {one_line(str(found), 40)}, and this wordpl reads format {own}: make it anew,"
            " or use the wordpl that made it (wordpl doctor shows what each reads)"
        )


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""


class MissingExtraError(WordplError):
    """An optional dependency is not installed. Its arguments are what needs it, with the verb, and the extra."""

    def __str__(self) -> str:
        return "{0} the extra {1!r}: pip install '{2}[{1}]'{3}".format(*self.args, SOURCE, IN_SOURCE)


class WordplWarning(UserWarning):
    """Something was left out that the user would want to know about. The message is one line."""


def closest(word: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant; None if none is near. Capitals and the dashes of options do not count."""
    plain = {name.lower().lstrip("-"): name for name in names}
    close = difflib.get_close_matches(word.lower().lstrip("-"), plain, n=1, cutoff=0.7)
    return plain[close[0]] if close else None


def nearest(word: str, choices: Iterable[str]) -> str:
    """`"did you mean 'x'? "` if a name is near, plus the choices, for the end of an error about an unknown name."""
    names = sorted(choices)
    match = closest(word, names)
    return f"{f'did you mean {match!r}? ' if match else ''}choose from {', '.join(names)}"


def error_line(error: BaseException, where: str = "") -> str:
    """The type and message of an error on one line; the type alone if its message cannot be read.

    `where` is shown first, such as the line at which it was raised.
    """
    name = f"{where}: {type(error).__name__}" if where else type(error).__name__
    try:
        return one_line(without_addresses(f"{name}: {error}"))
    except Exception:
        return one_line(name)


def one_line(text: str, max_length: int = 200) -> str:
    """`text` as one printable ASCII line of at most `max_length` characters, fit for a record or a screen.

    What is such a line already stays as it is.
    """
    start = " ".join(text.split())[: max_length + 1]
    line = "".join(letter if " " <= letter <= "~" else ascii(letter)[1:-1] for letter in start)
    return line if len(line) <= max_length else line[: max_length - 3] + "..."


def without_addresses(text: str) -> str:
    """The text of an object without the places in memory that Python puts there: they are others in each process."""
    return _ADDRESS.sub("", text)


def shown(value: object, max_length: int = 60) -> str:
    """The `repr` of a value as one printable ASCII line, fit for a record; its type where that fails."""
    try:
        # A NumPy number reads as np.float64(0.5).
        return one_line(str(value) if isinstance(value, Real) else without_addresses(repr(value)), max_length)
    except Exception:  # its own repr errs, or it is a whole number too long to print
        return f"of type {type(value).__name__}"
