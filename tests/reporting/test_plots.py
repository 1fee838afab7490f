"""Pictures: one is drawn for each kind, looks as it is asked for, and what cannot be drawn is said."""

import csv
import math
import struct
from typing import Any

import pandas as pd
import pytest

from tests.support.helpers import SIX, SMALL, Sometimes
from tests.support.refusals import refusal
from wordpl import Store, WordplError, compare, draw, make_task, parse_strategy, reporting, simulation, sweep
from wordpl.reporting import PlotStyle, plot_differences, plot_evaluations
from wordpl.reporting.plot_panels import draw_panel
from wordpl.reporting.plot_points import COLUMNS, MARKERS, Look, panels_of
from wordpl.reporting.plots import draw_win_rates, read_labels, read_size
from wordpl.simulation import TaskFilter, read_outcomes

pytestmark = pytest.mark.heavy

FINITE = [f"{name}{more})" for name in ("TwoGuess(", "NGuess(2, ") for more in ("4", "12", "40")]
SPECS = [*FINITE, "Greedy((20, 9), 2)", "Greedy(inf)", "NGuess(9, inf)"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Tasks of every kind: a curve, a point, without noise, on another list, never won."""
    tasks = [make_task(strategy, words=SMALL) for strategy in (*SPECS, Sometimes())]
    tasks += [make_task("TwoGuess(12)", words=SIX)]
    with Store(tmp_path_factory.mktemp("plots") / "results.sqlite") as made:
        sweep(tasks, 60, store=made)
        yield made


def new_axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def test_win_rates_are_joined_in_order_of_epsilon(store):
    """Joined in order of mean budget, noise in the budgets would make dips that are not there."""
    found = [o for o in read_outcomes(store, TaskFilter(["NGuess(n_guesses=2*"])) if not o.task.noiseless]
    for outcome in found:  # budgets that fall while epsilon grows
        outcome.results["budget"] = 100.0 - (outcome.task.epsilon or 0.0)
    (panel,) = panels_of("wins", [(curve, Look()) for curve in simulation.curves(found)])
    axes = new_axes()
    draw_panel(panel, "auto", axes, {})
    assert axes.lines[0].get_xdata().tolist() == [96.0, 88.0, 60.0]


def test_what_cannot_be_drawn_or_written_is_said_and_leaves_no_data(store, tmp_path):
    every = TaskFilter()

    def drawn(kind, where, style):
        draw(store, tmp_path / "none.png", kind, where=where, style=PlotStyle(**style))

    for kind, where, style, said in (
        ("win", every, {}, "unknown plot 'win': did you mean 'wins'"),
        ("all", TaskFilter(["None*"]), {}, "nothing to draw: no task has strategy None"),
        ("wins", TaskFilter(["*inf*"]), {}, "nothing to draw"),
        ("wins", every, {"labels": {"NGes*": "x"}}, "no curve is called 'NGes*'"),
    ):
        assert said in refusal(drawn, kind, where, style)
    with pytest.raises(WordplError, match="cannot write picture"):
        draw(store, tmp_path / "p.nosuchformat", data=True)
    (tmp_path / "q.data.csv").mkdir()
    with pytest.raises(WordplError, match="cannot write"):
        draw(store, tmp_path / "q.png", "wins", data=True)
    assert {path.name for path in tmp_path.iterdir()} == {"q.data.csv"}


def test_a_picture_in_given_axes_is_its_figure(store):
    outcomes = [outcome for outcome in read_outcomes(store) if "small" in outcome.task.words]
    compared = compare(FINITE[0], FINITE[1], trials=30)
    plots = {
        "epsilon": lambda ax: plot_evaluations(outcomes, "p50", ax=ax),
        "difference": lambda ax: plot_differences(compared, ax=ax),
        "win": lambda ax: reporting.plot_frontier({"bound": [1.0, 2.0], "2 clues": [2.0, 3.0]}, [0.1, 0.2], ax=ax),
    }
    for label, plot in plots.items():
        axes = new_axes()
        assert plot(axes) is axes.figure and axes.figure.axes == [axes]
        assert label in f"{axes.get_xlabel()} {axes.get_ylabel()}"


def test_exact_win_rates_are_drawn_by_budget_with_their_intervals(figures, tmp_path):
    rows = [("a", 20.0, 0.5, 0.4, 0.65), ("a", 10.0, 0.2, 0.1, 0.25), ("b", 15.0, 0.3, 0.3, 0.3)]
    frame = pd.DataFrame(
        [*rows, ("a", math.inf, 1.0, 1.0, 1.0)], columns=["curve", "budget", "win_rate", "low", "high"]
    )
    draw_win_rates(frame, tmp_path / "p.svg")
    (axes,) = figures[0].axes
    lines = [line.get_xydata().tolist() for line in axes.lines if line.get_marker() in ("o", "s")]
    assert lines == [[[10.0, 0.2], [20.0, 0.5]], [[15.0, 0.3]]]
    bars = [bar.round(9).tolist() for part in axes.collections for bar in part.get_segments()]
    assert bars == [[[budget, low], [budget, high]] for _, budget, _, low, high in (rows[1], rows[0], rows[2])]
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == ["a", "b"]
    assert figures[0].get_figwidth() == 7.0 and 5.0 < figures[0].get_figheight() < 5.5
    with pytest.raises(WordplError, match="no strategy has a finite budget"):
        draw_win_rates(frame[frame.budget == math.inf], tmp_path / "q.svg")


def test_the_frontier_shows_bounds_and_families_but_not_the_best_of_them():
    rates = [0.1, 0.2]
    curves = {"2 clues": [20.0, 30.0], "mine": [11.0, 29.0], "short": [12.0, 12.5], "best": [20.0, 30.0]}
    curves |= {"bound": [1.0, 2.0], "bound, 2 clues": [1.5, math.nan]}
    (axes,) = reporting.plot_frontier(curves, rates).axes
    for line, name in zip(axes.lines, ("2 clues", "mine", "short", "bound", "bound, 2 clues"), strict=True):
        assert line.get_xdata().tolist() == pytest.approx(curves[name], nan_ok=True)
        assert line.get_ydata().tolist() == rates
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["2 clues", "mine", "short", "no strategy can pass", "bound, 2 clues: none can pass"]
    assert [text.get_text() for text in axes.get_yticklabels()] == [f"{100 * at:.0f}%" for at in axes.get_yticks()]
    assert axes.get_ylim()[0] < 0.01 < 0.99 < axes.get_ylim()[1]  # all win rates that were measured


def test_games_of_wordle_are_drawn_by_their_guesses_alone(tmp_path):
    with Store(tmp_path / "r.sqlite") as made:
        sweep([make_task("Greedy(inf)", words=SMALL, format="wordle:6")], 20, store=made)
        picture, data = draw(made, tmp_path / "p.svg", data=True)
        assert (picture, data) == (tmp_path / "p.svg", tmp_path / "p.data.csv")
        head, *rows = csv.reader(data.read_text("utf-8").splitlines())
        assert head == [*COLUMNS] and {row[head.index("panel")] for row in rows} == {"turns"}
        assert math.isclose(sum(float(row[head.index("y")]) for row in rows), 1.0)
        for kind in ("budgets", "wins", "percentiles"):
            with pytest.raises(WordplError, match="has nothing to draw"):
                draw(made, tmp_path / "none.png", kind)


@pytest.fixture(scope="module")
def styled(tmp_path_factory):
    """Two strategies and three seeds at three epsilons, and one that is never won."""
    with Store(tmp_path_factory.mktemp("style") / "results.sqlite") as made:
        specs = [parse_strategy(f"NGuess({n}, {e})") for n in (1, 2) for e in (4, 12, 40)]
        sweep([make_task(spec, seed, words=SMALL) for seed in (1, 2, 10) for spec in specs], 20, store=made)
        sweep([make_task("Greedy(inf)", 1, words=SMALL)], 20, store=made)
        yield made


def test_curves_of_one_group_have_one_colour(styled, tmp_path, figures):
    draw(styled, tmp_path / "p.svg", "wins", where=TaskFilter(["NGuess*"]), style=PlotStyle("seed"))
    curves = [line for line in figures[0].axes[0].lines if line.get_marker() in tuple(MARKERS)]
    looks = [(line.get_color(), line.get_linestyle()) for line in curves]
    assert looks == [(f"C{i}", dashes) for i in range(3) for dashes in ("-", "--")]
    names = [text.get_text() for text in figures[0].legends[0].get_texts()]
    assert names == [f"NGuess(n_guesses={n}), seed {seed}" for seed in ("1", "2", "10") for n in (1, 2)]


def test_texts_are_where_they_were_asked_for_and_the_first_label_holds(styled, tmp_path, figures):
    labels = {"*seed 10": "ten", "NGuess(n_guesses=1)*": "one", "NGuess*": "rest"}
    style = PlotStyle(title="Mine", labels=labels)
    draw(styled, tmp_path / "p.svg", "wins", where=TaskFilter(["NGuess*"]), style=style)
    draw(styled, tmp_path / "deep" / "p.svg", "wins")  # in a folder that was not there before
    usual = "small, letterwise, randomized_response, 20 trials"
    assert [figure.get_suptitle() for figure in figures] == ["Mine", usual]
    assert not figures[0]._suptitle.get_parse_math()
    assert [text.get_text() for text in figures[0].legends[0].get_texts()] == ["one", "ten", "rest"]


def test_a_picture_has_the_size_that_is_asked_for_in_every_format(styled, tmp_path):
    for ending in ("png", "svg"):
        draw(styled, tmp_path / f"p.{ending}", "wins", style=PlotStyle(size=read_size("8x5")))
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
