"""What `wordpl list NAME` says of a strategy: each parameter, and win rates that hold for the strategy as it is."""

import csv
import inspect
import shlex
import sys

import pytest

import wordpl
from experiments import strategies as experiment
from tests.support.refusals import refusal
from wordpl.simulation import WIN_RATES_FILE, describe_strategy

NAMES = sorted(wordpl.library.places())


def rows() -> list[dict[str, str]]:
    with WIN_RATES_FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_and_three_win_rates_of_a_strategy_are_told(name):
    kind, told = wordpl.strategies()[name], describe_strategy(name)
    assert [one.name for one in told.parameters] == list(inspect.signature(kind).parameters)
    for one in told.parameters:
        assert one.meaning.endswith(".") and len(one.meaning) >= 12
        given = inspect.signature(kind).parameters[one.name].default
        assert one.default == (None if given is inspect.Parameter.empty else repr(given))
    assert told.account and "- `" not in told.account and told.source
    assert told.account.split()[0] in (inspect.getdoc(kind) or "")
    text = " ".join((sys.modules[kind.__module__].__doc__ or "").split())
    assert f"Source: {told.source}" in text if "Source: " in text else told.source == kind.__module__
    command = told.win_rates[1].command if told.win_rates else f'wordpl score "{name}(path=...)"'
    assert told.example == command and shlex.split(command)[2].startswith(f"{name}(")
    assert len(told.win_rates) == (0 if name == "FromTable" else 3)
    for row in told.win_rates:
        assert wordpl.parse_strategy(row.spec) == experiment.task_of(f"{row.spec} {row.options}".rstrip()).strategy
        assert row.interval[0] <= row.win_rate <= row.interval[1]


def test_of_a_file_without_wordpl_nothing_is_known(tmp_path):
    (tmp_path / "mine.py").write_text("class Mine:\n    first_move = next_move = print\n")
    assert "Mine imports no wordpl, so nothing is known of it" in refusal(describe_strategy, f"{tmp_path}/mine.py:Mine")


@pytest.mark.published
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["spec"] + row["options"])
def test_the_win_rates_are_those_of_the_strategies_as_they_are(row):
    """A code tells more, but is another in each version of Python. What counts is that they play as they played."""
    task = experiment.task_of(f"{row['spec']} {row['options']}".rstrip())
    found = wordpl.sweep([task], experiment.FIRST)[0]
    assert experiment.digest_of(found) == row["first_games"], "run python -m experiments.strategies"


def test_the_games_and_statistics_of_a_row():
    """One row is played whole, and there is a row for each spec."""
    assert sorted(f"{row['spec']} {row['options']}".rstrip() for row in rows()) == sorted(experiment.SPECS)
    (row,) = [row for row in rows() if row["spec"] == "TwoGuess(epsilon=36.0)"]
    found = wordpl.evaluate(row["spec"], int(row["trials"]))
    statistics = found.mean_budget, found.posterior_win_rate, *found.posterior_interval
    assert [float(row[name]) for name in ("budget", "win_rate", "low", "high")] == pytest.approx(statistics, abs=6e-4)
