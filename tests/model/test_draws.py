"""Noise of several lies: the same clues as loops give that know nothing of `Channel`.

`tests/golden` has the noise of marks and of one lie, game by game.
"""

import itertools

import numpy as np
import pytest

from wordpl.model.channel import Fibble


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


@pytest.mark.parametrize("length", [2, 3, 5, 6, 8])
def test_several_lies_are_those_of_the_loop(length):
    rng = np.random.default_rng(length)
    for count in range(2, length + 1):
        channel = Fibble(length=length, lies=count)
        for code in rng.integers(0, 3**length, 40):  # numbers of NumPy, as the referee has them
            uniforms = rng.random(length).tolist()
            noisy = channel.sample(code, uniforms)
            assert type(noisy) is int
            assert noisy == lies(length, count, int(code), uniforms)
