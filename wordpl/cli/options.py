"""Options that several commands share, and what they stand for.

Options that travel together are a frozen dataclass; `wordpl.cli.commands` makes options of its fields.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from typer import Option

import wordpl
from wordpl.base import checks
from wordpl.base.checks import DEFAULT_TRIALS, MAX_SEED, MAX_TRIALS, MOST_TRIALS, is_in_file
from wordpl.base.defaults import CONFIDENCE, EPSILON_GRID, GAME_SECONDS
from wordpl.base.errors import RefusedValueError, WordplError, nearest
from wordpl.cli.execution import number_of_jobs, tell_of_contest_files
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import FORMATS, PICTURE, TABLES, Kind, check_target, endings
from wordpl.model.names import BUNDLED, RULE_ACCOUNTS
from wordpl.reporting.tables import TABLE, TABLE_FORMATS, TableStyle, print_json

WORD_LISTS = {name: words.account for name, words in BUNDLED.items()}

SHARED = "Words, rule and channel"


def choice(names: Collection[str], summary: str, note: str = "", *flags: str, from_file: bool = False) -> Any:
    """An option that takes one of `names`; help lists them between summary and note, and errors name the nearest.

    If the names are keys of a mapping, help also shows what they stand for. `from_file` takes `FILE.py:Name`, too.
    """

    def parse(typed: str) -> str:
        if typed not in names and not (from_file and is_in_file(typed)):
            raise WordplError(f"unknown name {typed[:40]!r}; {nearest(typed, names)}")
        return typed

    meanings = names if isinstance(names, Mapping) else {}
    *most, last = (f"{name} ({meanings[name]})" if name in meanings else name for name in names)
    text = f"{summary}: {', '.join(most)} or {last}. {note}".strip()
    return Option(*flags, help=text, metavar="NAME", parser=parse)


def number(check: Callable[[str, object], float], kind: type[float] = float) -> Callable[[str], float]:
    """Return a reader of a number that passes a check of `wordpl.base.checks`."""

    def parse(text: str) -> float:
        try:
            return check("", checks.typed(text.strip(), kind))
        except RefusedValueError as error:
            raise WordplError(f"{error.args[1]} is expected") from None

    return parse


def game_of(text: str) -> str:
    """The canonical name of the format that an option names, of games that strategies play."""
    format = wordpl.GameFormat.parse(text).for_strategies()
    if format.every_answer:  # other numbers of games would not be with every answer
        raise WordplError(f"use wordpl score --game {replace(format, every_answer=False)} --every-answer")
    return str(format)


SEED = number(partial(checks.whole_number, minimum=0, maximum=MAX_SEED), int)
POSITIVE = number(checks.positive)
WIDTH, SHARE = number(checks.open_fraction), number(checks.fraction)


def epsilon(summary: str) -> Any:
    """The option for the epsilon of a clue."""
    return Option("--epsilon", "-e", help=summary, parser=number(checks.clue_epsilon))


def count(summary: str) -> Any:
    """The option for how many lines, clues or answers to show."""
    return Option("--count", "-k", min=1, max=100_000, help=summary)


def channel_of(text: str) -> str:
    """The canonical name of the channel that an option names; of one in a file, what was typed, with its folder."""
    name = wordpl.channel_name(wordpl.channel_family(text))
    return text if is_in_file(text) else name


def refuse_epsilon(typed: str) -> str:
    """Raise `WordplError` with what to write in place of --epsilon."""
    raise WordplError(f'the epsilon stands in the strategy, as in "Greedy(epsilon={typed})"; leave out --epsilon')


Rule: TypeAlias = Annotated[str, choice(RULE_ACCOUNTS, "How repeated letters are marked")]
Seed: TypeAlias = Annotated[int, Option(help="Draw random numbers from this seed.", parser=SEED)]
Jobs: TypeAlias = Annotated[int, Option("--jobs", "-j", min=0, help="Use N worker processes; 0 means one per core.")]
_MACHINES = "Run on a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT."
Cluster: TypeAlias = Annotated[
    str | None, Option(help=_MACHINES, metavar="ADDRESS", envvar="WORDPL_CLUSTER", show_envvar=False)
]
Json: TypeAlias = Annotated[bool, Option("--json", help="Print JSON on stdout, and nothing else there.")]
NoisyEpsilon: TypeAlias = Annotated[float, epsilon("Epsilon of each clue that has no @EPSILON; inf means no noise.")]
_GRID = f"Run at these epsilons (FIRST:LAST:STEP or numbers), such as 5:20:5,50,inf. Default: {EPSILON_GRID}."
EpsilonGrid: TypeAlias = Annotated[str | None, Option("--epsilon", "-e", help=_GRID)]
NoEpsilon: TypeAlias = Annotated[
    str | None, Option("--epsilon", "-e", hidden=True, help="Not taken.", parser=refuse_epsilon)
]
Sandboxed: TypeAlias = Annotated[bool, Option("--sandbox", help="Run the file in the sandbox, as contest submit does.")]
LEDGER = Path("results/contest.sqlite")
LedgerFile: TypeAlias = Annotated[Path, Option("--ledger", help="The file of the contest, called its ledger.")]
SUBMITTED = "A .py file, a folder with strategy.py, FILE:Name(parameter=value), or a strategy of the library."


def channel_option(summary: str) -> Any:
    return Option(help=f"How clues become noisy: {summary}", metavar="NAME", parser=channel_of)


Channel: TypeAlias = Annotated[
    str,
    channel_option(
        "randomized_response or randomized_response:12 (epsilon 12 in every clue); fibble:3 (three false marks);"
        " whole_clue; ball:1; levels:4,2,1,1,1,1 (weights by false marks); or FILE.py:Name."
    ),
]


def out(summary: str, *kinds: Kind) -> Any:
    """The option for what a command writes: a file of one of the kinds, which is checked before the command runs."""

    def check(value: Any) -> Any:
        for path in value if isinstance(value, list) else [value] if value is not None else []:
            check_target(path, kinds)
        return value

    return Option("--out", "-o", metavar="FILE", help=f"{summary} ({endings(kinds)}).", callback=check)


def table_format(note: str = "", *more: str) -> Any:
    """The option for the format of a table, one of the usual or of `more`."""
    usual = f"{note}Default: {TABLE}, or as --out ends."
    return choice((*TABLE_FORMATS, "json", *more), "How to print the table", usual)


_TRIALS = f"Play N games. Default: {DEFAULT_TRIALS}, unless another option says when to stop."


@dataclass(frozen=True)
class FormatOptions:
    """Options of a table."""

    format: Annotated[str | None, table_format()] = None
    sort: Annotated[str, Option(help="Sort rows by this column; -COLUMN sorts the largest first.")] = ""
    json: Json = False
    out: Annotated[list[Path] | None, out("Write the table to this file, and do not print it", TABLES)] = None

    def __post_init__(self) -> None:
        if len(self.forms) > 1:
            forms = " and ".join(sorted(self.forms))
            raise WordplError(f"one table cannot be {forms}; change --format, --json or --out")
        if self.sort and self.form == "json":
            raise WordplError("--json prints no table; leave out --json or --sort")

    def one(self, kind: Kind) -> Path | None:
        """The file of a kind that --out names, if it does. Raises `WordplError` for more than one."""
        files = self.every(kind)
        if len(files) > 1:
            raise WordplError(f"--out names {len(files)} files of one kind; give {files[0]} or {files[1]}")
        return files[0] if files else None

    def every(self, kind: Kind) -> list[Path]:
        """The files of a kind that --out names."""
        return [path for path in self.out or [] if path.suffix.lower() in kind]

    @property
    def forms(self) -> set[str]:
        """The formats that are asked for, also by the name of the file."""
        file = self.one(TABLES)
        # A format that no ending names goes to a file of any name.
        by_file = FORMATS[file.suffix.lower()] if file and self.format in (None, *FORMATS.values()) else None
        return {form for form in (self.format, "json" if self.json else None, by_file) if form}

    @property
    def form(self) -> str:
        """The format of the table."""
        return next(iter(self.forms), TABLE)

    def show(self, record: Callable[[], Any], table: Callable[[TableStyle], object]) -> None:
        """Print the `record` as JSON, or the `table` in its style; or write it to the file that gets the table.

        The names of the other files of --out follow."""
        file = self.one(TABLES)
        with redirect_stdout(io.StringIO()) if file else nullcontext() as text:
            if self.form == "json":
                print_json(record())
            else:
                table(TableStyle(self.form, self.sort))
        if file and text:
            from wordpl.base.files import write_text

            write_text(file, text.getvalue())
            NOTES.info("table written to %s", file)
        for path in self.out or () if self.form != "json" else ():
            if path != file:
                typer.echo(f"{'plot' if path in self.every(PICTURE) else 'results'}: {path}", err=self.form != TABLE)


@dataclass(frozen=True)
class TableOptions(FormatOptions):
    """Options of a table of statistics."""

    confidence: Annotated[float, Option(help="Confidence of the intervals.", parser=WIDTH)] = CONFIDENCE


@dataclass(frozen=True)
class FilterOptions:
    """Which tasks of results files are used."""

    strategy: Annotated[
        list[str] | None, Option(help="Use only strategies with this name, such as 'Greedy*'.", metavar="GLOB")
    ] = None
    epsilon: Annotated[
        str | None, Option("--epsilon", "-e", help="Use only these epsilons (FIRST:LAST:STEP or numbers).")
    ] = None
    channel: Annotated[str, Option(help="Use only games with this channel.", metavar="NAME")] = ""

    def filter(self) -> wordpl.simulation.TaskFilter:
        from wordpl.play.grids import epsilon_grid

        epsilons = () if self.epsilon is None else epsilon_grid(self.epsilon)
        return wordpl.simulation.TaskFilter(self.strategy or (), epsilons, self.channel)


@dataclass(frozen=True)
class WordOptions:
    """Which words."""

    section = SHARED

    words: Annotated[str | None, choice(WORD_LISTS, "Use this word list", "Default: original, or --answers.")] = None
    answers: Annotated[Path | None, Option(help="Read the answers from this file, one per line.")] = None
    guesses: Annotated[Path | None, Option(help="Read allowed guesses from this file. Default: --answers.")] = None

    def load(self) -> wordpl.WordList:
        """The list that the options name."""
        return wordpl.load_words(self.words, answers=self.answers, guesses=self.guesses)


@dataclass(frozen=True)
class ContestOptions(WordOptions):
    """Words and the contest's repeat rule."""

    rule: Rule = "letterwise"

    def terms(self) -> dict[str, Any]:
        """What the options name, by the names in `Setting` and `make_task`."""
        return {"words": self.load(), "rule": self.rule}

    def setting(self) -> wordpl.Setting:
        return wordpl.Setting(**self.terms())


