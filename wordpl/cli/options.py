"""Options that several commands share, and what they stand for.

Options that travel together are a frozen dataclass; `wordpl.cli.commands` makes options of its fields.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from wordpl.checks import whole_number
from wordpl.cli.completion import one_of
from wordpl.errors import WordplError, nearest

if TYPE_CHECKING:
    from wordpl.contest.submission import Submission
    from wordpl.model.channel import ChannelFamily
    from wordpl.model.words import WordList
    from wordpl.play.formats import GameFormat
    from wordpl.play.strategy import Strategy

# The choices, written down here as well so that help does not wait for the modules that know them.
WORD_LISTS = ("original", "nyt2022", "nyt2023")
CURRENT = "nyt2023"  # the newspaper's list of today, for ordinary Wordle
RULES = ("letterwise", "counted")
CHANNELS = ("randomized_response", "fibble")
NOTATIONS = ("ci.", "210", "gyb", "emoji")
CRITERIA = (
    "clue_entropy",
    "information_gain",
    "expected_top",
    "expected_remaining",
    "largest_part",
    "parts",
    "renyi",
)
HEURISTICS = ("entropy", "expected_size", "parts", "minimax", "greedy")
TIE_BREAKS = ("answer", "all_absent", "letter_entropy", "positional", "published", "none")
OBJECTIVES = ("total", "worst", "any")
INTERFACES = ("contest", "wordpl")
PLOTS = ("all", "budgets", "wins", "percentiles", "turns")
GROUPS = ("family", "words", "rule", "channel", "format", "seed", "code", "engine")
LOGS = ("auto", "none", "x", "y", "xy")

SHARED = "Words, rule and channel"
LOOK = "Look"

# With --until-width and no --trials, give up here.
_MOST_TRIALS = 1_000_000
_DEFAULT_TRIALS = 1001
MAX_TRIALS = 10**8
"""More would not fit into memory at the end of a run."""


def choice(names: Sequence[str], *flags: str, summary: str, note: str = "", section: str | None = None) -> Any:
    """An option that takes one of `names`; help lists them between summary and note, and errors name the nearest."""
    text = f"{summary}: {', '.join(names[:-1])} or {names[-1]}. {note}".strip()
    return typer.Option(
        *flags, help=text, metavar="NAME", parser=_one_of(names), autocompletion=one_of(names), rich_help_panel=section
    )


def _one_of(names: Sequence[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise typer.BadParameter(f"unknown name {text!r}: {nearest(text, names)}")
        return text

    return parse


def channel_of(text: str) -> str:
    """The canonical name of the channel that an option names."""
    name, colon, _ = text.partition(":")
    if not colon or name not in CHANNELS:
        return _one_of(CHANNELS)(text)
    from wordpl.model.channel import channel_family, channel_name

    try:
        return channel_name(channel_family(text))
    except WordplError as error:
        raise typer.BadParameter(str(error)) from None


_LISTS = f"original is of 2021 and the contest's; nyt2022 is the newspaper's first; {CURRENT} is its current one."
Words: TypeAlias = Annotated[
    str, choice(WORD_LISTS, "--words", summary="Bundled word list", note=_LISTS, section=SHARED)
]
Answers: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        help="File of answers, one per line, in place of --words.",
        metavar="FILE",
        rich_help_panel=SHARED,
    ),
]
Guesses: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--guesses",
        help="File of guesses, one per line; without it, the answers.",
        metavar="FILE",
        rich_help_panel=SHARED,
    ),
]
Rule: TypeAlias = Annotated[str, choice(RULES, "--rule", summary="Repeat rule", section=SHARED)]
CHANNEL_NAMES = one_of((*CHANNELS, *(f"fibble:{lies}" for lies in (0, 2, 3, 4, 5))))
Channel: TypeAlias = Annotated[
    str,
    typer.Option(
        "--channel",
        help=(
            f"Channel of the clues: {' or '.join(CHANNELS)}. fibble:3 is three lies in each clue,"
            " randomized_response:12 this epsilon for every clue."
        ),
        metavar="NAME",
        parser=channel_of,
        autocompletion=CHANNEL_NAMES,
        rich_help_panel=SHARED,
    ),
]
Format: TypeAlias = Annotated[
    str,
    typer.Option(
        "--format",
        help="What ends a game: contest, or wordle:N for N guesses, each a proposal; the score is the guesses used.",
        metavar="FORMAT",
        rich_help_panel=SHARED,
    ),
]
FirstGuess: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--first-guess", help="The first guess of each game of wordle:N, given.", metavar="WORD", rich_help_panel=SHARED
    ),
]
Trials: TypeAlias = Annotated[
    int | None,
    typer.Option("--trials", "-n", help="Games to play; 1001, or as many as --until-width needs.", metavar="N"),
]
Count: TypeAlias = Annotated[
    int, typer.Option("--count", "-k", min=1, max=100_000, help="How many lines to show.", metavar="N")
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", help="Root seed of all random draws.", metavar="N")]
Jobs: TypeAlias = Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0: one per core.", metavar="N")]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Run on these machines: tcp://HOST:PORT, tls://HOST:PORT or local:N.",
        metavar="ADDRESS",
        envvar="WORDPL_CLUSTER",
        show_envvar=False,
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")]
Match: TypeAlias = Annotated[
    str, typer.Option("--match", "-m", help="Only strategies or word lists that contain this text.", metavar="TEXT")
]
Where: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        help="Only tasks with these properties, as 'family=Greedy*,epsilon>=5'; repeatable.",
        metavar="CONDITIONS",
    ),
]
FirstTrial: TypeAlias = Annotated[
    int | None,
    typer.Option("--first-trial", help="Number of the first game, by default 0, for a part of a run.", metavar="N"),
]
UntilWidth: TypeAlias = Annotated[
    float | None,
    typer.Option("--until-width", help="Stop once the 95% interval of the win rate is this narrow.", metavar="WIDTH"),
]
GameSeconds: TypeAlias = Annotated[
    float | None,
    typer.Option("--game-seconds", help="CPU seconds a game may take, or inf; by default 10.", metavar="SECONDS"),
]
NoisyEpsilon: TypeAlias = Annotated[
    float,
    typer.Option("--epsilon", "-e", help="Budget of a clue that does not say its own; inf for no noise.", metavar="E"),
]
ContestFiles: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--contest-files",
        help="A checkout of the contest, for a strategy that uses its files; by default the one it lies in.",
        metavar="FOLDER",
        envvar="WORDPL_CONTEST_FILES",
        show_envvar=False,
    ),
]
Criterion: TypeAlias = Annotated[str, choice(CRITERIA, "--criterion", "-c", summary="How to rank guesses")]


def out(summary: str) -> Any:
    """The option for what a command writes."""
    return typer.Option("--out", "-o", help=summary, metavar="FILE")


@dataclass(frozen=True)
class WordOptions:
    """Which words."""

    words: Words = "original"
    answers: Answers = None
    guesses: Guesses = None

    def load(self) -> WordList:
        """The list that the options name; files go before a bundled list."""
        return word_list(self.words, self.answers, self.guesses)


@dataclass(frozen=True)
class ContestOptions(WordOptions):
    """Words and the contest's repeat rule."""

    rule: Rule = "letterwise"


