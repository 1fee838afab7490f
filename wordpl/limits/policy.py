"""Policies: strategies found by search and compiled to a table from clues to moves.

A table holds the first moves; `Policy` also says how later moves are computed and how they spend what is left of the
budget. Policies are stored as JSON, so that a change can be read. A file names the setting it was made for: word lists,
rule, channel and version of the engine. A policy refuses any other setting.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordpl.base.checks import finite_positive, fraction, instance, number, open_fraction, set_fields, whole_number
from wordpl.base.displays import counted, line_of
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import OtherFormatError, WordplError, one_line
from wordpl.base.files import StrPath, read_file, write_text
from wordpl.model.channel import channel_name
from wordpl.model.clues import Clue
from wordpl.model.names import BUNDLED
from wordpl.model.words import load_words
from wordpl.play.plan import Plan, Round
from wordpl.play.setting import Setting
from wordpl.scoring.criteria import check_order

FORMAT = 2


@dataclass(frozen=True)
class Policy:
    """Moves by the clues so far, for one budget.

    Raises `WordplError` if a number is out of range, there is no first move, or the policy does not say how to spend
    what is left after the table ends.
    """

    budget: float
    """Sum of the epsilons of a game; above 0 and finite."""
    clues: int
    """Number of clues in a game, from 1 up."""
    moves: Mapping[tuple[int, ...], tuple[str, float]]
    """From the clue codes so far to the next guess and its epsilon. The first move, at (), is required."""
    budget_fractions: tuple[tuple[float, float], ...] = ()
    """For moves that are not in the table: pairs of the entropy of the posterior in bits and the fraction of the
    remaining budget that the next clue gets, interpolated linearly and constant beyond the ends. The last clue gets all
    that remains."""
    order: float = 1.0
    """Renyi order by which such a guess is chosen: 0.1 to 20, or inf. The last guess is chosen by expected top."""
    relative_cutoff: float = 0.0
    """Answers less probable than this times the most probable one are left out of the choice of such a guess; from 0 to
    below 1."""
    made_for: Mapping[str, Any] = field(default_factory=dict)
    """The setting, as `setting_identity` gives it."""
    made_by: str = ""
    """The command that made it."""

    def __post_init__(self) -> None:
        moves, shares = self.moves.items(), self.budget_fractions
        set_fields(
            self,
            budget=finite_positive("budget", self.budget),
            clues=whole_number("clues", self.clues),
            moves={path: (guess, finite_positive(f"epsilon of {guess}", e)) for path, (guess, e) in moves},
            budget_fractions=tuple((number("entropy", b), open_fraction("budget fraction", x)) for b, x in shares),
            order=check_order(self.order),
            relative_cutoff=fraction("relative_cutoff", self.relative_cutoff),
        )
        if () not in self.moves:
            raise WordplError("the policy has no first move")
        if self.relative_cutoff == 1.0:
            raise WordplError("relative_cutoff 1 is not allowed; a number from 0 to below 1 is expected")
        entropies = [bits for bits, _ in self.budget_fractions]
        if not all(map(math.isfinite, entropies)) or entropies != sorted(set(entropies)):
            raise WordplError(f"the entropies {entropies} of the budget fractions are not finite and rising")
        if not self.budget_fractions and max(map(len, self.moves)) < self.clues - 2:
            raise WordplError("the policy does not say how to spend the rest of its budget")

    def budget_fraction(self, entropy: float) -> float:
        """Return the fraction of the remaining budget for the next clue, at a posterior of `entropy` bits."""
        bits, fractions = zip(*self.budget_fractions, strict=True)
        return float(np.interp(entropy, bits, fractions))

    def plan(self, total: float) -> Plan:
        """Return the plan by which it is exported, with its epsilons scaled to a budget of `total`."""
        early = Round.of_order(self.order, budget_fractions=self.budget_fractions, relative_cutoff=self.relative_cutoff)
        last = Round("expected_top", relative_cutoff=self.relative_cutoff)
        moves = {
            path: (guess, None if len(path) == self.clues - 1 else epsilon * total / self.budget)
            for path, (guess, epsilon) in self.moves.items()
        }
        return Plan((early,) * (self.clues - 1) + (last,), moves, budget=total)

    def check(self, setting: Setting) -> None:
        """Raise `WordplError` unless the policy was made for `setting` and this engine."""
        advice = "choose a strategy that plays without a policy, such as NGuess"
        for what, wanted in setting_identity(setting).items():
            value = self.made_for.get(what)
            if value != wanted:
                if what == "words":  # a digest says nothing to people
                    wanted = setting.words.name
                    value = next((name for name in BUNDLED if load_words(name).digest == value), value)
                raise WordplError(f"the policy was made for {what} {value!r}, not {wanted!r}; {advice}")
        for guess, _ in self.moves.values():
            if guess not in setting.words.guess_index:
                raise WordplError(f"the policy asks {guess!r}, which is not in the word list; {advice}")

    def save(self, path: StrPath) -> None:
        """Write it as JSON to the file `path`: the same bytes for the same policy. Raises `OSError` if the file cannot
        be written."""
        names = ("made_by", "budget", "clues", "order", "relative_cutoff", "budget_fractions")
        record = {"format": FORMAT, "made_for": dict(self.made_for), **{name: getattr(self, name) for name in names}}
        length = len(self.moves[()][0])
        moves = {
            " ".join(str(Clue(code, length)) for code in clues): list(move)
            for clues, move in sorted(self.moves.items())
        }
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in record.items()]
        move_lines = ",\n".join(f"    {json.dumps(clues)}: {json.dumps(move)}" for clues, move in moves.items())
        write_text(path, "\n".join(["{", *lines, '  "moves": {', move_lines, "  }", "}"]) + "\n")

    def __repr__(self) -> str:
        guess, epsilon = self.moves[()]
        size = f"{counted(len(self.moves), 'move')}, {counted(self.clues, 'clue')}, budget {self.budget:g}"
        return line_of(self, f"from {guess} at {epsilon:g}: {size}")


def setting_identity(setting: Setting) -> dict[str, Any]:
    """Return what identifies `setting`, as JSON values; a policy refuses any setting but the one it was made for."""
    instance("setting", setting, Setting)
    return {
        "words": setting.words.digest,
        "rule": setting.rule,
        "channel": channel_name(setting.channel),
        "engine": ENGINE_VERSION,
    }


def load_policy(path: StrPath) -> Policy:
    """Return the policy in the file `path`. Raises `WordplError` if the file cannot be read or holds no valid
    policy."""
    content = read_file(path, "policy")
    try:
        record = json.loads(content)
        if record["format"] != FORMAT:
            raise OtherFormatError(path, "a policy", record["format"], FORMAT)
        moves = {
            tuple(Clue.parse(clue, len(guess)).code for clue in clues.split()): (str(guess), epsilon)
            for clues, (guess, epsilon) in record["moves"].items()
        }
        plain = {name: record[name] for name in ("budget", "clues", "order", "relative_cutoff")}
        plain |= {"made_for": dict(record["made_for"]), "made_by": str(record["made_by"])}
        return Policy(moves=moves, budget_fractions=tuple(map(tuple, record["budget_fractions"])), **plain)
    except OtherFormatError:
        raise
    except KeyError as error:
        raise WordplError(f"{path} is not a policy: it has no {error}") from None
    except (WordplError, RecursionError, ValueError, TypeError, AttributeError) as error:
        raise WordplError(f"{path} is not a policy: {one_line(str(error))}") from None