@dataclass(frozen=True)
class ChannelOptions(ContestOptions):
    """Words, repeat rule and channel."""

    channel: Channel = "randomized_response"

    def terms(self) -> dict[str, Any]:
        return super().terms() | {"channel": wordpl.channel_family(self.channel)}


@dataclass(frozen=True)
class GameOptions(ChannelOptions):
    """Options of a game."""

    game: Annotated[
        str,
        Option(
            help="What ends a game: contest (a proposal), wordle:N (N guesses), wordle:N:FIRST_GUESS.", parser=game_of
        ),
    ] = "contest"

    def terms(self) -> dict[str, Any]:
        return super().terms() | {"format": wordpl.GameFormat.parse(self.game)}


@dataclass(frozen=True)
class LimitOptions:
    """Limits of a submission."""

    memory: Annotated[int, Option(min=1, max=1 << 20, help="The strategy may use N MiB of memory.")] = 2048
    start_seconds: Annotated[float, Option(help="The strategy may take X seconds to start.", parser=POSITIVE)] = 600.0
    game_seconds: Annotated[float, Option(help="Lose a game after X CPU seconds.", parser=POSITIVE)] = GAME_SECONDS

    def limits(self) -> wordpl.contest.Limits:
        usual = wordpl.contest.Limits.for_games_of(self.game_seconds)
        return replace(usual, memory=self.memory << 20, start_seconds=self.start_seconds)