@dataclass(frozen=True)
class WordleOptions(WordOptions):
    """Words and the repeat rule of ordinary Wordle."""

    rule: Rule = "counted"


@dataclass(frozen=True)
class PlayerOptions:
    """What a person plays: the defaults are those of ordinary Wordle, or of WORDPL where clues are noisy."""

    words: Annotated[
        str | None,
        choice(
            WORD_LISTS,
            "--words",
            summary="Bundled word list",
            note=f"{_LISTS} By default {CURRENT}, and original where clues are noisy.",
            section=SHARED,
        ),
    ] = None
    answers: Answers = None
    guesses: Guesses = None
    rule: Annotated[
        str | None,
        choice(
            RULES,
            "--rule",
            summary="Repeat rule",
            note="By default counted, and letterwise where clues are noisy.",
            section=SHARED,
        ),
    ] = None

    def load(self, noisy: bool) -> tuple[WordList, str]:
        """Words and rule that the options name, or those of the game."""
        from wordpl.assistant.reading import usual_rule

        words = word_list(self.words or ("original" if noisy else CURRENT), self.answers, self.guesses)
        return words, self.rule or usual_rule(noisy)


@dataclass(frozen=True)
class ChannelOptions(ContestOptions):
    """What a game is played with: words, repeat rule and channel."""

    channel: Channel = "randomized_response"
    format: Format = "contest"
    first_guess: FirstGuess = None

    def played(self) -> GameFormat:
        """The format that the options name."""
        from dataclasses import replace

        from wordpl.play.formats import GameFormat

        format = GameFormat.parse(self.format)
        return format if self.first_guess is None else replace(format, first_guess=self.first_guess.lower())

    def family(self) -> ChannelFamily:
        """The family of channels that the options name."""
        from wordpl.model.channel import channel_family

        return channel_family(self.channel)


