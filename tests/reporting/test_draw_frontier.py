"""The picture of `wordpl frontier`."""

import math

import pytest

from wordpl import draw_frontier


@pytest.mark.parametrize("ours", [[math.nan] * 3, [math.nan, 20.0, math.nan], [5.0, 20.0, 60.0]])
def test_a_frontier_is_drawn_with_and_without_points(ours, tmp_path):
    target = tmp_path / "frontier.png"
    draw_frontier({"2 clues": ours, "bound": [4.0, 15.0, math.inf]}, [0.05, 0.5, 0.95], target)
    assert target.read_bytes().startswith(b"\x89PNG")
