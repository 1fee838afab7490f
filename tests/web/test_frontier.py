"""The frontier behind the page: the table of the package, the records, and both bounds."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

import wordpl
from experiments.bounds.accounting import pure_success
from tests.web.conftest import answered
from wordpl.simulation import WIN_RATES, known_errors, known_frontier
from wordpl.simulation.known_budgets import RECORDS
from wordpl.web.api import frontier

pytestmark = pytest.mark.heavy
ANSWERS = 2315


def read(client, **query):
    found = answered(client.get("/api/frontier", params=query))
    return found, {curve["name"]: curve["budgets"] for curve in found["curves"]}


def test_the_curves_are_those_of_the_table(client):
    found, curves = read(client)
    assert found["win_rates"] == list(WIN_RATES)
    kinds = {"best": "best", "bound": "bound", "bound, 2 clues": "two_clues", "privacy, any clues": "privacy"}
    kinds |= dict.fromkeys(("Fifth", "Median", "NinetyFifth"), "record")
    kinds |= dict.fromkeys(("TwoGuess", "NGuess", "MaxClueEntropy", "G3", "D95"), "published")
    assert {one["name"]: one["kind"] for one in found["curves"]} == {name: kinds.get(name, "clues") for name in curves}
    told = {one["name"]: one["errors"] for one in found["curves"] if one["errors"] is not None}
    errors = {name: [at if math.isfinite(at) else None for at in column] for name, column in known_errors().items()}
    assert told == {name: column for name, column in errors.items() if name in curves} != {}
    for name, budgets in known_frontier().items():
        assert curves[name] == [pytest.approx(budget) if math.isfinite(budget) else None for budget in budgets]


def test_twenty_clients_wait_for_one_computation(client, monkeypatch):
    computed = []
    monkeypatch.setattr(frontier, "approximate_budget", lambda *given: computed.append(given) or 9.0)
    with ThreadPoolExecutor(20) as clients:
        first, *others = clients.map(lambda _: read(client, clues=10), range(20))  # that no other test asks for
    assert all(other == first for other in others)
    assert len(computed) == len(WIN_RATES)


def test_accounting_is_inverted(client):
    _, curves = read(client, clues=2)
    for rate, pure, accounted in zip(WIN_RATES, curves["privacy, any clues"], curves["privacy, 2 clues"], strict=True):
        assert pure_success(pure, ANSWERS) == pytest.approx(rate)
        assert wordpl.limits.approximate_success(accounted, 2, ANSWERS) == pytest.approx(rate, rel=1e-6)


def test_the_records_are_the_contests_and_ours(client):
    found, curves = read(client)
    before = {one["win_rate"]: one["budget"] for one in found["records"] if not one["ours"]}
    ours = {one["win_rate"]: one for one in found["records"] if one["ours"]}
    assert before == RECORDS
    assert ours.keys() == RECORDS.keys()
    for rate, one in ours.items():
        assert one["budget"] < RECORDS[rate]
        at = found["win_rates"].index(rate)
        assert 0.995 * one["budget"] < curves[one["name"]][at] <= one["budget"]