@dataclass(frozen=True)
class GamesOptions:
    """How many games to play, and how."""

    trials: Annotated[
        int | None, typer.Option("--trials", "-n", help="Games to play; by default 1001.", metavar="N")
    ] = None
    seed: Seed = 1
    jobs: Jobs = 0
    game_seconds: GameSeconds = None

    @property
    def max_trials(self) -> int:
        """Trials to play at most."""
        return _DEFAULT_TRIALS if self.trials is None else whole_number("trials", self.trials, 1, MAX_TRIALS)

    @property
    def workers(self) -> int:
        """Worker processes."""
        return number_of_jobs(self.jobs)

    @property
    def seconds(self) -> float:
        """The clock of a game."""
        from wordpl.play.referee import GAME_SECONDS, check_game_seconds

        return GAME_SECONDS if self.game_seconds is None else check_game_seconds(self.game_seconds)


@dataclass(frozen=True)
class RunOptions(GamesOptions):
    """How many games to play, and how; or until the win rate is known well enough."""

    trials: Trials = None
    first_trial: FirstTrial = None
    until_width: UntilWidth = None
    cluster: Cluster = None

    @property
    def workers(self) -> int:
        """Worker processes on this machine."""
        return number_of_jobs(self.jobs, self.cluster)

    @property
    def max_trials(self) -> int:
        """Trials to play at most."""
        return _MOST_TRIALS if self.trials is None and self.until_width is not None else super().max_trials


def word_list(words: str, answers: Path | None, guesses: Path | None) -> WordList:
    """The list that the options name; files go before a bundled list."""
    from wordpl.model.words import load_words

    if answers is None and guesses is None:
        return load_words(words)
    return load_words(answers=answers, guesses=guesses)


def told_of(submission: Submission) -> str:
    """A line on what the contest's own files are for a submission."""
    place = f" in {submission.checkout}" if submission.checkout else "; --contest-files names a checkout of the contest"
    return f"{submission.path} {submission.contest_files}{place}"


def this_command() -> str:
    """The command line that is run, as a shell reads it: for the record of a results file, and to run it again."""
    return shlex.join(["wordpl", *sys.argv[1:]])


def tell_of_contest_files(strategy: Strategy) -> None:
    """Say on stderr what the contest's own files are for a strategy from a file, if anything."""
    submission = getattr(strategy, "submission", None)
    if submission is not None and submission.contest_files:
        typer.echo(told_of(submission), err=True)


def number_of_jobs(jobs: int, cluster: str | None = None) -> int:
    """Worker processes for `--jobs`, at most one for each core that this process may use; more would only wait.

    With the address of a cluster none are started here.
    """
    cores = len(os.sched_getaffinity(0))
    jobs = whole_number("jobs", jobs, 0)
    if cluster:
        if jobs:
            told = f"--jobs {jobs} does not count with --cluster: all workers of the cluster are used"
            typer.echo(f"wordpl: {told}", err=True)
        return 1
    if jobs > cores:
        typer.echo(f"wordpl: {cores} workers are started, not {jobs}: this process may use {cores} cores", err=True)
    return min(jobs or cores, cores)


def on_cluster(address: str | None) -> AbstractContextManager[object]:
    """Run the long jobs of the block on a cluster, if there is an address."""
    if not address:
        return nullcontext()
    from wordpl.workers.clusters import cluster

    return cluster(address)


def epsilon_grid(text: str) -> list[float]:
    """The epsilons of `5:50:5` (both ends in it), `5,10,inf`, or a mixture such as `5:20:5,50,inf`."""
    from wordpl.specs import grids

    return list(grids.epsilon_grid(text))
