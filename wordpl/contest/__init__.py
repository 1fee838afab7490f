"""Scoring of strategies that are not trusted: referee and contestant in different processes.

This file imports little, since the contestant's process passes through it.
"""

from typing import TYPE_CHECKING

import lazy_loader

from wordpl.play import SPEC_READERS

if TYPE_CHECKING:
    from wordpl.play.specs import Spec


def _read_spec(text: str) -> "Spec | None":
    """Return the spec of a strategy in a file or folder, and None for other text; see `wordpl.play.SPEC_READERS`."""
    from wordpl.play.specs import path_and_call

    path, call = path_and_call(text)
    if not path:
        return None
    from wordpl.contest.file_strategy import read_file_spec

    return read_file_spec(path, call)


SPEC_READERS.append(_read_spec)

TEMPLATES = {"contest": "a plain class, as the contest has", "wordpl": "a subclass with the posterior"}
"""Starting points by interface: a class as in the contest's repository, or a `wordpl.HistoryStrategy`."""

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
