"""Noise added in a time of its own: the same clues as a plain loop gives, from numbers that never change their size."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import epsilons
from wordpl.model.channel import Fibble, RandomizedResponse
from wordpl.model.lanes import lanes

UNIT = 2.0**-53


def randomized_response(keep, code, uniforms):
    """The loop that was there before: it decides all results of ENGINE_VERSION 2."""
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


@pytest.mark.parametrize(("length", "count"), [(2, 1), (5, 0), (5, 1), (5, 2), (5, 4), (5, 5), (8, 4)])
def test_lies_are_added_in_numbers_of_one_size(length, count):
    channel, wide = Fibble(length=length, lies=count), lanes(length)
    sizes = set()
    for number in edges(channel):
        places, here, seen = wide.bits([number] * length), wide.none, []
        for begin, end in channel._draws._turns:
            begun = here + wide.reached(places, begin)
            here = begun - wide.reached(places, end)
            seen += [begun.bit_length(), here.bit_length()]
        for halves in (0, wide.reached(places, wide.least([0.0] * length))):
            seen.append((here & (halves | wide.none)).bit_length())
        sizes.add(tuple(seen))
    assert len(sizes) == 1


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


@given(st.integers(3, 8), st.data())
def test_lanes_hold_numbers_of_one_size(length, data):
    wide = lanes(length)
    lists = st.lists(st.floats(0, 1).map(abs), min_size=length, max_size=length)
    uniforms, thresholds = data.draw(lists), data.draw(lists)
    reached = wide.reached(wide.bits(uniforms), wide.least(thresholds))
    assert [reached >> 64 * k & 0xFFFF for k in range(length)] == [
        int(uniform >= threshold) for uniform, threshold in zip(uniforms, thresholds, strict=True)
    ]
    assert reached.bit_length() == wide.none.bit_length()
