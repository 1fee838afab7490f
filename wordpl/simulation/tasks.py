"""Tasks: one strategy in one setting under one root seed; how one is made, what a results file says of it, and which
of those in a file are meant."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from types import FunctionType
from typing import Annotated, Any, TypedDict

import numpy as np

from wordpl.base.checks import instance, non_negative, set_fields, several
from wordpl.base.displays import json_epsilon
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError, closest, nearest, one_line
from wordpl.base.json_types import ChannelName, Doc, Engine, InJson, JsonEpsilon, Rule, Spec, Words
from wordpl.base.sources import identity_of, sources_of
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family, channel_name, is_named
from wordpl.model.words import WordList, as_words
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.seeds import check_seed
from wordpl.play.setting import Setting
from wordpl.play.specs import as_strategy
from wordpl.play.strategy import Strategy, as_tuple

CODE_SHOWN = 8
"""Labels show so many digits of a strategy's code."""
SHARED = ("words", "rule", "channel", "format", "seed", "engine")
"""Two tasks have common trials if these properties are the same."""


@dataclass(frozen=True)
class Task:
    """One `strategy` in one `setting` under one root `seed`, 0 to 2**256 - 1; its trials are numbered from 0."""

    strategy: Strategy
    setting: Setting
    seed: int

    def __post_init__(self) -> None:
        instance("strategy", self.strategy, Strategy)
        instance("setting", self.setting, Setting).format.for_strategies()

    def __str__(self) -> str:
        return self.strategy.label

    @property
    def epsilon(self) -> float | None:
        """Budget per ask (the mean of a schedule); None if the strategy has no such parameter."""
        epsilon = getattr(self.strategy, "epsilon", None)
        return None if epsilon is None else float(np.mean(as_tuple(epsilon)))

    @cached_property
    def content(self) -> str:
        """The `content` of the strategy, as it was when the task was made."""
        return self.strategy.content

    @cached_property
    def id(self) -> str:
        """Hash of everything that determines the results, including the strategy's code (`wordpl.base.sources`)."""
        channel = self.setting.channel
        described = {
            "engine": ENGINE_VERSION,
            "strategy": self.strategy.identity,
            "words": self.setting.words.digest,
            "rule": self.setting.rule,
            "channel": channel_name(channel) + ("" if is_named(channel) else f"#{_code_of(channel)}"),
            "noiseless": self.setting.noiseless,
            "seed": str(self.seed),
        }
        _ = self.content  # from now on, in workers, too
        if self.setting.format != CONTEST:
            described["format"] = str(self.setting.format)
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:32]

    @cached_property
    def row(self) -> "TaskRow":
        """Its row in a results file."""
        strategy, setting = self.strategy, self.setting
        return TaskRow(
            id=self.id,
            strategy=strategy.label,
            code=strategy.code,
            family=strategy.family,
            epsilon=self.epsilon,
            is_schedule=isinstance(getattr(strategy, "epsilon", None), tuple),
            words=setting.words.name,
            rule=setting.rule,
            channel=channel_name(setting.channel),
            format=str(setting.format),
            noiseless=setting.noiseless,
            seed=str(self.seed),
            engine=ENGINE_VERSION,
        )


def _code_of(family: ChannelFamily) -> str:
    is_code = isinstance(family, (type, FunctionType))
    kind: Any = family if is_code else type(family)
    return identity_of(kind, sources_of(kind.__module__), [] if is_code else [family])


