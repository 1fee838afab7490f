"""The strategy library, one file for each strategy or family: `wordpl.library.Greedy`, or
`from wordpl.library.greedy import Greedy`.

A wheel has these files in its folder library. In a clone they are in `strategies/`, beside the package, and
`wordpl/__init__.py` loads this one under its name; `from strategies.greedy import Greedy` gives the same class there.
"""

import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.play import SPEC_READERS

if TYPE_CHECKING:
    from wordpl.play.specs import Spec
    from wordpl.play.strategy import Strategy

FOLDER = Path(__file__).parent


@cache
def places() -> dict[str, str]:
    """Strategy -> its module; found in the texts of the files, as importing or parsing them all takes long."""
    # The public classes that are built upon others are strategies, as the tests hold.
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.py"))}
    del texts["common"]  # what it has is for several of them
    kind = re.compile(r"^class ([A-Z]\w*)\(", re.MULTILINE)
    return {name: f"{__name__}.{stem}" for stem, text in texts.items() for name in kind.findall(text)}


def strategies() -> "Mapping[str, type[Strategy]]":
    """Return the class of every strategy of the library, sorted by name."""
    return {name: __getattr__(name) for name in __dir__()}


def _read_spec(text: str) -> "Spec":
    """Return the spec of a strategy of the library; see `wordpl.play.SPEC_READERS`."""
    from wordpl.play.specs import literal_call, parse_named_spec

    name = literal_call(text)[0]
    classes: dict[str, Any] = {name: __getattr__(name)} if name in places() else dict.fromkeys(places())
    return parse_named_spec(text, classes)


if __name__ == "wordpl.library":
    SPEC_READERS.append(_read_spec)
else:  # as `strategies`, in a clone: the same modules, since a second copy of a class would have another identity
    for _name in sorted(file.stem for file in FOLDER.glob("[!_]*.py")):
        sys.modules[f"{__name__}.{_name}"] = import_module(f"wordpl.library.{_name}")
    sys.modules[__name__] = sys.modules["wordpl.library"]


def __getattr__(name: str) -> Any:
    """A strategy's class, whichever module it is in."""
    if name in places():
        return getattr(import_module(places()[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(places())
