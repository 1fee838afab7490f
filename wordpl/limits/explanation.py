"""Effect of one clue at an epsilon, in the few numbers that explain it, with noisy clues to look at."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from wordpl.base.checks import non_negative, whole_number
from wordpl.base.defaults import NOISY_CLUES, SEED
from wordpl.base.displays import json_epsilon, line_of
from wordpl.base.errors import WordplError
from wordpl.base.json_types import ChannelName, Doc, InfAsNull, InJson, JsonEpsilon, Rule, json_of
from wordpl.limits.privacy import privacy_of
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family, channel_name, make_channel
from wordpl.model.clues import Clue, clue, clues_at_distance
from wordpl.model.words import fold_word
from wordpl.play.seeds import Seeds, check_seed

MOST_CLUES = 4
"""Up to so many clues, an explanation says what they promise together."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """Effect of one clue of a `channel`, under a repeat `rule`. `epsilon`, `odds` and `mark_odds` may be inf."""

    channel: ChannelName
    epsilon: Annotated[float, InJson(json_epsilon, JsonEpsilon), Doc("Budget of the clue.")]
    mark_is_true: Annotated[float, Doc("Probability that a mark is true.")]
    clue_is_true: Annotated[float, Doc("Probability that all marks of a clue are true.")]
    false_marks: Annotated[float, Doc("Mean number of false marks in a clue.")]
    capacity: Annotated[float, Doc("Bits that a clue can tell, at most.")]
    exact_capacity: Annotated[float, Doc("Bits that a clue without noise can tell, at most.")]
    odds: Annotated[InfAsNull, Doc("Largest factor a clue can put on the odds of two answers; null above e^700.")]
    mark_odds: Annotated[InfAsNull, Doc("The same factor of one mark that is seen alone; null for infinity.")]
    deltas: Annotated[
        tuple[float, ...],
        Doc("Delta of 1, 2, 3 and 4 such clues together, at the epsilon of one; empty if that is infinite."),
    ]
    guess: Annotated[str, Doc("The guess of the clues that are drawn.")]
    answer: Annotated[str, Doc("Their answer.")]
    rule: Rule
    true_clue: Annotated[Clue, InJson(str, str), Doc("Their true clue.")]
    seed: Annotated[int, InJson(str, str), Doc("Root seed of their noise: digits, as text.")]
    noisy_clues: Annotated[
        tuple[Clue, ...], InJson(lambda clues: [*map(str, clues)], list[str]), Doc("The noisy clues.")
    ]

    def summary(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values (docs/reference/json.md); an infinite epsilon is "inf"."""
        return dict(json_of(self))

    def __repr__(self) -> str:
        return line_of(self, f"of a clue of {self.channel} at epsilon {self.epsilon:g}")


def explain(
    epsilon: float | None = None,
    channel: ChannelFamily | str = RandomizedResponse,
    *,
    guess: str = "crate",
    answer: str = "haste",
    rule: str = "letterwise",
    count: int = NOISY_CLUES,
    seed: int = SEED,
) -> Explanation:
    """Return what one clue at `epsilon` does, and `count` noisy clues to `guess` for `answer`.

    `epsilon` is from 0 to inf. It may be left out if `channel`, a family of distance channels or its name, has one of
    its own, as `fibble` has. Words have 3 to 8 letters, and the numbers are for clues of so many marks. `rule` is
    `letterwise` or `counted`. `count` is 1 or more. The noise is that of the first asks of trial 0 under the
    root `seed`, 0 to 2**256 - 1: a `Referee` gives the same clues.

    Raises `WordplError` for anything else.

    >>> once = explain(13)
    >>> round(once.mark_is_true, 3), round(once.odds), " ".join(map(str, once.noisy_clues[:3]))
    (0.871, 442413, 'i.icc ..icc ..ic.')
    """
    true, count = clue(guess, answer, rule), whole_number("count", count)
    marks, seeds = true.length, Seeds(seed := check_seed(seed))
    family = channel_family(channel, marks)
    if epsilon is None and (epsilon := getattr(family, "row_epsilon", None)) is None:
        raise WordplError(f"a clue of {channel_name(family)} can have any epsilon; give one, such as 13")
    made = make_channel(family, epsilon := non_negative("epsilon", epsilon), marks)
    several = [privacy_of(made, asks) for asks in range(1, MOST_CLUES + 1)]
    # All true clues and all marks are treated alike.
    levels = enumerate(several[0].channel.levels.tolist())
    shares = np.array([clues_at_distance(marks, wrong) * level for wrong, level in levels])
    mark_is_false = float(shares @ np.arange(marks + 1)) / marks
    mark_is_true = float(shares @ np.arange(marks, -1, -1)) / marks
    least, most = sorted((mark_is_true, mark_is_false / 2))
    return Explanation(
        channel=channel_name(family),
        epsilon=epsilon,
        mark_is_true=mark_is_true,
        clue_is_true=float(shares[0]),
        false_marks=marks * mark_is_false,
        capacity=made.capacity,
        exact_capacity=marks * math.log2(3.0),
        odds=made.odds,
        mark_odds=most / least if least else math.inf,
        deltas=tuple(privacy.delta(epsilon) for privacy in several if epsilon < math.inf),
        guess=fold_word(guess),
        answer=fold_word(answer),
        rule=rule,
        true_clue=true,
        seed=seed,
        noisy_clues=tuple(Clue(made.sample(true.code, seeds.noise(0, k, marks)), marks) for k in range(count)),
    )