@dataclass(frozen=True)
class TaskRow:
    """A task as it is in a results file, with the number of its `trials` there."""

    id: Annotated[str, Doc("Id of the task.")]
    strategy: Spec
    code: Annotated[str, Doc("Digest of the strategy's code; empty in old files.")]
    family: Annotated[str, Doc("The spec without its epsilon.")]
    epsilon: Annotated[
        float | None,
        InJson(json_epsilon, JsonEpsilon | None),
        Doc("Budget per ask (the mean of a schedule); null if the strategy has no such parameter."),
    ]
    is_schedule: Annotated[bool, Doc("True if the strategy has an epsilon for each ask.")]
    words: Words
    rule: Rule
    channel: ChannelName
    format: Annotated[
        str,
        Doc(
            "Format of a game: contest, or wordle:N for N guesses, with the first guess if it is given; and (every"
            " answer) if trial i has answer number i of the list."
        ),
    ]
    noiseless: Annotated[bool, Doc("True if clues may be without noise.")]
    seed: Annotated[str, Doc("Root seed: digits, as text, because it can be longer than a number may be.")]
    engine: Engine
    trials: int = 0

    @property
    def curve(self) -> str:
        """The strategy of a curve over epsilons, without its epsilon, unless it has one for each ask."""
        return self.strategy if self.is_schedule else self.family


def distinct_labels(labels: Sequence[str], tasks: Sequence[TaskRow]) -> list[str]:
    """Return labels of tasks, with what else tells them apart where two are alike: code, engine or id."""
    labels = list(labels)
    # The code always differs between strategies, so it is shown nowhere else.
    for field, before in (("code", "code "), ("engine", "engine "), ("id", "task ")):
        values = [str(getattr(task, field))[:CODE_SHOWN] for task in tasks]
        kinds = Counter(label for label, _ in {*zip(labels, values, strict=True)})
        labels = [
            f"{label}, {before}{value}" if kinds[label] > 1 else label
            for label, value in zip(labels, values, strict=True)
        ]
    return labels


@dataclass(frozen=True)
class TaskFilter:
    """Conditions on tasks, all of which must hold. Without conditions, every task is meant.

    - `strategies`: Patterns, one of which the spec matches, or its part before the parentheses; every spec if there are
      none. `*` stands for any letters, `?` for one. Case does not matter.
    - `epsilons`: Epsilons that are meant; every one if there are none.
    - `channel`: Name of the channel; every one if empty.
    - `contains`: Text in the spec, the curve or the name of the word list; one of several, as in `Two, NGuess` or
      `Two or NGuess`. Case does not matter. A comma within parentheses parts nothing.
    """

    strategies: Sequence[str] = ()
    epsilons: Sequence[float] = ()
    channel: str = ""
    contains: str = ""

    def __post_init__(self) -> None:
        epsilons = tuple(non_negative("epsilon", epsilon) for epsilon in several("epsilons", self.epsilons))
        set_fields(self, strategies=tuple(several("strategies", self.strategies)), epsilons=epsilons)

    def holds(self, task: TaskRow) -> bool:
        """True if a task meets all conditions."""
        names = (task.strategy, task.family, task.strategy.partition("(")[0])
        parts = [part.strip() for part in re.split(r" or |,(?![^(]*\))", self.contains.casefold()) if part.strip()]
        epsilon, text = task.epsilon, f"{task.strategy} {task.curve} {task.words}".casefold()
        return (
            any(matches(name, pattern) for name in names for pattern in self.strategies or ("*",))
            and (not self.epsilons or any(epsilon is not None and math.isclose(epsilon, one) for one in self.epsilons))
            and self.channel in ("", task.channel)
            and any(part in text for part in parts or [""])
        )

    def nothing(self, tasks: Sequence[TaskRow]) -> str:
        """The reason for which none of `tasks` is meant, with what there is; "" if one is."""
        if not tasks or any(map(self.holds, tasks)):
            return ""
        epsilons = ",".join(f"{epsilon:g}" for epsilon in self.epsilons)
        typed = {"strategy": " or ".join(self.strategies), "epsilon": epsilons, "channel": self.channel}
        conditions = [f"{name} {value}" for name, value in typed.items() if value]
        names = {task.family.partition("(")[0] for task in tasks}
        near = next(filter(None, (closest(pattern, names) for pattern in self.strategies)), None)
        hint = f"did you mean {near!r}? " if near else f"its strategies are {', '.join(sorted(names))}"
        return one_line(f"no task has {' and '.join(conditions)}; {hint}", 300)


