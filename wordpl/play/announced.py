"""Where text becomes a strategy: the strategy library, and the reader of a user's own files.

Neither may be imported from here, as both are built upon this folder. `wordpl` announces them when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordpl.base.files import StrPath
    from wordpl.play.specs import Spec

library: Callable[[], Any]
"""Returns the module `wordpl.library`."""
read_file_spec: Callable[[str, str, StrPath | None], Spec]
"""Returns the spec of a strategy in a file, from its path, the call after it, and a checkout of the contest, if any."""
