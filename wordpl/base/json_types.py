"""Parts of the declaration of a record: the object that a command prints as JSON, or that a server answers.

A record is a dataclass, or a `TypedDict` where nothing else needs the object. Each key is declared once, as
`Annotated[type, Doc("what it means")]`. mypy compares the declaration with the code that fills it. The JSON schemas,
the description of the HTTP API and the tables of the documentation are made from it, and `json_of` makes the JSON.
"""

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

from wordpl.base.displays import finite


@dataclass(frozen=True)
class Doc:
    """Meaning of a key of a record; `choices` are the texts that it takes, if they are few."""

    text: str
    choices: tuple[str, ...] = ()

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Return the schema of the key: pydantic asks for it, and is not needed before."""
        return handler(core) | {"description": self.text} | ({"enum": list(self.choices)} if self.choices else {})


@dataclass(frozen=True)
class InJson:
    """A note on a field of a dataclass: in JSON it is what `convert` makes of it, a value of type `kind`."""

    convert: Callable[[Any], Any]
    kind: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return what pydantic takes the field for: its value in JSON."""
        return handler.generate_schema(self.kind)


def json_of(value: Any) -> Any:
    """Return a dataclass, or lists and dicts of dataclasses, as plain JSON values."""
    if is_dataclass(type(value)):
        return {name: _converter(hint)(getattr(value, name)) for name, hint in _hints(type(value)).items()}
    if isinstance(value, dict):
        return {key: json_of(item) for key, item in value.items()}
    return list(map(json_of, value)) if isinstance(value, (list, tuple)) else value


_hints: Callable[[Any], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))


def _converter(hint: Any) -> Callable[[Any], Any]:
    """The function that makes JSON of a field with this hint."""
    return next((note.convert for note in getattr(hint, "__metadata__", ()) if isinstance(note, InJson)), json_of)


JsonEpsilon: TypeAlias = float | Literal["inf"]
"""An epsilon, or a sum of epsilons; the text `inf` for no noise."""
Interval: TypeAlias = tuple[float, float]
"""Lower and upper end."""
OpenInterval: TypeAlias = tuple[float | None, float | None]
"""Lower and upper end; None for infinity."""
InfAsNull: TypeAlias = Annotated[float, InJson(finite, float | None)]
"""A field that is null in JSON if it is infinite or no number, such as a percentile that is not reached."""

Words: TypeAlias = Annotated[str, Doc("Name of the word list.")]
Rule: TypeAlias = Annotated[str, Doc("Repeat rule.", ("letterwise", "counted"))]
Spec: TypeAlias = Annotated[str, Doc("The spec in full.")]
ChannelName: TypeAlias = Annotated[str, Doc("Name of the channel.")]
Engine: TypeAlias = Annotated[int, Doc("Version of the engine.")]
