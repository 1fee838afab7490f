"""How pictures look: groups, logarithmic axes, titles and labels, which are shown as they are."""

import re
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.helpers import SMALL
from tests.support.pictures import inside
from wordpl import Store, WordplError, draw, make_task, parse_strategy, sweep
from wordpl.reporting import PlotStyle
from wordpl.reporting.plot_points import MARKERS
from wordpl.reporting.plots import read_labels, read_size
from wordpl.simulation import TaskFilter

pytestmark = pytest.mark.heavy

HOSTILE = "$x_{ \\frac{ <b> % _ \x1b[2J\u202e 漢字 {0} " + "long " * 30 + "$"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two strategies and three seeds at three epsilons, and one that is never won."""
    with Store(tmp_path_factory.mktemp("style") / "results.sqlite") as made:
        specs = [parse_strategy(f"NGuess({n}, {e})") for n in (1, 2) for e in (4, 12, 40)]
        sweep([make_task(spec, seed, words=SMALL) for seed in (1, 2, 10) for spec in specs], 20, store=made)
        sweep([make_task("Greedy(inf)", 1, words=SMALL)], 20, store=made)
        yield made


def legend_of(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def looks_of(figure: Any) -> dict[str, tuple[str, str, str]]:
    """Label -> colour, line and marker."""
    handles = figure.legends[0].legend_handles
    looks = [(one.get_color(), one.get_linestyle(), one.get_marker()) for one in handles]
    return dict(zip(legend_of(figure), looks, strict=True))


def test_groups_have_one_colour_and_what_differs_in_the_property_alone_one_marker(store, tmp_path, figures):
    draw(store, tmp_path / "p.png", "wins", style=PlotStyle(by="seed"))
    looks = looks_of(figures[0])
    assert list(looks) == [f"NGuess(n_guesses={n}), seed {seed}" for seed in (1, 2, 10) for n in (1, 2)]
    for seed in (1, 2, 10):
        colours = {look[0] for label, look in looks.items() if label.endswith(f" {seed}")}
        assert len(colours) == 1
    for n in (1, 2):
        assert len({look[1:] for label, look in looks.items() if f"={n})" in label}) == 1
    assert len(set(looks.values())) == 6


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


@pytest.mark.filterwarnings("ignore:Glyph")  # of a letter that no font has; `draw` says nothing of it either
def test_texts_are_shown_as_they_are_and_fit(store, tmp_path, figures):
    labels = {"*=1), seed 1": HOSTILE, "*=1), seed 2": "_a", "*10": "x"}
    style = PlotStyle(title=HOSTILE, x_label="$\\nosuch{$", y_label="_y", labels=labels)
    draw(store, tmp_path / "p.png", "wins", where=TaskFilter(["*1)"]), style=style)
    figure = figures[0]
    shown = HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").split()
    assert figure._suptitle.get_text().split() == shown
    assert legend_of(figure)[0].split() == shown and legend_of(figure)[1:] == ["_a", "x"]
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("$\\nosuch{$", "_y")
    assert inside(figure)


@pytest.mark.parametrize(
    ("kind", "style", "said"),
    [
        ("all", {"by": "sed"}, "unknown by 'sed': did you mean 'seed'? choose from channel, code"),
        ("all", {"x_label": "x"}, "labels of the axes need one kind of plot"),
        ("budgets", {"log": "xy"}, "the x axis of 'budgets' cannot be logarithmic"),
        ("all", {"size": (8.0, float("nan"))}, "size (8.0, nan) is not allowed"),
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
    for text in ("8x", "8x5x3", ""):
        with pytest.raises(WordplError, match="is not WIDTHxHEIGHT in inches, such as 8x5"):
            read_size(text)


def test_too_many_curves_are_refused(store, tmp_path, monkeypatch):
    monkeypatch.setattr("wordpl.reporting.plots.MAX_CURVES", 3)
    with pytest.raises(WordplError, match="7 curves are too many for a picture; choose at most 3"):
        draw(store, tmp_path / "p.png")


NAME = st.text(alphabet="ab()*? ,$", min_size=1, max_size=8).filter(str.strip)


@given(st.dictionaries(NAME, NAME.filter(lambda text: ")" not in text), max_size=4))
def test_labels_are_read_as_they_are_typed(labels):
    wanted = {curve.strip(): label.strip() for curve, label in labels.items()}
    assert read_labels(f"{curve}={label}" for curve, label in wanted.items()) == wanted


def test_equals_signs_in_brackets_belong_to_the_curve():
    assert read_labels(["NGuess(n_guesses=2), seed 1 = a=b"]) == {"NGuess(n_guesses=2), seed 1": "a=b"}
    for text in ("NGuess", "=x", "x=", "NGuess(n=2)", ""):
        with pytest.raises(WordplError, match="is not CURVE=LABEL"):
            read_labels([text])
