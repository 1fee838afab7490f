"""The channels of this project, and their families by name.

A channel family makes the channel for an epsilon and a word length. It is any callable
`family(epsilon, length) -> Channel`, such as `RandomizedResponse` or `Fibble`; `channel_family` finds some by name. If
all clues of a family have the same epsilon, this is its `row_epsilon`. All channels here are distance channels.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import combinations

import numpy as np

from wordpl.base.checks import is_in_file, non_negative, numbers, typed, whole_number
from wordpl.base.displays import cut
from wordpl.base.errors import WordplError, nearest, one_line
from wordpl.base.user_files import load_named, written_name
from wordpl.model.clues import add_marks, clues_at_distance
from wordpl.model.distance_channel import Channel, DistanceChannel
from wordpl.model.entropy import Floats
from wordpl.model.words import MAX_LENGTH


class RandomizedResponse(DistanceChannel):
    """Randomized response: each mark is kept with probability e^x/(2+e^x), x = epsilon/length.

    Otherwise it becomes one of the other two marks, each with probability 1/(2+e^x). A clue is
    epsilon-differentially private in the answer, each mark epsilon/length-differentially private. `epsilon` is from 0
    (pure noise) to infinity (no noise), `length` from 1 to 8. Other values raise `WordplError`.

    >>> channel = RandomizedResponse(epsilon=12.3)
    >>> round(channel.keep, 4), round(channel.flip, 4), channel.likelihood("..icc").shape
    (0.8541, 0.073, (243,))
    """

    def __init__(self, epsilon: float, length: int = 5) -> None:
        epsilon, length = non_negative("epsilon", epsilon), whole_number("length", length, maximum=MAX_LENGTH)
        per_mark = epsilon / length
        shrink = math.exp(-per_mark)
        self.keep = 1.0 / (1.0 + 2.0 * shrink)
        """P(a mark is kept)."""
        self.flip = shrink * self.keep
        """P(a mark becomes one given other mark)."""
        self._log_keep = -math.log1p(2.0 * shrink)
        self._log_flip = self._log_keep - per_mark
        wrong = np.arange(length + 1)
        # Not exp of the logs: products keep every digit.
        levels = np.asarray(self.keep ** (length - wrong) * self.flip**wrong, dtype=np.float64)
        super().__init__(epsilon, length, levels)

    def __repr__(self) -> str:
        return f"RandomizedResponse(epsilon={self.epsilon}, length={self.length})"

    @cached_property
    def log_levels(self) -> Floats:
        wrong = np.arange(1, self.length + 1)
        log_keeps = (self.length - wrong) * self._log_keep
        return np.concatenate([[self.length * self._log_keep], log_keeps + wrong * self._log_flip])

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        # A mark is changed from `keep` up; what lies above is split evenly between the other two marks.
        keep, half, noise = self.keep, (1.0 - self.keep) / 2.0, 0
        for uniform in uniforms:
            noise = 3 * noise + (0 if uniform < keep else 1 if uniform - keep < half else 2)
        return add_marks(int(code), noise)

    @cached_property
    def mark_matrix(self) -> Floats:
        return np.where(np.eye(3) == 1.0, self.keep, self.flip)


class Ball(DistanceChannel):
    """Randomized response on clues: those within `radius` marks of the true one are e^epsilon times as likely.

    With `radius` 0, the family `whole_clue`, it is randomized response on the whole clue. A clue is
    epsilon-differentially private in the answer. Which sets of distances make a better clue depends on epsilon:
    docs/mechanisms.md. `epsilon` is from 0 (pure noise) to infinity,
    `length` from 1 to 8, `radius` from 0 to below `length`. Other values raise `WordplError`.

    >>> channel = Ball(epsilon=6.0)
    >>> round(float(channel.likelihood("..icc").max()), 4)  # P(the clue is true)
    0.6251
    """

    def __init__(self, epsilon: float, length: int = 5, radius: int = 0) -> None:
        epsilon, length = non_negative("epsilon", epsilon), whole_number("length", length, maximum=MAX_LENGTH)
        self.radius = whole_number("radius", radius, minimum=0, maximum=length - 1)
        """The number of marks that a likely clue may differ in."""
        within = np.arange(length + 1) <= self.radius
        super().__init__(epsilon, length, _normalised(np.where(within, 1.0, math.exp(-epsilon)), length))

    def __repr__(self) -> str:
        return f"Ball(epsilon={self.epsilon}, length={self.length}, radius={self.radius})"

    @cached_property
    def log_levels(self) -> Floats:
        # The levels themselves are 0 where epsilon is large.
        beyond = np.arange(self.length + 1) > self.radius
        return np.asarray(np.log(self.levels[0]) - np.where(beyond, self.epsilon, 0.0))


class Levels(DistanceChannel):
    """A distance channel whose noisy clues are as likely as their `weights` [length + 1] say, by number of wrong marks.

    Its epsilon is the logarithm of the largest weight divided by the smallest, and infinite if a weight is 0. Leave out
    `epsilon`, or give this number. Raises `WordplError` for another epsilon, for weights that are not `length` + 1
    numbers from 0 up, and for a `length` that is not from 1 to 8.

    >>> round(Levels(weights=[4, 2, 1, 1, 1, 1]).epsilon, 4)
    1.3863
    """

    def __init__(self, epsilon: float | None = None, length: int = 5, weights: Sequence[float] = ()) -> None:
        length = whole_number("length", length, maximum=MAX_LENGTH)
        relative = numbers("weights", weights)
        if relative.shape != (length + 1,) or not (
            np.isfinite(relative).all() and relative.min() >= 0.0 < relative.max()
        ):
            raise WordplError(
                f"{length + 1} levels are expected for words of {length} letters: numbers from 0 up, not all 0"
            )
        with np.errstate(divide="ignore"):
            own = float(np.log(relative.max()) - np.log(relative.min()))
        if epsilon is not None and not math.isclose(non_negative("epsilon", epsilon), own, rel_tol=1e-9, abs_tol=1e-12):
            raise WordplError(f"a clue of these levels has epsilon {own:.12g}; {epsilon:g} is not allowed")
        super().__init__(own, length, _normalised(relative / relative.max(), length))

    def __repr__(self) -> str:
        return f"Levels(length={self.length}, weights={self.levels.tolist()})"


def _normalised(weights: Floats, length: int) -> Floats:
    """Weights of clues by distance as probabilities."""
    counts = [float(clues_at_distance(length, distance)) for distance in range(length + 1)]
    return np.asarray(weights / math.fsum(counts * weights))


class Fibble(DistanceChannel):
    """A channel after Fibble (fibble.xyz): exactly `lies` marks of each clue are false, even if the guess is right.

    All places are equally likely to be false, and so are both wrong marks of a place. All true clues get the same
    noise. With 0 lies there is no noise. `length` is from 1 to 8, `lies` from 0 to `length`. A clue rules out most
    answers for certain, so its epsilon is infinite. Any other epsilon, length or number of lies raises `WordplError`.

    In a game of Wordle a right guess ends the game, so the player never sees a clue to it.

    >>> channel = Fibble(lies=2)
    >>> int((channel.likelihood("..icc") > 0).sum())  # true clues that two lies can turn into this one
    40
    """

    row_epsilon = math.inf

    def __init__(self, epsilon: float = math.inf, length: int = 5, lies: int = 1) -> None:
        if non_negative("epsilon", epsilon) != math.inf:
            raise WordplError(f"a Fibble clue has an infinite budget; epsilon {epsilon} is not allowed, use inf")
        length = whole_number("length", length, maximum=MAX_LENGTH)
        self.lies = whole_number("lies", lies, minimum=0, maximum=length)
        """Number of false marks in a clue."""
        self.false_marks = self.lies
        self.noisy_clues = clues_at_distance(length, self.lies)
        """Number of noisy clues that a true one can become, each as likely as the others."""
        super().__init__(math.inf, length, np.where(np.arange(length + 1) == self.lies, 1.0 / self.noisy_clues, 0.0))

    def __repr__(self) -> str:
        return f"Fibble(length={self.length}{f', lies={self.lies}' if self.lies != 1 else ''})"

    @cached_property
    def _places(self) -> list[tuple[int, ...]]:
        """The sets of places that can be false, counted from the last letter. Each has an even share of [0, 1)."""
        sets = list(combinations(range(self.length), self.lies))
        return sets * 2 if self.lies > 1 else sets  # each half of the first number draws them all

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        """Return the noisy code for the true `code`, from `uniforms`: `length` numbers uniform in [0, 1).

        The first number draws the places. A false mark is one of the other two by the half of [0, 1) in which another
        number lies: the second for a single lie, and for several one of its own for each place, the last of which has
        the half of the first number. Where all marks are false, each place has its own number.
        """
        noise = 0
        for place in self._places[int(uniforms[0] * len(self._places))]:
            if self.lies == self.length:
                number = self.length - 1 - place
            else:
                number = 1 if self.lies == 1 else (self.length - place) % self.length
            noise += (1 if uniforms[number] < 0.5 else 2) * 3**place
        return add_marks(int(code), noise)


ChannelFamily = Callable[[float, int], Channel]

CHANNELS: dict[str, ChannelFamily] = {"randomized_response": RandomizedResponse, "fibble": Fibble, "whole_clue": Ball}
"""The families by name. `channel_family` knows more of them: those with a parameter."""


@dataclass(frozen=True)
class NamedFamily:
    """The family of a name with a parameter, such as `fibble:3`.

    Raises `WordplError` if it is called with an epsilon that its clues cannot have.
    """

    name: str
    """The name by which `channel_family` finds it."""
    make: Callable[[float, int], Channel] = field(compare=False, repr=False)
    row_epsilon: float | None = None
    """The epsilon of every clue; None if clues may have any."""

    def __call__(self, epsilon: float, length: int) -> Channel:
        if self.row_epsilon not in (None, epsilon):
            raise WordplError(
                f"a clue of {self.name} has epsilon {_plain(self.row_epsilon)}; {_plain(float(epsilon))} is not allowed"
            )
        return self.make(epsilon, length)


def channel_family(channel: ChannelFamily | str, length: int | None = None) -> ChannelFamily:
    """Return the channel family with a given name, or `channel` itself if it is a family.

    Names are those in `CHANNELS`, and names with a parameter: `fibble:3` for three lies in a clue (0 to 8, and no more
    than the words have letters), `randomized_response:12` for the epsilon of every clue (0 to inf), `ball:1` for a
    radius, and `levels:4,2,1,1,1,1` for weights by distance; and `FILE.py:Name`, a class in a file, which is run.
    Families of one name are equal; `fibble:1` is `fibble`, and `ball:0` is `whole_clue`.

    Raises `WordplError` for an unknown name (the error suggests the nearest one), for a parameter that is not allowed,
    for an object that cannot be called, and for a family that has no channel for words of `length` letters.

    >>> import math
    >>> channel_family("fibble:3")(math.inf, 5)
    Fibble(length=5, lies=3)
    """
    family = _family_of(channel) if isinstance(channel, str) else channel
    if not callable(family):
        raise WordplError(
            f"channel {one_line(repr(family), 60)} is not allowed; a channel family such as wordpl.Fibble is expected"
        )
    if length is not None and isinstance(family, NamedFamily):
        try:
            family(row_epsilon(family), length)
        except WordplError as error:
            raise WordplError(f"channel {family.name} is not for words of {length} letters: {error}") from None
    return family


def named_channel(name: str, length: int | None = None) -> ChannelFamily:
    """Return `channel_family(name, length)`, but run no file: for a name that comes from a stranger."""
    if is_in_file(name):
        raise WordplError(f"channel {cut(name, 40)!r} is not allowed; the name of one without a file is expected")
    return channel_family(name, length)


def _family_of(channel: str) -> ChannelFamily:
    if is_in_file(channel):
        kind = load_named(channel)
        if not (isinstance(kind, type) and issubclass(kind, Channel)):
            raise WordplError(f"{channel} is no class of channels; write a subclass of wordpl.Channel")
        return kind
    name, colon, parameter = channel.partition(":")
    if name in CHANNELS and not colon:
        return CHANNELS[name]
    if name == "fibble":
        lies = whole_number("lies", typed(parameter, int), minimum=0, maximum=MAX_LENGTH)
        return Fibble if lies == 1 else NamedFamily(f"fibble:{lies}", partial(Fibble, lies=lies), math.inf)
    if name == "randomized_response":
        epsilon = non_negative("epsilon", typed(parameter, float)) + 0.0  # of -0.0 makes 0.0
        return NamedFamily(f"{name}:{_plain(epsilon)}", RandomizedResponse, epsilon)
    if name == "ball":
        radius = whole_number("radius", typed(parameter, int), minimum=0, maximum=MAX_LENGTH - 1)
        return Ball if radius == 0 else NamedFamily(f"ball:{radius}", partial(Ball, radius=radius))
    if name == "levels":
        weights = [non_negative("level", typed(weight, float)) for weight in parameter.split(",")]
        whole_number("number of levels", len(weights), 2, MAX_LENGTH + 1)
        family = partial(Levels, weights=weights)
        return NamedFamily(f"levels:{','.join(map(_plain, weights))}", family, family(None, len(weights) - 1).epsilon)
    raise WordplError(f"unknown channel {cut(channel, 40)!r}: {nearest(name, (*CHANNELS, 'ball', 'levels'))}")


def _plain(number: float) -> str:
    return repr(number).removesuffix(".0")


def channel_name(family: ChannelFamily | str) -> str:
    """Return the name of a channel family: the one that `channel_family` knows, or else that of its file or module.

    Raises `WordplError` as `channel_family` does.

    >>> channel_name(channel_family("randomized_response:12.0")), channel_name(Fibble)
    ('randomized_response:12', 'fibble')
    """
    family = channel_family(family)
    if isinstance(family, NamedFamily):
        return family.name
    return next((name for name, known in CHANNELS.items() if known == family), None) or written_name(family)


def row_epsilon(family: ChannelFamily | str) -> float:
    """Return the epsilon of every clue if the channel `family` fixes it, and otherwise infinity.

    Raises `WordplError` as `channel_family` does.
    """
    epsilon = getattr(channel_family(family), "row_epsilon", None)
    return math.inf if epsilon is None else float(epsilon)


def is_named(family: ChannelFamily) -> bool:
    """Return True if `channel_family` gives this family for its `channel_name`."""
    return isinstance(family, NamedFamily) or family in CHANNELS.values()


@lru_cache(maxsize=1024)
def make_channel(family: ChannelFamily, epsilon: float, length: int) -> Channel:
    """Return `family(epsilon, length)`. The channels used last are kept, as a game needs the same one many times."""
    return family(epsilon, length)
