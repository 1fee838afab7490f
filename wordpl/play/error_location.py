"""Where in a strategy's own code an error came about."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

from wordpl.errors import one_line

_PACKAGE = Path(__file__).parents[1]
_STANDARD_LIBRARY = Path(os.__file__).parent
_LONGEST_LINE, _LONGEST_NAME = 200, 60


def with_place(line: str, error: BaseException) -> str:
    """`line`, which tells of an error, and the place in the strategy's own code, cut to 200 characters in all."""
    place = raised_at(error)
    end = f" ({place})" if place else ""
    room = _LONGEST_LINE - len(end)
    return (line if len(line) <= room else line[: room - 3] + "...") + end


def raised_at(error: BaseException) -> str:
    """`mine.py, line 12`: the last line of the strategy's own code on the way to an error; "" if none of it is.

    The folder is left out, so that results do not depend on where the strategy lies.
    """
    outside = [
        (Path(frame.f_code.co_filename), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not _is_ours(Path(frame.f_code.co_filename))
    ]
    # A strategy may be installed beside the libraries that it uses: then its own code is what we have called.
    own = [place for place in outside if not _is_library(place[0])][-1:] or outside[:1]
    return "".join(f"{one_line(path.name, _LONGEST_NAME)}, line {line}" for path, line in own)


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(_PACKAGE) and not path.is_relative_to(_PACKAGE / "library")


def _is_library(path: Path) -> bool:
    return (
        path.is_relative_to(_STANDARD_LIBRARY)
        or not {"site-packages", "dist-packages"}.isdisjoint(path.parts)
        or path.name.startswith("<frozen ")
    )
