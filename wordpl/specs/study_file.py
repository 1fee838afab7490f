"""Reading a study file: every mistake in it is an error of one line, with the line and column where it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from wordpl.checks import open_fraction, whole_number
from wordpl.errors import WordplError, nearest, one_line
from wordpl.model.channel import channel_family
from wordpl.model.clues import check_rule
from wordpl.model.words import BUNDLED
from wordpl.play.formats import GameFormat
from wordpl.play.referee import GAME_SECONDS, check_game_seconds
from wordpl.play.seeds import check_seed
from wordpl.simulation.sweep import check_first_trial
from wordpl.specs.grids import MOST_VALUES, Value, checked_values, item_values
from wordpl.specs.study import DEFAULT_TRIALS, MOST_TRIALS, GriddedSpec, Study, WordFiles
from wordpl.storage.files import StrPath
from wordpl.storage.toml import KeyPath, TomlFile, read_toml

SUFFIX = ".toml"
"""What the name of a study file ends in, which tells it from a strategy on the command line."""
MAX_TRIALS = 10**8
_MAX_BYTES = 1 << 20
_MOST_STRATEGIES = 1000

_TOP = ("trials", "first_trial", "seed", "game_seconds", "contest_files", "out", "game", "stop", "strategy")
_GAME = ("words", "rule", "channel", "format")
_STOP = ("until_width",)
_FILES = ("answers", "guesses")
_SPEC = "spec"

Found = TypeVar("Found")


def load_study(path: StrPath) -> Study:
    """Read a study file: strategies, grids, games, trials and stop rules, as docs/reference/formats.md describes them.

    Strategies, and the words of files, are looked at by `Study.tasks`. Raises `WordplError` for a file that cannot be
    read, and, with line and column, for one that is not TOML, an unknown key and a value that is not allowed.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "study.toml")
    ...     _ = file.write_text('trials = 101\\n[[strategy]]\\nspec = "TwoGuess()"\\nepsilon = "10:30:10"\\n')
    ...     [str(task) for task in load_study(file).tasks()]
    ['TwoGuess(epsilon=10.0)', 'TwoGuess(epsilon=20.0)', 'TwoGuess(epsilon=30.0)']
    """
    return _Reader(read_toml(path, "study", _MAX_BYTES), Path(path)).study()


class _Reader:
    """Reads the values of a file, each with the errors of its place."""

    def __init__(self, source: TomlFile, path: Path) -> None:
        self._source, self._path = source, path

    def study(self) -> Study:
        top = self._source.values
        self._known((), top, _TOP)
        game, stop = self._table("game", _GAME), self._table("stop", _STOP)
        until_width = self._read(("stop", "until_width"), stop, lambda value: open_fraction("until_width", value), None)
        return Study(
            strategies=self._strategies(),
            words=self._choices(game, "words", "original", self._words),
            rules=self._choices(game, "rule", "letterwise", self._name(check_rule)),
            channels=self._choices(game, "channel", "randomized_response", self._name(channel_family)),
            formats=self._choices(game, "format", "contest", self._format),
            trials=self._read(
                ("trials",),
                top,
                lambda value: whole_number("trials", value, 1, MAX_TRIALS),
                DEFAULT_TRIALS if until_width is None else MOST_TRIALS,
            ),
            first_trial=self._read(("first_trial",), top, lambda value: check_first_trial(value, until_width), 0),
            seed=self._read(("seed",), top, _seed, 1),
            until_width=until_width,
            game_seconds=self._read(("game_seconds",), top, check_game_seconds, GAME_SECONDS),
            contest_files=self._read(("contest_files",), top, lambda value: _path("contest_files", value), None),
            out=self._read(("out",), top, lambda value: _path("out", value), f"results/{self._path.stem}.sqlite"),
            folder=str(self._path.parent),
            source=self._source,
        )

    def _strategies(self) -> tuple[GriddedSpec, ...]:
        found = self._source.values.get("strategy", [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise self._error(("strategy",), "a strategy is a table of its own, under [[strategy]]")
        if not found:
            raise WordplError(f"{self._source.path}: no strategy; a study has at least one, under [[strategy]]")
        if len(found) > _MOST_STRATEGIES:
            raise self._error(
                ("strategy", _MOST_STRATEGIES), f"{len(found)} strategies; at most {_MOST_STRATEGIES} are allowed"
            )
        return tuple(self._strategy(("strategy", n), one) for n, one in enumerate(found))

    def _strategy(self, path: KeyPath, table: Mapping[str, Any]) -> GriddedSpec:
        if _SPEC not in table:
            raise self._error(path, "no spec; a strategy needs one, as spec = 'Greedy()'", of_key=True)
        spec = self._read((*path, _SPEC), table, lambda value: _text(_SPEC, value), "")
        names = [name for name in table if name != _SPEC]
        return GriddedSpec(spec.strip(), tuple((name, self._values((*path, name), table[name])) for name in names))

    def _values(self, path: KeyPath, value: Any) -> tuple[Value, ...]:
        """The values of a parameter."""
        parameter = str(path[-1])
        items = value if isinstance(value, list) else [value]
        found: list[Value] = []
        for n, item in enumerate(items):
            with self._placed((*path, n)):
                found += item_values(parameter, item)
            if len(found) > MOST_VALUES:
                raise self._error(path, f"{parameter} has more than {MOST_VALUES} values")
        if not found:
            raise self._error(path, f"{parameter} has no value")
        with self._placed(path):
            return checked_values(parameter, found)

    def _words(self, path: KeyPath, value: Any) -> str | WordFiles:
        if isinstance(value, dict):
            self._known(path, value, _FILES)
            if "answers" not in value:
                raise self._error(
                    path, "no answers; word lists are { answers = FILE } or { answers = FILE, guesses = FILE }"
                )
            return WordFiles(
                self._read((*path, "answers"), value, lambda one: _path("answers", one), ""),
                self._read((*path, "guesses"), value, lambda one: _path("guesses", one), None),
            )
        name = _text("words", value)
        if name not in BUNDLED:
            raise WordplError(
                f"unknown word list {one_line(name, 60)!r}: {nearest(name, BUNDLED)}; files are {{ answers = FILE }}"
            )
        return name

    def _name(self, check: Callable[[str], object]) -> Callable[[KeyPath, Any], str]:
        """A reader of a name that `check` accepts."""

        def read(path: KeyPath, value: Any) -> str:
            name = _text(str(path[1]), value)
            check(name)
            return name

        return read

    def _format(self, path: KeyPath, value: Any) -> str:
        return str(GameFormat.parse(_text("format", value)))

    def _choices(
        self, game: Mapping[str, Any], key: str, default: Found, read: Callable[[KeyPath, Any], Found]
    ) -> tuple[Found, ...]:
        """The values of a key of which there may be several, each once."""
        path = ("game", key)
        if key not in game:
            return (default,)
        values = game[key] if isinstance(game[key], list) else [game[key]]
        if not values or len(values) > MOST_VALUES:
            raise self._error(path, f"{key} has {len(values)} values; from 1 to {MOST_VALUES} are allowed")
        found = []
        for n, value in enumerate(values):
            with self._placed((*path, n)):
                found.append(read((*path, n), value))
        return tuple(dict.fromkeys(found))

    def _table(self, key: str, known: Iterable[str]) -> Mapping[str, Any]:
        table = self._source.values.get(key, {})
        if not isinstance(table, dict):
            raise self._error((key,), f"{key} is a table, under [{key}]")
        self._known((key,), table, known)
        return table

    def _known(self, path: KeyPath, table: Mapping[str, Any], known: Iterable[str]) -> None:
        for key in table:
            if key not in known:
                raise self._error(
                    (*path, key), f"unknown key {one_line(key, 60)!r}: {nearest(key, known)}", of_key=True
                )

    def _read(self, path: KeyPath, table: Mapping[str, Any], read: Callable[[Any], Found], default: Found) -> Found:
        if path[-1] not in table:
            return default
        with self._placed(path):
            return read(table[str(path[-1])])

    @contextmanager
    def _placed(self, path: KeyPath) -> Iterator[None]:
        try:
            yield
        except WordplError as error:
            # What is inside has the better place.
            raise (
                error if str(error).startswith(f"{self._source.path}, line ") else self._error(path, str(error))
            ) from None

    def _error(self, path: KeyPath, message: str, *, of_key: bool = False) -> WordplError:
        return WordplError(f"{self._source.where(path, of_key=of_key)}: {message}")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WordplError(f"{name} {one_line(repr(value), 60)} is not allowed; a text is expected")
    return value


def _path(name: str, value: Any) -> str:
    path = _text(name, value)
    if not path or "\0" in path:
        raise WordplError(f"{name} {one_line(repr(path), 60)} is not a path")
    return path


def _seed(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,78}", value):
        return check_seed(int(value))
    return check_seed(value)
