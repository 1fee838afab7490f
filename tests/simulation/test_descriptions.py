"""What `wordpl list NAME` says of a strategy: each parameter, and win rates that hold for the strategy as it is."""

import csv
import inspect
from dataclasses import dataclass

import pytest

import wordpl
from experiments import strategies as experiment
from tests.support.refusals import refusal
from wordpl import Answer
from wordpl.simulation import WIN_RATES_FILE, describe_strategy, descriptions

NAMES = sorted(wordpl.library.places())


def rows() -> list[dict[str, str]]:
    with WIN_RATES_FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_of_the_library_is_explained(name):
    kind, told = wordpl.strategies()[name], describe_strategy(name)
    assert [one.name for one in told.parameters] == list(inspect.signature(kind).parameters)
    for one in told.parameters:
        assert one.meaning.endswith(".") and len(one.meaning) >= 12
        given = inspect.signature(kind).parameters[one.name].default
        assert one.default == (None if given is inspect.Parameter.empty else repr(given))
    assert told.account and "- `" not in told.account and told.source
    assert told.account.split()[0] in (inspect.getdoc(kind) or "")


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_has_its_win_rate_at_three_budgets(name):
    played = describe_strategy(name).win_rates
    assert len(played) == (0 if name == "FromTable" else 3)
    for one in played:
        assert wordpl.parse_strategy(one.spec) == experiment.task_of(f"{one.spec} {one.options}".rstrip()).strategy
        assert one.interval[0] <= one.win_rate <= one.interval[1]
    assert sorted(f"{row['spec']} {row['options']}".rstrip() for row in rows()) == sorted(experiment.SPECS)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.published] * (at % 3 > 0), id=row["spec"] + row["options"])
        for at, row in enumerate(rows())
    ],
)
def test_the_win_rates_are_those_of_the_strategies_as_they_are(row):
    """A code tells more, but is another in each version of Python. What counts is that they play as they played.

    `make test` plays each strategy at one of its three budgets.
    """
    task = experiment.task_of(f"{row['spec']} {row['options']}".rstrip())
    found = wordpl.sweep([task], experiment.FIRST)[0]
    assert experiment.digest_of(found) == row["first_games"], "run python -m experiments.strategies"


def test_the_games_and_figures_of_a_row():
    """One row is played whole."""
    (row,) = [row for row in rows() if row["spec"] == "TwoGuess(epsilon=36.0)"]
    found = wordpl.evaluate(row["spec"], int(row["trials"]))
    figures = found.mean_budget, found.posterior_win_rate, *found.posterior_interval
    assert [float(row[name]) for name in ("budget", "win_rate", "low", "high")] == pytest.approx(figures, abs=6e-4)


@dataclass(frozen=True, repr=False)
class _Foreign(wordpl.HistoryStrategy):
    """Proposes a word.

    - `word`: The word that it
      proposes.
    """

    word: str
    unexplained: int = 3

    def decide(self, setting, history):
        return Answer(self.word)


def test_a_strategy_of_another_package_is_explained_as_far_as_it_says(monkeypatch):
    monkeypatch.setattr(descriptions, "strategies", lambda: {"TwoGuess": _Foreign, "Other": _Foreign})
    told = describe_strategy("TwoGuess")
    assert told.call == "TwoGuess(word, unexplained=3)"
    assert told.account == "Proposes a word."
    assert [(one.default, one.meaning) for one in told.parameters] == [(None, "The word that it proposes."), ("3", "")]
    assert (told.win_rates, told.example) == ((), 'wordpl score "TwoGuess(word=...)"')
    assert told.source == __name__
    assert "there is no strategy 'Othr'; did you mean 'Other'" in refusal(describe_strategy, "Othr")
