"""What the declaration of a record is made of: the object that a command prints as JSON, or that a server answers.

A record is a `TypedDict`, or a dataclass that exists anyway, and each key is declared once, as
`Annotated[type, Doc("what it means")]`. mypy compares the declaration with the code that fills it. The JSON schemas,
the description of the HTTP API and the tables of the documentation are made from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias


@dataclass(frozen=True)
class Doc:
    """What a key of a record means; `choices` are the texts that it takes, if they are few."""

    text: str
    choices: tuple[str, ...] = ()

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Return the schema of the key: pydantic asks for it, and is not needed before."""
        return handler(core) | {"description": self.text} | ({"enum": list(self.choices)} if self.choices else {})


JsonEpsilon: TypeAlias = float | Literal["inf"]
"""An epsilon, or a sum of epsilons; the text `inf` for no noise."""
Interval: TypeAlias = tuple[float, float]
"""Lower and upper end."""
OpenInterval: TypeAlias = tuple[float | None, float | None]
"""Lower and upper end; None for infinity."""

Words: TypeAlias = Annotated[str, Doc("Name of the word list.")]
Rule: TypeAlias = Annotated[str, Doc("Repeat rule.", ("letterwise", "counted"))]
Spec: TypeAlias = Annotated[str, Doc("The spec in full.")]
ChannelName: TypeAlias = Annotated[str, Doc("Name of the channel.")]
Engine: TypeAlias = Annotated[int, Doc("Version of the engine.")]
