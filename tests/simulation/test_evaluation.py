"""Evaluations: their statistics by hand, and the win rates that are known."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.support.helpers import SMALL, Sometimes
from wordpl import evaluate
from wordpl.simulation import mean_interval, percentile_interval, win_interval
from wordpl.simulation.outcomes import turn_shares


@pytest.fixture(scope="module")
def found():
    return evaluate("Greedy(epsilon=9, certainty=0.6)", 400, seed=2, words=SMALL)


def test_statistics_by_hand(found):
    frame = found.frame
    won = frame["verdict"] == "WIN"
    assert (won == (frame["answer"] == frame["proposed"])).all()
    assert 0 < won.sum() == found.wins < 400 == found.trials
    assert found.win_rate == won.mean() and turn_shares(found, ())[0][0] == (~won).mean()
    assert found.interval == win_interval(int(won.sum()), 400)
    scores = np.where(won, frame["budget"], math.inf)
    assert (found.scores == scores).all()
    assert (frame["score"] == scores).all() and list(frame)[5:8] == ["budget", "score", "asks"]
    assert (frame["budget"] == 9.0 * frame["asks"]).all()
    ordered = np.sort(scores)
    assert found.percentile(0.25) == pytest.approx(ordered[99] + 0.75 * (ordered[100] - ordered[99]))
    assert [found.p05, found.p50, found.p95] == [found.percentile(q) for q in (0.05, 0.5, 0.95)]
    surer = replace(found, confidence=0.9)
    assert surer.percentile_interval(0.5) == percentile_interval(scores, 0.5, 0.9)
    assert surer.interval == win_interval(int(won.sum()), 400, 0.9)
    assert surer.posterior_interval == mean_interval(frame["chance"], 0.1)
    assert found.turns == frame["turns"][won].value_counts().sort_index().to_dict()
    assert found.mean_turns == pytest.approx(frame["turns"][won].mean())
    assert found.posterior_win_rate == pytest.approx(frame["chance"].mean())
    assert found.posterior_interval == mean_interval(frame["chance"])
    others = dict.fromkeys(("INVALID", "TIMEOUT", "CRASH", "MEMORY", "PROTOCOL"), 0)
    assert found.verdicts == {"WIN": won.sum(), "LOSS": 400 - won.sum()} | others
    assert frame["trial"].tolist() == list(range(400))


def test_the_summary_is_json_with_null_for_infinity(found):
    plain = json.loads(json.dumps(found.summary(), allow_nan=False))
    assert plain["strategy"] == "Greedy(epsilon=9.0, certainty=0.6)"
    assert plain["win_rate_interval"] == list(found.interval)
    for name, value in (("p05", found.p05), ("p50", found.p50), ("p95", found.p95)):
        assert plain[name] == (value if math.isfinite(value) else None)
    never = evaluate(Sometimes(), 30, seed=4, words=SMALL)
    plain = json.loads(json.dumps(never.summary(), allow_nan=False))
    assert [plain[name] for name in ("p05", "p50", "p95")] == [None] * 3
    assert (plain["errors"], plain["timeouts"]) == (never.errors, 0)
    assert sum(entry["trials"] for entry in plain["reasons"]) == never.errors
    assert (never.wins, never.turns, never.mean_turns, never.p05) == (0, {}, None, math.inf)
    assert never.interval[0] == 0.0
    failed = replace(never, results=never.results[(never.frame["verdict"] != "LOSS").to_numpy()].repeat(300))
    for found in (never, failed):
        assert ("posterior win rate" in [row[0] for row in found.estimates]) == (found is never), found
    assert [share for share, _ in turn_shares(never, (1,))] == [0.0, 1.0]


def test_the_five_commonest_reasons_are_told(found):
    counts = {f"reason {i}": i for i in range(1, 8)}
    reasons = dict(enumerate(reason for reason, n in counts.items() for _ in range(n)))
    assert replace(found, reasons=reasons).commonest_reasons == [(f"reason {i}", i) for i in (7, 6, 5, 4, 3)]


@pytest.mark.published
def test_max_clue_entropy_wins_as_often_as_the_published_code():
    """0.5140 +- 0.0023 with 200 draws for each candidate, as published. 500 games have a standard error of 0.0145."""
    run = evaluate("MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)", 500, jobs=2)
    chances = run.results["chance"]
    error = math.hypot(chances.std(ddof=1) / math.sqrt(500), 0.0023)
    assert abs(run.posterior_win_rate - 0.5140) < 3 * error
    assert set(run.results["budget"]) == {39.0}
    assert run.errors == run.timeouts == 0
    assert run.p05 == 39.0
