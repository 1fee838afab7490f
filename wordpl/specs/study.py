"""Studies: which strategies play which games, and how many, declared in one file that `wordpl sweep` runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.checks import open_fraction, whole_number
from wordpl.displays import call_of, counted, cut, line_of
from wordpl.errors import WordplError
from wordpl.model.words import WordList, load_words
from wordpl.play.referee import GAME_SECONDS, check_game_seconds
from wordpl.play.seeds import check_seed
from wordpl.simulation.sweep import check_first_trial, make_task
from wordpl.simulation.tasks import Task
from wordpl.specs.grids import Value, checked_values, item_values
from wordpl.specs.parsing import moved_path, moved_spec, parse_spec
from wordpl.specs.study_text import study_text
from wordpl.storage.files import StrPath, write_text

if TYPE_CHECKING:
    from wordpl.play.strategy import Strategy
    from wordpl.storage.toml import TomlFile

DEFAULT_TRIALS, MOST_TRIALS = 1001, 1_000_000
"""Trials of a study that does not say how many; the second if it stops by the width of an interval."""
MOST_TASKS = 10_000


@dataclass(frozen=True)
class WordFiles:
    """Word lists of one's own: paths of text files."""

    answers: str
    guesses: str | None = None
    """None for those that are answers, and no others."""

    def __repr__(self) -> str:
        return call_of(self)


@dataclass(frozen=True)
class GriddedSpec:
    """A spec, and grids of parameters that it does not give."""

    spec: str
    grids: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    """Parameters, each with its values. All combinations are meant, and the last parameter changes fastest."""

    def __post_init__(self) -> None:
        try:
            grids = tuple((str(name), checked_values(name, tuple(values))) for name, values in self.grids)
        except (TypeError, ValueError) as error:
            if isinstance(error, WordplError):
                raise
            raise WordplError("grids are pairs of a parameter and its values, as (('epsilon', (5.0, 10.0)),)") from None
        object.__setattr__(self, "grids", grids)

    def __repr__(self) -> str:
        return call_of(self)


