"""Where text becomes a strategy: the strategy library, and the reader of a user's own files.

Neither can be imported here, because both import this folder. `wordpl` registers them when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from wordpl.base.files import StrPath
    from wordpl.play.strategy import Strategy


class Spec(Protocol):
    """A parsed spec, of a class of the library or of a file: it makes a strategy once no parameter is missing."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The values that the spec gives by name."""

    @property
    def open_parameters(self) -> Mapping[str, bool]:
        """The parameters that the strategy takes and the spec does not give -> whether it needs them."""

    def build(self, **extra: Any) -> Strategy:
        """Return the strategy, with `extra` parameters added."""


library: Callable[[], Any]
"""Returns the module `wordpl.library`."""
read_file_spec: Callable[[str, str, StrPath | None], Spec]
"""Returns the spec of a strategy in a file, from its path, the call after it, and a checkout of the contest, if any."""
