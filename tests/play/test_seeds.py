"""The random streams."""

import pytest

from wordpl.play.seeds import Seeds, stream


@pytest.mark.parametrize(
    ("root", "answers", "noise", "player"),
    [
        (0, [1016, 558, 591, 509], [0.9743767061426736, 0.4875500801625853], 14882982842757684326),
        (1, [243, 1900, 1642, 549], [0.40738325289635813, 0.37405405612758735], 16027114540089306598),
        (2**256 - 1, [1466, 1978, 1395, 270], [0.8360841667891306, 0.39026800943850204], 9791759974802860964),
    ],
)
def test_frozen(root, answers, noise, player):
    """A change here changes every published result: raise `ENGINE_VERSION` with it."""
    seeds = Seeds(root)
    assert [seeds.answer(trial, 2315) for trial in range(4)] == answers
    assert seeds.noise(3, 1, 2) == noise
    assert seeds.player(7, "Greedy(epsilon=10.0)") == player
    if root == 1:
        assert (seeds.first_guess(3, 2315), stream(root, "A()")) == (1069, 5674553634401009423)