@dataclass(frozen=True)
class Study:
    """What a study file declares; `load_study` makes one.

    All combinations of words, rules, channels, formats and strategies are played, each strategy with all combinations
    of its grids. Paths are those of the file: relative ones start from `folder`.
    """

    strategies: tuple[GriddedSpec, ...]
    words: tuple[str | WordFiles, ...] = ("original",)
    rules: tuple[str, ...] = ("letterwise",)
    channels: tuple[str, ...] = ("randomized_response",)
    formats: tuple[str, ...] = ("contest",)
    trials: int = DEFAULT_TRIALS
    """Trials of each task, at most."""
    first_trial: int = 0
    """Number of the first trial: of a run in parts, each has its own."""
    seed: int = 1
    until_width: float | None = None
    """A task stops once the 95% interval of its win rate is this narrow."""
    game_seconds: float = GAME_SECONDS
    contest_files: str | None = None
    """A checkout of the contest, for strategies that use its files."""
    out: str = "results/sweep.sqlite"
    """The results file."""
    folder: str = "."
    source: TomlFile | None = field(default=None, compare=False, repr=False)
    """The file that it was read from."""

    def __post_init__(self) -> None:
        if not self.strategies or not all(isinstance(one, GriddedSpec) for one in self.strategies):
            raise WordplError("the strategies of a study are one GriddedSpec or more")
        object.__setattr__(self, "trials", whole_number("trials", self.trials))
        object.__setattr__(self, "seed", check_seed(self.seed))
        object.__setattr__(self, "game_seconds", check_game_seconds(self.game_seconds))
        if self.until_width is not None:
            object.__setattr__(self, "until_width", open_fraction("width", self.until_width))
        object.__setattr__(self, "first_trial", check_first_trial(self.first_trial, self.until_width))

    @property
    def results_file(self) -> Path:
        """Path of the results file from here."""
        return Path(moved_path(self.out, self.folder, "."))

    @property
    def text(self) -> str:
        """The text of the file that it was read from; "" for none."""
        return self.source.text if self.source is not None else ""

    def tasks(self) -> list[Task]:
        """Return the tasks, each once: for each game, those of each strategy in the order of its grids.

        Raises `WordplError`, with the line and column of the study file, for what cannot be played: an unknown strategy
        or parameter, a refused value, a word list or a strategy file that cannot be read, and more than 10,000 tasks.
        """
        n_games = math.prod(map(len, (self.words, self.rules, self.channels, self.formats)))
        n_tasks = n_games * sum(math.prod(len(values) for _, values in one.grids) for one in self.strategies)
        if n_tasks > MOST_TASKS:
            where = f"{self.source.path}: " if self.source is not None else ""
            raise WordplError(f"{where}{n_tasks} tasks are too many for a study; at most {MOST_TASKS} are allowed")
        built = [(n, strategy) for n, one in enumerate(self.strategies) for strategy in self._built(n, one)]
        lists = [self._word_list(n, words) for n, words in enumerate(self.words)]
        found: dict[str, Task] = {}
        for words, rule, channel, format in product(lists, self.rules, self.channels, self.formats):
            for n, strategy in built:
                with self._placed("strategy", n, "spec"):
                    task = make_task(
                        strategy,
                        self.seed,
                        words=words,
                        rule=rule,
                        channel=channel,
                        format=format,
                        game_seconds=self.game_seconds,
                    )
                found.setdefault(task.id, task)
        return list(found.values())

    def save(self, path: StrPath, *, must_be_new: bool = False) -> None:
        """Write the study to a file that `load_study` reads: the same tasks, from wherever that file lies.

        Relative paths are written anew for its folder. What a file that it was read from has in comments is lost.
        Raises `WordplError` if the file cannot be written, or with `must_be_new` if it is there already.
        """
        target = Path(path)
        write_text(target, study_text(self, target), must_be_new=must_be_new)

    def _built(self, n: int, gridded: GriddedSpec) -> Iterator[Strategy]:
        """The strategies of a spec and its grids."""
        names = [name for name, _ in gridded.grids]
        checkout = None if self.contest_files is None else moved_path(self.contest_files, self.folder, ".")
        with self._placed("strategy", n, "spec"):
            spec = parse_spec(moved_spec(gridded.spec, self.folder, "."), checkout)
        for name in names:
            if name in spec.parameters:
                with self._placed("strategy", n, name):
                    raise WordplError(f"{gridded.spec} gives {name} already")
        for values in product(*(values for _, values in gridded.grids)):
            given = dict(zip(names, values, strict=True))
            try:
                yield spec.build(**given)
            except WordplError as error:
                # The first parameter that the message names is most likely the one that is wrong.
                named = [(m.start(), name) for name in names if (m := re.search(rf"\b{re.escape(name)}\b", str(error)))]
                name = min(named)[1] if named else "spec"
                unknown = bool(named) and not spec.lacks(name)
                place = [] if unknown else self._items(n, name, given)
                with self._placed("strategy", n, name, *place, of_key=unknown):
                    raise

    def _items(self, n: int, name: str, given: Mapping[str, Value]) -> list[int]:
        """The position of the value given in the list that the file has for a parameter; empty if it has none."""
        found = self.source.values["strategy"][n].get(name) if self.source is not None else None
        if name not in given or not isinstance(found, list):
            return []
        wanted = repr(given[name])
        return [k for k, item in enumerate(found) if wanted in map(repr, item_values(name, item))][:1]

    def _word_list(self, n: int, words: str | WordFiles) -> WordList:
        with self._placed("game", "words", n):
            if isinstance(words, str):
                return load_words(words)
            paths = (words.answers, words.guesses)
            answers, guesses = (path if path is None else moved_path(path, self.folder, ".") for path in paths)
            return load_words(answers=answers, guesses=guesses)

    @contextmanager
    def _placed(self, *path: str | int, of_key: bool = False) -> Iterator[None]:
        """Add to an error the line and column of the value (or key) that it is about, if the study is a file's."""
        try:
            yield
        except WordplError as error:
            if self.source is None:
                raise
            raise WordplError(f"{self.source.where(path, of_key=of_key)}: {error}") from None

    def __repr__(self) -> str:
        name = cut(self.source.path, 80) if self.source is not None else cut(self.strategies[0].spec)
        strategies = counted(len(self.strategies), "strategy", "strategies")
        return line_of(self, f"{name}: {strategies}, {counted(self.trials, 'trial')}, seed {cut(str(self.seed), 20)}")
