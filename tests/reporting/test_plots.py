"""Pictures: one is drawn for each kind, and what cannot be drawn is said."""

import math
import struct

import pytest

from tests.helpers import SIX, SMALL, Sometimes
from wordpl import Store, WordplError, parse_strategy, percentile, sweep, win_interval
from wordpl.reporting.plots import _families, draw, outcome, told_apart
from wordpl.simulation.sweep import make_task

KINDS = ("percentiles", "wins", "turns", "all")
FINITE = [f"{name}{more})" for name in ("TwoGuess(", "NGuess(2, ") for more in ("4", "12", "40")]
SPECS = [*FINITE, "Greedy((20, 9), 2)", "Greedy(inf)", "NGuess(9, inf)"]
MINE = """
from dataclasses import dataclass
from wordpl import Answer, HistoryStrategy

@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float

    def decide(self, setting, history):
        return Answer(setting.words.answers[{n}])
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Tasks of every kind: a curve, a point, without noise, on another list, never won."""
    tasks = [make_task(parse_strategy(text), words=SMALL) for text in SPECS]
    tasks += [make_task(Sometimes(), words=SMALL), make_task(parse_strategy("TwoGuess(12)"), words=SIX)]
    with Store(tmp_path_factory.mktemp("plots") / "results.sqlite") as made:
        sweep(tasks, 60, store=made)
        yield made


def size_of(path):
    """Width and height, as the header of a PNG file has them."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[-8:-4] == b"IEND"
    return struct.unpack(">II", data[16:24])


@pytest.fixture(scope="module")
def pictures(store, tmp_path_factory):
    """A picture of each kind, in a folder that was not there before."""
    folder = tmp_path_factory.mktemp("pictures") / "deep"
    for kind in KINDS:
        draw(store, folder / f"{kind}.png", kind)
    return {kind: folder / f"{kind}.png" for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_draws_a_png(pictures, kind):
    target = pictures[kind]
    width, height = size_of(target)
    assert 400 < width < 4000
    assert 300 < height < 4000
    assert len(set(target.read_bytes())) > 200  # it is not empty


def test_all_is_the_largest(pictures):
    sizes = {kind: math.prod(size_of(picture)) for kind, picture in pictures.items()}
    assert sizes["all"] > sizes["percentiles"] > sizes["wins"] == sizes["turns"]


def test_two_versions_of_a_strategy_are_two_curves(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        for n in (0, 1):
            (tmp_path / "mine.py").write_text(MINE.format(n=n))
            specs = [f"{tmp_path / 'mine.py'}:Mine(4.0)", f"{tmp_path / 'mine.py'}:Mine(8.0)"]
            sweep([make_task(parse_strategy(spec), words=SMALL) for spec in specs], 10, store=store)
        tasks = store.tasks()
        families = _families([outcome(store, task) for task in told_apart(tasks)])
    assert sorted(families) == sorted(f"Mine() {code[:8]}, small" for code in {task.code for task in tasks})
    assert [len(curve) for curve in families.values()] == [2, 2]
    assert told_apart(tasks[:1]) == tasks[:1]


@pytest.mark.parametrize("match", ["TwoGuess(epsilon=4.0)", "Greedy(epsilon=(20", "Sometimes", "six", "inf"])
def test_draws_what_matches(store, tmp_path, match):
    draw(store, tmp_path / "some.png", match=match)
    assert min(size_of(tmp_path / "some.png")) > 300


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_the_ending_says_the_format(store, tmp_path, ending):
    draw(store, tmp_path / f"picture.{ending}", "wins")
    assert {"svg": b"<svg", "pdf": b"%PDF"}[ending] in (tmp_path / f"picture.{ending}").read_bytes()


def test_outcome_has_the_figures_of_the_evaluation(store):
    task = make_task(parse_strategy("NGuess(2, 12)"), words=SMALL)
    expected = store.evaluation(task, 60)
    row = next(row for row in store.tasks() if row.id == task.id)
    found = outcome(store, row)
    assert (found.trials, found.win_rate, found.turns) == (60, expected.win_rate, expected.turns)
    assert found.win_interval == win_interval(expected.wins, 60) == expected.interval
    for name, q in {"p05": 0.05, "p50": 0.5, "p95": 0.95}.items():
        assert found.percentiles[name] == (percentile(expected.scores, q), expected.percentile_interval(q))
    assert found.budget == 24.0


@pytest.mark.parametrize(
    ("kind", "match", "reason"),
    [
        ("win", "", "unknown plot 'win': did you mean 'wins'"),
        ("all", "no such strategy", "nothing to draw that matches 'no such strategy'"),
        ("turns", "TwoGuess", "nothing to draw"),
        ("wins", "inf", "nothing to draw"),
    ],
)
def test_nothing_to_draw(store, tmp_path, kind, match, reason):
    with pytest.raises(WordplError, match=reason):
        draw(store, tmp_path / "none.png", kind, match)
    assert not (tmp_path / "none.png").exists()


def test_an_empty_file_has_nothing_to_draw(tmp_path):
    with Store(tmp_path / "empty.sqlite") as empty, pytest.raises(WordplError, match="nothing to draw"):
        draw(empty, tmp_path / "none.png")


@pytest.mark.parametrize("name", ["picture.nosuchformat", "file/picture.png", "folder.png"])
def test_targets_that_cannot_be_written(store, tmp_path, name):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(WordplError, match="cannot write picture"):
        draw(store, tmp_path / name)
