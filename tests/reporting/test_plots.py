"""Pictures: one is drawn for each kind, looks as it is asked for, and what cannot be drawn is said."""

import csv
import math
import struct
from typing import Any

import numpy as np
import pandas as pd
import pytest

import wordpl
from tests.support.helpers import SIX, SMALL, Sometimes
from tests.support.pictures import Page, inside
from tests.support.refusals import refusal
from wordpl import Store, WordplError, compare, draw, make_task, parse_strategy, reporting, simulation, sweep
from wordpl.reporting import PlotStyle, plot_differences, plot_evaluations
from wordpl.reporting.plot_panels import draw_panel
from wordpl.reporting.plot_points import COLUMNS, MARKERS, Line, Look, Panel, Point, panels_of
from wordpl.reporting.plots import draw_picture, draw_win_rates, read_labels, read_size
from wordpl.reporting.report_pictures import drawn as drawn_in_page
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


def test_nothing_is_cut_off_and_the_title_says_what_was_played(store, tmp_path, figures):
    draw(store, tmp_path / "deep" / "picture.png")  # in a folder that was not there before
    (figure,) = figures
    assert inside(figure)
    assert figure._suptitle.get_text() == "letterwise, randomized_response, seed 1, 60 trials"
    assert all(axes.get_title() for axes in figure.axes)


def test_a_kind_has_its_panels(store):
    percentiles = ["p05", "p50", "p95"]
    kinds = {"budgets": ["budgets"], "wins": ["wins"], "percentiles": percentiles, "turns": ["turns"]}
    # Here no strategy of several epsilons spends another budget in another game.
    for kind, panels in (*kinds.items(), ("all", ["budgets", "wins", "turns"])):
        found = panels_of(kind, [(curve, Look()) for curve in simulation.curves(read_outcomes(store))])
        assert [panel.name for panel in found] == panels


def test_win_rates_are_joined_in_order_of_epsilon(store):
    """Joined in order of mean budget, noise in the budgets would make dips that are not there."""
    found = [o for o in read_outcomes(store, TaskFilter(["NGuess(n_guesses=2*"])) if not o.task.noiseless]
    for outcome in found:  # budgets that fall while epsilon grows
        outcome.results["budget"] = 100.0 - (outcome.task.epsilon or 0.0)
    (panel,) = panels_of("wins", [(curve, Look()) for curve in simulation.curves(found)])
    axes = new_axes()
    draw_panel(panel, "auto", axes, {})
    assert axes.lines[0].get_xdata().tolist() == [96.0, 88.0, 60.0]
    for name, at in (("wins", (5, 7, 9)), ("turns", (1, 2, 4))):  # shares are not logarithmic unless asked
        for log, scale in (("auto", "linear"), ("y", "log")):
            axes, line = new_axes(), Line("a", tuple(Point(x, 0.001 * 20**i) for i, x in enumerate(at)))
            draw_panel(Panel(name, (line, line)), log, axes, {})
            assert axes.get_yscale() == scale
    centres = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert np.mean(np.reshape(centres, (2, 3)), axis=0) == pytest.approx([1.0, 2.0, 4.0]), "bars stand at their turns"


def test_budgets_of_several_curves_stand_beside_each_other_and_known_ones_across():
    points = [tuple(Point(q, budget + i, (1.0, 9.0)) for i, q in enumerate((0.05, 0.5, 0.95))) for budget in (2.0, 5.0)]
    known = [Line(f"known {i}", tuple(Point(point.x, i + 6.5) for point in points[0])) for i in range(3)]
    panel = Panel("budgets", tuple(Line(f"{i}", one, Look(i), 9.0) for i, one in enumerate(points)), tuple(known))
    axes, legend = new_axes(), dict[tuple[str, str], Any]()
    draw_panel(panel, "auto", axes, legend)
    marks = [line.get_xydata().tolist() for line in axes.lines if line.get_marker() in ("o", "s")]
    assert np.concatenate([one[0] for one in marks if one]) == pytest.approx(
        [-0.175, 2.0, 0.825, 3.0, 1.825, 4.0, 0.175, 5.0, 1.175, 6.0, 2.175, 7.0]
    )
    across = [line.get_xydata().tolist() for line in axes.lines if line.get_color() == "k"]
    assert across == [[[j - 0.42, y], [j + 0.42, y]] for y in (6.5, 7.5, 8.5) for j in range(3)]
    assert [legend["known", f"known {i}"].get_linestyle() for i in range(3)] == [":", "--", "-"]
    assert axes.get_xlim() == (-0.5, 2.5)
    (picture,) = Page(drawn_in_page([panel])).pictures
    *own, dotted, dashed, solid = picture["series"]
    assert [line["look"] for line in own] == [0, 1] and [line["mark"] for line in own] == [True, True]
    for line, dash in ((dotted, "dot"), (dashed, "dash"), (solid, "solid")):
        assert line["look"] == {"name": "text", "dash": dash, "mark": "cross"}


