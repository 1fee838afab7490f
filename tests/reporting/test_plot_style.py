"""How pictures look: groups, logarithmic axes, titles and labels, which are shown as they are."""

import re
import struct

import pytest

from tests.support.helpers import SMALL
from wordpl import Store, WordplError, draw, make_task, parse_strategy, sweep
from wordpl.reporting import PlotStyle
from wordpl.reporting.plot_points import MARKERS
from wordpl.reporting.plots import read_labels, read_size
from wordpl.simulation import TaskFilter

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two strategies and three seeds at three epsilons, and one that is never won."""
    with Store(tmp_path_factory.mktemp("style") / "results.sqlite") as made:
        specs = [parse_strategy(f"NGuess({n}, {e})") for n in (1, 2) for e in (4, 12, 40)]
        sweep([make_task(spec, seed, words=SMALL) for seed in (1, 2, 10) for spec in specs], 20, store=made)
        sweep([make_task("Greedy(inf)", 1, words=SMALL)], 20, store=made)
        yield made


@pytest.mark.parametrize(("log", "scales"), [("x", "log linear"), ("y", "linear log"), ("none", "linear linear")])
def test_axes_are_logarithmic_as_asked(store, tmp_path, figures, log, scales):
    draw(store, tmp_path / "p.svg", style=PlotStyle(log=log))
    budgets, wins, turns = figures[0].axes
    assert f"{wins.get_xscale()} {wins.get_yscale()}" == scales
    assert [budgets.get_xscale(), turns.get_xscale()] == ["linear"] * 2
    assert [budgets.get_yscale(), turns.get_yscale()] == [scales.split()[1]] * 2
    for axes in (budgets, wins, turns):
        assert (axes.get_ylim()[0] > 0.0) == ("y" in log)
    curves = [line for line in wins.lines if line.get_marker() in tuple(MARKERS)]
    assert (0.0 in [y for line in curves for y in line.get_ydata()]) == ("y" not in log)


def test_curves_of_one_group_have_one_colour_and_names_are_in_order(store, tmp_path, figures):
    ours = TaskFilter(["NGuess*"])
    for by, looks in (
        ("seed", [(f"C{i}", m) for i in range(3) for m in "os"]),
        (None, [(f"C{i}", "o") for i in range(6)]),
    ):
        draw(store, tmp_path / "p.svg", "wins", where=ours, style=PlotStyle(by))
        (axes,) = figures[-1].axes
        curves = [line for line in axes.lines if line.get_marker() in tuple(MARKERS)]
        assert [(line.get_color(), line.get_marker()) for line in curves] == looks
    names = [[text.get_text() for text in figure.legends[0].get_texts()] for figure in figures]
    seeds, specs = ("1", "2", "10"), [f"NGuess(n_guesses={n})" for n in (1, 2)]
    assert names[0] == [f"{spec}, seed {seed}" for seed in seeds for spec in specs]
    assert names[1] == [f"{spec}, seed {seed}" for spec in specs for seed in seeds]


def test_texts_are_where_they_were_asked_for_and_the_first_label_holds(store, tmp_path, figures):
    labels = {"*seed 10": "ten", "NGuess(n_guesses=1)*": "one", "NGuess*": "rest"}
    style = PlotStyle(title="Mine", labels=labels)
    draw(store, tmp_path / "p.svg", "wins", where=TaskFilter(["NGuess*"]), style=style)
    draw(store, tmp_path / "p.svg", "wins", style=PlotStyle(title=""))
    assert [figure.get_suptitle() for figure in figures] == ["Mine", ""]
    assert not figures[0]._suptitle.get_parse_math()
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == ["one", "ten", "rest"]


@pytest.mark.parametrize(
    ("kind", "style", "said"),
    [
        ("all", {"by": "sed"}, "unknown by 'sed': did you mean 'seed'? choose from channel, code"),
        ("all", {"size": (8.0, float("nan"))}, "size (8.0, nan) is not allowed"),
        ("all", {"size": (0.9, 5.0)}, "1 to 100 inches are expected"),
        ("all", {"size": (5.0, 100.1)}, "1 to 100 inches are expected"),
        ("wins", {"labels": {"NGes*": "x"}}, "no curve is called 'NGes*'"),
    ],
)
def test_styles_that_do_not_fit_the_picture(store, tmp_path, kind, style, said):
    with pytest.raises(WordplError, match=re.escape(said)):
        draw(store, tmp_path / "p.png", kind, style=PlotStyle(**style))
    assert not (tmp_path / "p.png").exists()


def test_a_picture_has_the_size_that_is_asked_for_in_every_format(store, tmp_path):
    for ending in ("png", "svg"):
        draw(store, tmp_path / f"p.{ending}", "wins", style=PlotStyle(size=read_size("8x5")))
    assert struct.unpack(">II", (tmp_path / "p.png").read_bytes()[16:24]) == (8 * 130, 5 * 130)
    assert 'width="576pt" height="360pt"' in (tmp_path / "p.svg").read_text()
    assert read_size("1X100") == PlotStyle(size=(1.0, 100.0)).size
    for text in ("8x", "8x5x3", ""):
        with pytest.raises(WordplError, match="is not WIDTHxHEIGHT in inches, such as 8x5"):
            read_size(text)


def test_equals_signs_in_brackets_belong_to_the_curve():
    assert read_labels([" (a*) ,b( = $x?", "c=d"]) == {"(a*) ,b(": "$x?", "c": "d"}
    assert read_labels(["NGuess(n_guesses=2), seed 1 = a=b"]) == {"NGuess(n_guesses=2), seed 1": "a=b"}
    for text in ("NGuess", "=x", "x=", "NGuess(n=2)", ""):
        with pytest.raises(WordplError, match="is not CURVE=LABEL"):
            read_labels([text])
