"""Policies: strategies found by search and compiled to a table from clues to moves.

A table holds the first moves, a `later` part says how the rest of the budget is spent. Tables are JSON,
so that a change can be read, and name what they were made for: word lists, rule, channel and the
version of the engine. One made for anything else is refused.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.checks import finite_positive, number, whole_number
from wordpl.errors import WordplError, one_line
from wordpl.model.clues import Clue
from wordpl.model.words import BUNDLED, load_words
from wordpl.play.plan import Plan, Round
from wordpl.play.strategy import Setting
from wordpl.scoring.guess_scores import MAX_ORDER, MIN_ORDER
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name
from wordpl.storage.files import read_file, write_text

FORMAT = 1


@dataclass(frozen=True)
class Policy:
    """What to ask after which clues, for one budget."""

    budget: float
    clues: int
    """How many are asked in all."""
    moves: Mapping[tuple[int, ...], tuple[str, float]]
    """The clue codes so far -> guess and epsilon."""
    share: tuple[tuple[float, float], ...] = ()
    """For moves that are not in the table: (entropy of the posterior in bits, part of the rest of the
    budget for the next clue if it is not the last), straight lines between, level outside."""
    order: float = 1.0
    """Renyi order of the guess of such a move, unless it is for the last clue."""
    least: float = 0.0
    """Answers below this part of the most probable one play no part in the choice of such a guess."""
    made_for: Mapping[str, Any] = field(default_factory=dict)
    made_by: str = ""
    """The command that made it."""

    def __post_init__(self) -> None:
        finite_positive("budget", self.budget)
        whole_number("clues", self.clues)
        if () not in self.moves:
            raise WordplError("the policy has no first move")
        for path in self.moves:
            self._check_path(path)
        if not (MIN_ORDER <= self.order <= MAX_ORDER or self.order == math.inf):
            raise WordplError(f"order {self.order} is not allowed; {MIN_ORDER} to {MAX_ORDER:g}, or inf, is expected")
        if not 0 <= self.least < 1:
            raise WordplError(f"least {self.least!r} is not allowed; a number from 0 to below 1 is expected")
        # Closer than the smallest normal number, and the slope between them overflows.
        rising = all(high - low >= sys.float_info.min for (low, _), (high, _) in itertools.pairwise(self.share))
        if any(not (math.isfinite(at) and 0 < part < 1) for at, part in self.share) or not rising:
            raise WordplError("the shares of the policy are not parts between 0 and 1 at rising entropies")
        if not self.share and max(map(len, self.moves)) < self.clues - 2:
            raise WordplError("the policy does not say how to spend the rest of its budget")

    def _check_path(self, path: tuple[int, ...]) -> None:
        """Raise `WordplError` unless the move after these clues can be reached and paid for."""
        guess, epsilon = self.moves[path]
        finite_positive(f"epsilon of {guess}", epsilon)
        if len(path) >= self.clues:
            raise WordplError(f"the policy has a move after {len(path)} clues, but asks {self.clues} in all")
        if any(not 0 <= code < 3 ** len(guess) for code in path):
            raise WordplError(f"the policy has a move after the clue codes {path}, which are no clues to {guess!r}")
        before = [self.moves.get(path[:n]) for n in range(len(path))]
        spent = epsilon + sum(move[1] for move in before if move)
        # What an earlier move outside the table spends is a part of what is left, so it fits. The last
        # clue gets all that is left; any other must leave something.
        last = len(path) == self.clues - 1
        if spent > self.budget * (1 + 1e-9) or (not last and spent >= self.budget * (1 - 1e-9)):
            raise WordplError(
                f"the policy asks {guess} at {epsilon:g}, {spent:g} in all, which is over its budget of {self.budget:g}"
                " or leaves nothing for the clues to come"
            )

    def part_of_rest(self, entropy: float) -> float:
        """The part of the rest of the budget for the next clue, at a posterior of that entropy in bits."""
        bits, parts = zip(*self.share, strict=True)
        return float(np.interp(entropy, bits, parts))

    def plan(self, total: float) -> Plan:
        """How it is exported, its epsilons scaled to a budget of `total`."""
        early = Round.of_order(self.order, share=self.share, least=self.least)
        last = Round("expected_top", least=self.least)
        moves = {
            path: (guess, None if len(path) == self.clues - 1 else epsilon * total / self.budget)
            for path, (guess, epsilon) in self.moves.items()
        }
        return Plan((early,) * (self.clues - 1) + (last,), moves, budget=total)

    def check(self, setting: Setting) -> None:
        """Raise `WordplError` unless the policy was made for `setting` and this engine."""
        for what, found in setting_identity(setting).items():
            made = self.made_for.get(what)
            if made != found:
                if what == "words":
                    made, found = _list_name(made), setting.words.name
                raise WordplError(f"the policy was made for {what} {made!r}, not {found!r}; {self._again()}")
        for guess, _ in self.moves.values():
            if guess not in setting.words.guess_index:
                raise WordplError(f"the policy asks {guess!r}, which is not among the guesses; {self._again()}")

    def _again(self) -> str:
        return f"make one with: {self.made_by}" if self.made_by else "make one for this setting"

    def save(self, path: Path) -> None:
        """Write it as JSON, the same bytes for the same policy."""
        record = {
            "format": FORMAT,
            "made_for": dict(self.made_for),
            "made_by": self.made_by,
            "budget": self.budget,
            "clues": self.clues,
            "order": self.order,
            "least": self.least,
            "share": [list(pair) for pair in self.share],
        }
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in record.items()]
        length = len(self.moves[()][0])
        moves = [
            f"    {json.dumps(' '.join(str(Clue(code, length)) for code in clues))}: {json.dumps(list(move))}"
            for clues, move in sorted(self.moves.items())
        ]
        write_text(path, "\n".join(["{", *lines, '  "moves": {', ",\n".join(moves), "  }", "}"]) + "\n")


def _list_name(digest: object) -> object:
    """The name of the bundled list with this digest, which says more to people."""
    if not isinstance(digest, str):
        return digest
    return next((name for name in BUNDLED if load_words(name).digest == digest), f"of another list ({digest[:8]})")


def setting_identity(setting: Setting) -> dict[str, Any]:
    """What identifies a setting, as JSON values; a policy refuses any setting but the one it was made for."""
    return {
        "words": setting.words.digest,
        "rule": setting.rule,
        "channel": channel_name(setting.channel),
        "engine": ENGINE_VERSION,
    }


def load_policy(path: Path) -> Policy:
    """The policy in a file; a `WordplError` if it is not one."""
    content = read_file(path, "policy")
    try:
        return read_policy(content)
    except WordplError as error:
        raise WordplError(f"{path} is no policy: {error}") from None


def read_policy(content: bytes) -> Policy:
    """The policy that a file holds; a `WordplError` if it holds none."""
    try:
        record = json.loads(content)
        if not isinstance(record, dict):
            raise WordplError("it is no JSON object")
        if _typed(record, "format", int) != FORMAT:
            raise WordplError(f"it has format {record['format']} of policies; {FORMAT} is expected")
        moves = {
            _path(clues, guess): (guess, number(f"epsilon of {guess}", epsilon))
            for clues, (guess, epsilon) in _typed(record, "moves", dict).items()
        }
        return Policy(
            number("budget", record["budget"]),
            _typed(record, "clues", int),
            moves,
            tuple((number("entropy", bits), number("part", part)) for bits, part in _typed(record, "share", list)),
            number("order", record["order"]),
            number("least", record["least"]),
            _typed(record, "made_for", dict),
            _typed(record, "made_by", str),
        )
    except WordplError:
        raise
    except KeyError as error:
        raise WordplError(f"it has no {error}") from None
    except RecursionError:
        raise WordplError("its JSON is too deep") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise WordplError(one_line(str(error))) from None


def _path(text: str, guess: object) -> tuple[int, ...]:
    """The clue codes that the key of a move names."""
    if not isinstance(guess, str):
        raise WordplError(f"the guess after {text!r} is no word")
    clues = text.split()
    if any(len(clue) != len(guess) for clue in clues):
        raise WordplError(f"the clues {text!r} are not of the length of {guess!r}")
    return tuple(Clue.parse(clue, len(guess)).code for clue in clues)


def _typed(record: dict[str, Any], name: str, kind: type[Any]) -> Any:
    value = record[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise WordplError(f"its {name} is no {kind.__name__}")
    return value
