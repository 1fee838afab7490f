"""Studies: one TOML file says which strategies play which games, and how many; `wordpl sweep` plays them.

An error names the key with the mistake, such as `game.rule[2]`. Positions count from 1.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.base import checks
from wordpl.base.errors import WordplError, nearest, one_line
from wordpl.base.files import StrPath, read_text, write_text
from wordpl.model.channel import channel_family, channel_name
from wordpl.model.clues import check_rule
from wordpl.model.words import BUNDLED, WordList, load_words
from wordpl.play.formats import GameFormat
from wordpl.play.referee import GAME_SECONDS
from wordpl.play.seeds import check_seed
from wordpl.play.specs import moved_path, moved_spec, parse_spec
from wordpl.simulation.grids import MOST_VALUES, Value, checked_values, text_values, without_texts
from wordpl.simulation.sweep import check_first_trial
from wordpl.simulation.tasks import Task, make_task

if TYPE_CHECKING:
    from wordpl.play.strategy import Strategy

_MOST_TASKS, _MOST_STRATEGIES, _MAX_BYTES = 10_000, 1000, 1 << 20
_TOP = ("trials", "first_trial", "seed", "game_seconds", "contest_files", "out", "game", "stop", "strategy")
_WIDTH = 100
_LARGEST_WHOLE = 2**63 - 1
"""Every reader of TOML reads numbers up to this one."""


@dataclass(frozen=True)
class WordFiles:
    """Your own word list: the paths of text files, `answers` and `guesses`."""

    answers: str
    guesses: str | None = None
    """None if only the answers can be guessed."""

    def __post_init__(self) -> None:
        _check_path("answers", self.answers)
        _check_path("guesses", self.guesses)


@dataclass(frozen=True)
class GriddedSpec:
    """The text of a `spec`, and a grid of values for each parameter that it leaves open."""

    spec: str
    grids: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    """The values of each parameter. All combinations are played; the last parameter changes fastest."""

    def __post_init__(self) -> None:
        grids = tuple((str(name), checked_values(name, tuple(values))) for name, values in self.grids)
        checks.set_fields(self, grids=grids)


@dataclass(frozen=True)
class Study:
    """The content of a study file; `load_study` reads one.

    `strategies` are specs with their grids; `words` are lists by name or `WordFiles`; `rules`, `channels` and `formats`
    are names. `seed` is the root seed, 0 to 2**256 - 1, and `game_seconds` the CPU seconds that a strategy may think in
    a game.

    All combinations of words, rules, channels, formats and strategies are played, each strategy with all combinations
    of its grids. Paths are those of the file: relative ones start from `folder`.
    """

    strategies: tuple[GriddedSpec, ...]
    words: tuple[str | WordFiles, ...] = ("original",)
    rules: tuple[str, ...] = ("letterwise",)
    channels: tuple[str, ...] = ("randomized_response",)
    formats: tuple[str, ...] = ("contest",)
    trials: int = checks.DEFAULT_TRIALS
    """The largest number of trials of each task."""
    first_trial: int = 0
    """Number of the first trial. If several machines each play a part, each has its own."""
    seed: int = 1
    until_width: float | None = None
    """A task stops once the 95% interval of its win rate is this narrow."""
    game_seconds: float = GAME_SECONDS
    contest_files: str | None = None
    """A clone of the contest's repository, for strategies that use its files."""
    out: str = "results/sweep.sqlite"
    """The results file."""
    folder: str = "."
    file: str = field(default="", compare=False, repr=False)
    """Path of the file that it was read from; "" for none."""
    text: str = field(default="", compare=False, repr=False)
    """The text of that file."""

    def __post_init__(self) -> None:
        for name in ("strategies", "words", "rules", "channels", "formats"):
            checks.set_fields(self, **{name: tuple(checks.several(name, getattr(self, name)))})
        if not self.strategies:
            raise WordplError("a study needs at least one strategy, under [[strategy]]")
        specs = [GriddedSpec(spec) if isinstance(spec, str) else spec for spec in self.strategies]
        width = None if self.until_width is None else checks.open_fraction("until_width", self.until_width)
        checks.set_fields(
            self,
            strategies=tuple(checks.instance("strategy", spec, GriddedSpec) for spec in specs),
            trials=checks.whole_number("trials", self.trials, 1, checks.MAX_TRIALS),
            seed=check_seed(self.seed),
            game_seconds=checks.positive("game seconds", self.game_seconds),
            until_width=width,
            first_trial=check_first_trial(self.first_trial, width),
        )
        _check_path("out", self.out)
        _check_path("contest_files", self.contest_files)

    @property
    def results_file(self) -> Path:
        """Path of the results file from here."""
        return Path(moved_path(self.out, self.folder, "."))

    def tasks(self) -> list[Task]:
        """Return the tasks, each once: for each game, those of each strategy in the order of its grids.

        Raises `WordplError`, with the key of the study file, if something cannot be played: for an unknown strategy or
        parameter, a refused value, a word list or a strategy file that cannot be read, and more than 10,000 tasks.
        """
        with _at(self.file):
            n_games = math.prod(map(len, (self.words, self.rules, self.channels, self.formats)))
            n_tasks = n_games * sum(math.prod(len(values) for _, values in spec.grids) for spec in self.strategies)
            if n_tasks > _MOST_TASKS:
                raise WordplError(f"{n_tasks} tasks are too many for a study; at most {_MOST_TASKS} are allowed")
            built = []
            for n, spec in enumerate(self.strategies, 1):
                key = f"strategy[{n}]" if self.file else ""
                with _at(key):
                    built += [(key, strategy) for strategy in self._built(spec)]
            lists = [self._word_list(n, words) for n, words in enumerate(self.words, 1)]
            tasks: dict[str, Task] = {}
            for game in product(lists, self.rules, self.channels, self.formats):
                terms: dict[str, Any] = dict(zip(("words", "rule", "channel", "format"), game, strict=True))
                for key, strategy in built:
                    with _at(key):
                        task = make_task(strategy, self.seed, **terms, game_seconds=self.game_seconds)
                    tasks.setdefault(task.id, task)
            return list(tasks.values())

    def save(self, path: StrPath, *, must_be_new: bool = False) -> None:
        """Write the study to the file `path`. `load_study` reads the same tasks from it, in whatever folder it is.

        Relative paths are changed to fit that folder. Comments of the original file are lost. Raises `WordplError` if
        the file cannot be written, with `must_be_new` if it is there already, and for word lists that come through a
        pipe.
        """
        target = Path(path)
        write_text(target, "\n".join(_lines(self, target)) + "\n", must_be_new=must_be_new)

    def _built(self, gridded: GriddedSpec) -> Iterator[Strategy]:
        checkout = None if self.contest_files is None else moved_path(self.contest_files, self.folder, ".")
        spec = parse_spec(moved_spec(gridded.spec, self.folder, "."), checkout)
        names = [name for name, _ in gridded.grids]
        for name in names:
            if name in spec.parameters:
                raise WordplError(f"{gridded.spec} gives {name} already")
        for values in product(*(values for _, values in gridded.grids)):
            yield spec.build(**dict(zip(names, values, strict=True)))

    def _word_list(self, n: int, words: str | WordFiles) -> WordList:
        with _at(f"game.words[{n}]" if self.file else ""):
            if isinstance(words, str):
                return load_words(words)
            paths = (words.answers, words.guesses)
            answers, guesses = (path if path is None else moved_path(path, self.folder, ".") for path in paths)
            return load_words(answers=answers, guesses=guesses)


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Begin the messages of errors with the file, or with the key in it. "" adds nothing."""
    try:
        yield
    except WordplError as error:
        raise (WordplError(f"{place}: {error}") if place else error) from None


def load_study(path: StrPath) -> Study:
    """Read the study file at `path`: strategies, grids, games, trials and stop rules, as
    docs/reference/formats.md describes them.

    Strategies and word files are checked later, by `Study.tasks`. Raises `WordplError` for a file that cannot be read
    or is not TOML, and, with the key, for an unknown key and a value that is not allowed.
    """
    text = read_text(path, "study", _MAX_BYTES)
    with _at(str(path)):
        try:
            values = tomllib.loads(text)
        except ValueError as error:  # a mistake, or a number of thousands of digits
            raise WordplError(f"not TOML: {one_line(str(error), 120)}") from None
        except RecursionError:
            raise WordplError("arrays or tables are nested too deeply") from None
        return _read_study(values, Path(path), text)


def _read_study(values: dict[str, Any], path: Path, text: str) -> Study:
    _check_keys("", values, _TOP)
    game, stop = _table(values, "game", tuple(_GAME)), _table(values, "stop", ("until_width",))
    trials = checks.MOST_TRIALS if stop else checks.DEFAULT_TRIALS
    fields: dict[str, Any] = {"trials": trials, "out": f"results/{path.stem}.sqlite"} | stop
    fields |= {name: value for name, value in values.items() if name not in ("game", "stop", "strategy")}
    seed = values.get("seed")
    if isinstance(seed, str) and re.fullmatch(r"[0-9]{1,78}", seed):
        fields["seed"] = int(seed)
    for key, value in game.items():
        name, reader = _GAME[key]
        fields[name] = _choices(key, value if isinstance(value, list) else [value], reader)
    strategies = _strategies(values.get("strategy", []))
    return Study(strategies, **fields, folder=str(path.parent), file=str(path), text=text)


def _strategies(tables: Any) -> tuple[GriddedSpec, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise WordplError("strategy: write each strategy as a table, under [[strategy]]")
    if len(tables) > _MOST_STRATEGIES:
        raise WordplError(f"{len(tables)} strategies; at most {_MOST_STRATEGIES} are allowed")
    strategies = []
    for n, table in enumerate(tables, 1):
        key, spec, grids = f"strategy[{n}]", "", []
        if "spec" not in table:
            raise WordplError(f"{key}: spec is missing; write it as spec = 'Greedy()'")
        for name, value in table.items():
            with _at(f"{key}.{name}"):
                if name == "spec":
                    spec = _text(value).strip()
                else:
                    grids.append((name, _grid_values(name, value if isinstance(value, list) else [value])))
        strategies.append(GriddedSpec(spec, tuple(grids)))
    return tuple(strategies)


def _grid_values(parameter: str, items: list[Any]) -> tuple[Value, ...]:
    values: list[Value] = []
    for item in items:
        values += text_values(parameter, item) if isinstance(item, str) else [without_texts(parameter, item)]
        if len(values) > MOST_VALUES:
            raise WordplError(f"{parameter} has more than {MOST_VALUES} values")
    if not values:
        raise WordplError(f"{parameter} has no value")
    return checked_values(parameter, values)


def _read_words(value: Any) -> str | WordFiles:
    if isinstance(value, dict):
        _check_keys("", value, ("answers", "guesses"))
        if "answers" not in value:
            raise WordplError("answers is missing; write { answers = FILE } or { answers = FILE, guesses = FILE }")
        return WordFiles(**value)
    name = _text(value)
    if name not in BUNDLED:
        raise WordplError(
            f"unknown word list {one_line(name, 60)!r}: {nearest(name, BUNDLED)}; files are {{ answers = FILE }}"
        )
    return name


_GAME: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "words": ("words", _read_words),
    "rule": ("rules", lambda value: check_rule(_text(value))),
    "channel": ("channels", lambda value: channel_name(channel_family(_text(value)))),
    "format": ("formats", lambda value: str(GameFormat.parse(_text(value)))),
}
"""For each key of [game]: the field of a study, and the reader of one value."""


def _choices(key: str, values: list[Any], reader: Callable[[Any], Any]) -> tuple[Any, ...]:
    """The values of a key, each once."""
    if not values or len(values) > MOST_VALUES:
        raise WordplError(f"game.{key}: {key} has {len(values)} values; from 1 to {MOST_VALUES} are allowed")
    items = []
    for n, value in enumerate(values, 1):
        with _at(f"game.{key}[{n}]" if len(values) > 1 else f"game.{key}"):
            items.append(reader(value))
    return tuple(dict.fromkeys(items))


def _table(values: Mapping[str, Any], key: str, known: Sequence[str]) -> dict[str, Any]:
    table = values.get(key, {})
    if not isinstance(table, dict):
        raise WordplError(f"{key} must be a table, under [{key}]")
    _check_keys(f"{key}: ", table, known)
    return table


def _check_keys(where: str, values: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in values:
        if key not in known:
            raise WordplError(f"{where}unknown key {one_line(key, 60)!r}: {nearest(key, known)}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise WordplError(f"{one_line(repr(value), 60)} is not allowed; a text is expected")
    return value


def _check_path(name: str, path: Any) -> None:
    with _at(name):
        if path is not None and (not _text(path) or "\0" in path):
            raise WordplError(f"{one_line(repr(path), 60)} is not a path")


# Writing a file.


def _lines(study: Study, target: Path) -> Iterator[str]:
    folder = str(target.parent)

    def moved(path: str) -> str:
        return _quoted(moved_path(path, study.folder, folder))

    yield f"# wordpl sweep {target.name} runs this study."
    yield f"trials = {study.trials}"
    if study.first_trial:
        yield f"first_trial = {study.first_trial}"
    yield f"seed = {study.seed}" if study.seed <= _LARGEST_WHOLE else f'seed = "{study.seed}"'
    yield f"game_seconds = {_number(study.game_seconds)}"
    if study.contest_files is not None:
        yield f"contest_files = {moved(study.contest_files)}"
    yield f"out = {moved(study.out)}"
    yield "\n[game]"
    words = []
    for item in study.words:
        if isinstance(item, str):
            words.append(_quoted(item))
            continue
        files = [Path(moved_path(path, study.folder, ".")) for path in (item.answers, item.guesses) if path is not None]
        # Of a name that is too long, Path.exists() raises an error.
        if any(os.path.exists(file) and not os.path.isfile(file) for file in files):  # noqa: PTH110, PTH113
            raise WordplError("a study cannot name a pipe, which is read only once; save the words to a file")
        guesses = "" if item.guesses is None else f", guesses = {moved(item.guesses)}"
        words.append(f"{{ answers = {moved(item.answers)}{guesses} }}")
    yield _list("words", words)
    for key, names in (("rule", study.rules), ("channel", study.channels), ("format", study.formats)):
        yield _list(key, [_quoted(name) for name in names])
    if study.until_width is not None:
        yield f"\n[stop]\nuntil_width = {study.until_width!r}"
    for gridded in study.strategies:
        yield f"\n[[strategy]]\nspec = {_quoted(moved_spec(gridded.spec, study.folder, folder))}"
        for name, values in gridded.grids:
            key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)
            yield _list(key, [_value(name, value) for value in values])


def _list(key: str, texts: Sequence[str]) -> str:
    """A list, in several lines if it is long."""
    line = f"{key} = [{', '.join(texts)}]"
    return line if len(line) <= _WIDTH else "\n    ".join([f"{key} = [", *(f"{text}," for text in texts)]) + "\n]"


def _value(name: str, value: Value) -> str:
    """A value as TOML; `load_study` reads the same value. It reads every epsilon as a float."""
    if isinstance(value, tuple):
        return f"[{', '.join(_value(name, item) for item in value)}]"
    if value is None or isinstance(value, bool):
        return '"None"' if value is None else str(value).lower()
    if isinstance(value, str):
        with suppress(WordplError):
            if text_values(name, value) == (value,):
                return _quoted(value)
        return _quoted(repr(value))
    return _number(value) if name == "epsilon" else repr(value)


def _number(value: float) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else repr(value)


def _quoted(text: str) -> str:
    """A text as TOML. Its quotes and escapes are those of JSON, except for one letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