@dataclass(frozen=True)
class GamesOptions:
    """Options of a run of games."""

    trials: Annotated[int | None, Option("--trials", "-n", min=1, max=MAX_TRIALS, help=_TRIALS)] = None
    seed: Seed = 1
    jobs: Jobs = 0

    @property
    def max_trials(self) -> int:
        return DEFAULT_TRIALS if self.trials is None else self.trials

    @property
    def workers(self) -> int:
        """Worker processes of a run of games; -1, without --jobs, starts them only if the run is long."""
        return number_of_jobs(self.jobs) if self.jobs else -1


@dataclass(frozen=True)
class RunOptions(GamesOptions):
    """Options of a run of games, which may end when the win rate is known well enough."""

    first_trial: Annotated[int | None, Option(min=0, help="Play from game number N on, to play part of a run.")] = None
    until_width: Annotated[
        float | None, Option(help="Stop once the interval of the win rate is narrower than X.", parser=WIDTH)
    ] = None
    cluster: Cluster = None

    @property
    def max_trials(self) -> int:
        return MOST_TRIALS if self.trials is None and self.until_width is not None else super().max_trials


@dataclass(frozen=True)
class SandboxOptions:
    """Options of games in the sandbox."""

    sandbox: Sandboxed = False
    game_seconds: Annotated[
        float | None,
        Option(help="With --sandbox: lose a game after X CPU seconds (inf: never). Default: 10.", parser=POSITIVE),
    ] = None

    def __post_init__(self) -> None:
        if self.game_seconds is not None and not self.sandbox:
            raise WordplError("--game-seconds goes with --sandbox; without it, times are shown and not judged")

    def run(self, file: str, setting: wordpl.Setting, seed: int) -> wordpl.contest.ContestRun:
        """The games of a file as `wordpl contest submit` plays them, without a rank: the seed is known."""
        submission, launcher = wordpl.contest.load_submission(file), wordpl.contest.launcher(ranked=False)
        tell_of_contest_files([submission])
        limits = wordpl.contest.Limits.for_games_of(GAME_SECONDS if self.game_seconds is None else self.game_seconds)
        return wordpl.contest.ContestRun(submission, setting, seed, limits, launcher)