def test_looks_tell_many_curves_apart():
    looks = [Look(i) for i in range(100)]
    for of, n in (("dashes", 4), ("hatch", 5), ("marker", 10)):
        assert len({(look.name, getattr(look, of)) for look in looks[: 10 * n]}) == 10 * n
        assert len({getattr(Look(3, place), of) for place in range(n)}) == n
    assert [Look(3, i).marker for i in range(10)] == [*MARKERS] and not {"^", "v", "x"} & {*MARKERS}
    assert len({look.name for look in looks[:10]}) == 10 and Look(3, 7).name == Look(3).name


@pytest.mark.parametrize(("n", "rows", "columns"), [(1, 1, 1), (3, 1, 3), (4, 2, 2), (5, 2, 3), (7, 3, 3)])
def test_panels_stand_in_rows_of_at_most_three(n, rows, columns, figures, tmp_path):
    draw_picture([lambda axes, legend: None] * n, tmp_path / "p.svg")
    assert {axes.get_gridspec().get_geometry() for axes in figures[0].axes} == {(rows, columns)}
    assert figures[0].get_size_inches().tolist() == pytest.approx([5.2 * columns, 4.2 * rows])


@pytest.mark.parametrize(("most", "x", "log"), [(99.0, (0.0, 103.95), "linear"), (100.0, (0.8, 125.0), "log")])
def test_an_axis_of_two_decades_is_logarithmic(most, x, log):
    points = (Point(1.0, 0.2, (0.1, 0.3)), Point(most, 1.0, (0.9, 1.0)))
    axes = new_axes()
    draw_panel(Panel("wins", (Line("a", points), Line("b", points))), "auto", axes, {})
    assert (axes.get_xscale(), axes.get_xlim(), axes.get_ylim()) == (log, pytest.approx(x), (0.0, 1.02))
    axes = new_axes()
    draw_panel(Panel("p05", (Line("a", points), Line("b", points))), "auto", axes, {})
    drawn = [line for line in axes.lines if line.get_marker() == "o"]
    one, two = (line.get_transform().transform((1.0, 1.0))[0] for line in drawn)
    assert two - one == pytest.approx(1.5 / 72 * axes.figure.dpi), "equal curves are both seen"


def test_the_ending_says_the_format_and_without_one_it_is_png(store, tmp_path):
    for name, begins in (("p.svg", b"<?xml"), ("picture", b"\x89PNG")):
        draw(store, tmp_path / name, "wins", data=True)
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert {path.name for path in tmp_path.iterdir()} >= {"picture", "picture.data.csv"}


def test_what_cannot_be_drawn_or_written_is_said_and_leaves_no_data(store, tmp_path):
    every = TaskFilter()

    def drawn(kind, where, style):
        draw(store, tmp_path / "none.png", kind, where=where, style=PlotStyle(**style))

    for kind, where, style, said in (
        ("win", every, {}, "unknown plot 'win': did you mean 'wins'"),
        ("all", TaskFilter(["None*"]), {}, "nothing to draw: no task has strategy None"),
        ("wins", TaskFilter(["*inf*"]), {}, "nothing to draw"),
        ("all", every, {"by": "sed"}, "unknown by 'sed': did you mean 'seed'? choose from channel, code"),
        ("all", every, {"size": (8.0, math.nan)}, "size (8.0, nan) is not allowed"),
        *(("all", every, {"size": size}, "1 to 100 inches are expected") for size in ((0.9, 5.0), (5.0, 100.1))),
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
        "win rate": lambda **ax: plot_evaluations(outcomes, **ax),
        "epsilon": lambda **ax: plot_evaluations(outcomes, "p50", **ax),
        "difference": lambda **ax: plot_differences(compared, **ax),
        "win": lambda **ax: reporting.plot_frontier({"bound": [1.0, 2.0], "2 clues": [2.0, 3.0]}, [0.1, 0.2], **ax),
    }
    for label, plot in plots.items():
        axes = new_axes()
        assert plot(ax=axes) is axes.figure and axes.figure.axes == [axes] and len(plot().axes) == 1
        assert label in f"{axes.get_xlabel()} {axes.get_ylabel()}"
    noisy = [outcome for outcome in outcomes if not outcome.task.noiseless]
    for call, said in (
        (lambda: plot_evaluations(noisy, "p40"), "unknown panel 'p40'"),
        (lambda: plot_evaluations(noisy, "turns"), "these evaluations have nothing to plot as turns"),
        (lambda: plot_differences(compared, "p5"), "unknown statistic 'p5'"),
    ):
        with pytest.raises(WordplError, match=said):
            call()


LABELS = {
    "budgets": ("smallest budget to win this share", "share of games won", "budget of a game"),
    "wins": ("win rate", "mean budget of a game", "win rate"),
    "p05": ("5th percentile", "epsilon per ask", "privacy budget"),
    "p95": ("95th percentile", "epsilon per ask", "privacy budget"),
    "turns": ("turns at epsilon = ∞", "turns", "share of games"),
}


