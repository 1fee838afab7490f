"""Noise: the same clues as loops give that know nothing of `Channel`."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import epsilons
from wordpl.model.channel import Fibble, RandomizedResponse

UNIT = 2.0**-53


def randomized_response(keep, code, uniforms):
    noisy, weight = code, 1
    for uniform in reversed(uniforms):
        if uniform >= keep:
            mark = code // weight % 3
            other = (mark + (1 if uniform - keep < (1.0 - keep) / 2.0 else 2)) % 3
            noisy += (other - mark) * weight
        weight *= 3
    return noisy


def fibble(length, code, uniforms):
    weight = int(3 ** int(uniforms[0] * length))
    mark = code // weight % 3
    other = (mark + (1 if uniforms[1] < 0.5 else 2)) % 3
    return code + (other - mark) * weight


def lies(length, count, code, uniforms):
    """Several lies, by plain loops: the set of places, then the way of each."""
    sets = [set(places) for places in itertools.combinations(range(length), count)] * 2
    noisy = code
    for place in sets[int(uniforms[0] * len(sets))]:
        number = length - place if place else 0
        if count == length:
            number -= 1 if place else 1 - length
        mark = code // 3**place % 3
        noisy += ((mark + (1 if uniforms[number] < 0.5 else 2)) % 3 - mark) * 3**place
    return noisy


def edges(channel):
    """Numbers at which something changes, and their neighbours, of those that can be drawn."""
    keep = getattr(channel, "keep", 0.5)
    cells = 2 * math.comb(channel.length, lies) if (lies := getattr(channel, "lies", 1)) > 1 else channel.length
    places = [k / cells for k in range(cells)]
    found = {0.0, 1 - UNIT}
    for edge in (keep, keep + (1 - keep) / 2, 0.5, *places):
        near = round(edge / UNIT)
        found |= {(near + k) * UNIT for k in range(-3, 4)}
    return sorted(number for number in found if 0 <= number < 1)


@pytest.mark.parametrize("length", [2, 3, 5, 6, 8])
def test_several_lies_are_those_of_the_loop(length):
    rng = np.random.default_rng(length)
    for count in range(2, length + 1):
        channel = Fibble(length=length, lies=count)
        marked = edges(channel)
        for code in rng.integers(0, 3**length, 40).tolist():
            uniforms = [*rng.choice(marked, 1), *rng.random(length - 1)] if code % 2 else rng.random(length)
            assert channel.sample(code, list(uniforms)) == lies(length, count, code, uniforms)


@given(epsilons(), st.integers(3, 8), st.data())
def test_noise_at_the_edges(epsilon, length, data):
    code = data.draw(st.integers(0, 3**length - 1))
    for channel, expected in (
        (RandomizedResponse(epsilon, length), lambda c, u: randomized_response(c.keep, code, u)),
        (Fibble(length=length), lambda c, u: fibble(length, code, u)),
    ):
        number = st.one_of(st.sampled_from(edges(channel)), st.floats(0, 1, exclude_max=True).map(abs))
        uniforms = data.draw(st.lists(number, min_size=length, max_size=length))
        noisy = channel.sample(np.int64(code), uniforms)  # as the referee has it
        assert type(noisy) is int
        assert noisy == expected(channel, uniforms)
