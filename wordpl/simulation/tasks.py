"""Tasks: one strategy in one setting under one root seed, and what a results file says of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from wordpl.base.checks import instance
from wordpl.base.engine import ENGINE_VERSION as ENGINE_VERSION
from wordpl.base.errors import WordplError
from wordpl.base.fingerprint import running_digest, value_digest
from wordpl.model.channel import channel_name as channel_name
from wordpl.model.channel import is_named
from wordpl.play.referee import GAME_SECONDS
from wordpl.play.setting import Setting
from wordpl.play.strategy import Strategy, as_tuple


@dataclass(frozen=True)
class Task:
    """One `strategy` in one `setting` under one root `seed`, 0 to 2**256 - 1; its trials are numbered from 0."""

    strategy: Strategy
    setting: Setting
    seed: int
    game_seconds: float = GAME_SECONDS
    """CPU seconds that the strategy may think in one game (`wordpl.play.referee`)."""

    def __post_init__(self) -> None:
        instance("strategy", self.strategy, Strategy)
        instance("setting", self.setting, Setting)

    def __str__(self) -> str:
        return self.strategy.label

    @property
    def epsilon(self) -> float | None:
        """Budget per ask (the mean of a schedule); None if the strategy has no such parameter."""
        epsilon = getattr(self.strategy, "epsilon", None)
        return None if epsilon is None else float(np.mean(as_tuple(epsilon)))

    @cached_property
    def id(self) -> str:
        """Hash of everything that determines the results, the strategy's code included (`wordpl.base.fingerprint`)."""
        channel = self.setting.channel
        described = {
            "engine": ENGINE_VERSION,
            "strategy": self.strategy.identity,
            "words": self.setting.words.digest,
            "rule": self.setting.rule,
            "channel": channel_name(channel) + ("" if is_named(channel) else f"#{value_digest(channel)}"),
            "noiseless": self.setting.noiseless,
            "seed": str(self.seed),
            "cpu_seconds": self.game_seconds,
        }
        if self.setting.format.is_wordle:
            described["format"] = str(self.setting.format)
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class TaskRow:
    """A task as a results file has it: its `id`, the spec of its `strategy`, `words`, `rule`, `channel`, `noiseless`,
    `seed` and `engine` as in the task, and how many of its `trials` are there."""

    id: str
    strategy: str
    code: str
    """Tells strategies of one spec apart (`Strategy.code`)."""
    family: str
    """The strategy's spec without its epsilon."""
    epsilon: float | None
    """Budget per ask (the mean of a schedule); None if the strategy has no such parameter."""
    is_schedule: bool
    """Whether the strategy has an epsilon for each ask, so that no single one tells it from others."""
    words: str
    rule: str
    channel: str
    format: str
    """As `GameFormat.parse` reads it."""
    noiseless: bool
    seed: str
    engine: int
    trials: int = 0

    @property
    def curve(self) -> str:
        """What a curve over epsilons is of: the strategy without its epsilon, unless it has one for each ask."""
        return self.strategy if self.is_schedule else self.family


def task_row(task: Task, trials: int = 0) -> TaskRow:
    """Return the row of a task in a results file."""
    strategy = task.strategy
    return TaskRow(
        id=task.id,
        strategy=strategy.label,
        code=strategy.code,
        family=strategy.family,
        epsilon=task.epsilon,
        is_schedule=isinstance(getattr(strategy, "epsilon", None), tuple),
        words=task.setting.words.name,
        rule=task.setting.rule,
        channel=channel_name(task.setting.channel),
        format=str(task.setting.format),
        noiseless=task.setting.noiseless,
        seed=str(task.seed),
        engine=ENGINE_VERSION,
        trials=trials,
    )


class OtherCodeError(WordplError):
    """A worker process has other code of a strategy than the process that asks it to play."""


class Code(NamedTuple):
    """What tells the code, and the content of the files, with which a process plays a strategy."""

    loaded: str
    content: str


_ours: set[str] = set()
"""Code that this process was found to have: it is compared once, because a strategy that plays changes none."""


def code_here(strategy: Strategy, setting: Setting) -> Code:
    """What this process would play with."""
    code = Code(f"{ENGINE_VERSION} {running_digest(strategy, setting.channel)}", strategy.content)
    _ours.add(code.loaded)
    return code


def check_code(code: Code, strategy: Strategy, setting: Setting) -> None:
    """Raise `OtherCodeError` in a process that would play with other code than `code`, which another one has sent."""
    if code.loaded in _ours and strategy.content == code.content:
        return
    if code_here(strategy, setting) != code:
        raise OtherCodeError(
            f"worker processes load other code or data for {strategy.label} than this process has: a file was edited,"
            " or a value of a module set by hand; reload it (importlib.reload) or start anew"
        )