def test_each_panel_says_what_it_shows(store):
    found = [outcome for outcome in read_outcomes(store) if "small" in outcome.task.words]
    for panel, labels in LABELS.items():
        axes = plot_evaluations(found, panel).axes[0]
        assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == labels
    wordle = wordpl.evaluate("Greedy(9)", trials=20, words=SMALL, format="wordle:6", channel="randomized_response:9")
    assert plot_evaluations([wordle], "turns").axes[0].get_title() == "turns"
    axes = plot_evaluations(found, "wins").axes[0]
    rules = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == ":" and line.get_color() == "grey"]
    assert rules == [0.05, 0.5, 0.95]


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
    with pytest.raises(WordplError, match="no strategy has a finite budget"):
        draw_win_rates(frame[frame.budget == math.inf], tmp_path / "q.svg")


def test_the_frontier_shows_bounds_and_families_but_not_the_best_of_them():
    rates = [0.1, 0.2]
    curves = {"2 clues": [20.0, 30.0], "mine": [11.0, 29.0], "short": [12.0, 12.5], "best": [20.0, 30.0]}
    curves |= {"bound": [1.0, 2.0], "bound, 2 clues": [1.5, math.nan]}
    (axes,) = reporting.plot_frontier(curves, rates).axes
    styles = {"2 clues": "-", "mine": "--", "short": "D", "bound": "k-", "bound, 2 clues": "k|"}
    for line, (name, style) in zip(axes.lines, styles.items(), strict=True):
        assert line.get_xdata().tolist() == pytest.approx(curves[name], nan_ok=True)
        assert line.get_ydata().tolist() == rates
        assert style in (line.get_linestyle(), line.get_marker(), f"k{line.get_linestyle()}", f"k{line.get_marker()}")
        assert (line.get_color() == "k") == style.startswith("k")
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["2 clues", "mine", "short", "no strategy can pass", "bound, 2 clues: none can pass"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_yscale()) == ("budget", "win rate", "logit")
    percents = [text.get_text() for text in axes.get_yticklabels()]
    assert percents == [f"{100 * at:.0f}%" for at in axes.get_yticks()]
    assert percents == ["1%", "5%", "10%", "25%", "50%", "75%", "90%", "95%", "99%"]
    assert axes.get_ylim()[0] < 0.01 and axes.get_ylim()[1] > 0.99


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


@pytest.mark.parametrize(("log", "scales"), [("x", "log linear"), ("y", "linear log"), ("none", "linear linear")])
def test_axes_are_logarithmic_as_asked(styled, tmp_path, figures, log, scales):
    draw(styled, tmp_path / "p.svg", style=PlotStyle(log=log))
    budgets, wins, turns = figures[0].axes
    assert f"{wins.get_xscale()} {wins.get_yscale()}" == scales
    assert [budgets.get_xscale(), turns.get_xscale()] == ["linear"] * 2
    assert [budgets.get_yscale(), turns.get_yscale()] == [scales.split()[1]] * 2
    for axes in (budgets, wins, turns):
        assert (axes.get_ylim()[0] > 0.0) == ("y" in log)
    curves = [line for line in wins.lines if line.get_marker() in tuple(MARKERS)]
    assert (0.0 in [y for line in curves for y in line.get_ydata()]) == ("y" not in log)


def test_curves_of_one_group_have_one_colour_and_names_are_in_order(styled, tmp_path, figures):
    ours = TaskFilter(["NGuess*"])
    for by, looks in (
        ("seed", [(f"C{i}", m) for i in range(3) for m in "os"]),
        (None, [(f"C{i}", "o") for i in range(6)]),
    ):
        draw(styled, tmp_path / "p.svg", "wins", where=ours, style=PlotStyle(by))
        (axes,) = figures[-1].axes
        curves = [line for line in axes.lines if line.get_marker() in tuple(MARKERS)]
        assert [(line.get_color(), line.get_marker()) for line in curves] == looks
    names = [[text.get_text() for text in figure.legends[0].get_texts()] for figure in figures]
    seeds, specs = ("1", "2", "10"), [f"NGuess(n_guesses={n})" for n in (1, 2)]
    assert names[0] == [f"{spec}, seed {seed}" for seed in seeds for spec in specs]
    assert names[1] == [f"{spec}, seed {seed}" for spec in specs for seed in seeds]


def test_texts_are_where_they_were_asked_for_and_the_first_label_holds(styled, tmp_path, figures):
    labels = {"*seed 10": "ten", "NGuess(n_guesses=1)*": "one", "NGuess*": "rest"}
    style = PlotStyle(title="Mine", labels=labels)
    draw(styled, tmp_path / "p.svg", "wins", where=TaskFilter(["NGuess*"]), style=style)
    draw(styled, tmp_path / "p.svg", "wins", style=PlotStyle(title=""))
    assert [figure.get_suptitle() for figure in figures] == ["Mine", ""]
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