ALL_TASKS = TaskFilter()


def matches(text: str, pattern: str) -> bool:
    """True if a pattern matches a whole text: `*` stands for any letters, `?` for one. Case does not matter."""
    # Names have square brackets of their own, so none is a set of letters here.
    return fnmatchcase(text.casefold(), pattern.casefold().replace("[", "[[]"))


class TaskTerms(TypedDict, total=False):
    """The game that a strategy plays, as keywords of `make_task`, which says what they mean."""

    words: WordList | str
    rule: str
    channel: ChannelFamily | str
    format: GameFormat | str


def terms_of(setting: Setting) -> TaskTerms:
    """Return the terms of a game in `setting`."""
    return {"words": setting.words, "rule": setting.rule, "channel": setting.channel, "format": setting.format}


def make_task(
    strategy: Strategy | str,
    seed: int = 1,
    *,
    words: WordList | str = "original",
    rule: str = "letterwise",
    channel: ChannelFamily | str = RandomizedResponse,
    format: GameFormat | str = CONTEST,
) -> Task:
    """Make the task of playing `strategy`, an object or a spec, under the root seed `seed`, 0 to 2**256 - 1.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`; `channel` is a channel family or the
    name of one in `CHANNELS`. Asks at epsilon = inf are allowed if the strategy is `noiseless`. `format` is a
    `GameFormat` or its text, such as "wordle:8".

    Raises `WordplError` for a strategy whose fields cannot be hashed or that cannot play in this setting, an unknown
    word list, rule, channel or format, and a seed out of range. In the format of Wordle the epsilon of a
    guess is that of the channel, so a strategy with another epsilon cannot play.
    """
    strategy = as_strategy(strategy)
    setting = Setting(as_words(words), rule, channel_family(channel), strategy.noiseless, GameFormat.parse(format))
    task = Task(strategy, setting, check_seed(seed))
    try:  # whether results can be filed under it
        hash(strategy)
        _ = task.id, strategy.family
    except TypeError as error:
        raise WordplError(
            f"{type(strategy).__name__} cannot be told from other strategies ({error});"
            " write @dataclass(frozen=True, repr=False) above the class and give it hashable fields"
        ) from None
    epsilon = getattr(strategy, "epsilon", None)
    of_channel = getattr(setting.channel, "row_epsilon", None)
    fixed = of_channel is not None or setting.format.is_wordle
    if fixed and epsilon is not None and set(as_tuple(epsilon)) != {setting.row_epsilon}:
        game = f"channel {channel_name(setting.channel)}" if of_channel is not None else f"game {setting.format}"
        raise WordplError(
            f"{strategy.label} has epsilon {epsilon}, and each clue of {game} has epsilon {setting.row_epsilon};"
            f" write epsilon={setting.row_epsilon} in the strategy"
            + ("" if of_channel is not None else ", or name channel randomized_response:E for clues at epsilon E")
        )
    strategy.check(setting)
    return task


def as_task(
    task: Task | Strategy | str, seed: int | None = None, terms: TaskTerms | None = None, caller: str = ""
) -> Task:
    """Return the task, or that of a strategy or a spec, under the root seed `seed` (None: 1) and these `terms`.

    `caller` is the name of the function that was called. Raises `WordplError` as `make_task` does, for an unknown
    term, and for a seed or a term beside a task, which has its own.
    """
    given = terms or {}
    for name in given:
        if name not in TaskTerms.__annotations__:
            raise WordplError(f"{caller}() has no argument {name!r}: {nearest(name, TaskTerms.__annotations__)}")
    if not isinstance(task, Task):
        return make_task(task, 1 if seed is None else seed, **given)
    if own := [*(["seed"] if seed is not None else []), *given]:
        raise WordplError(f"{caller}() got {own[0]} beside a task, which has its own; leave it out")
    return replace(task)  # a copy finds its id anew: a file may have been edited since the other was asked for
