"""Strategies that play a table: what they were compiled from, the three of the records, and the published G3 and D95.

`tests/golden/published_games.json` has 200 games of each of these, played by the files g3.py and d95.py of the
contest's repository (2025-05-20) as trials 0 to 199 under seed 1: guesses with noisy clues, then the word proposed.
"""

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wordpl
from tests.support.commands import ROOT
from tests.support.helpers import ORIGINAL, SIX, SMALL, THREE, TINY, compiled
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Clue, Setting, Turn, WordplError, evaluate, library, parse_strategy, score_guesses
from wordpl.library import records
from wordpl.library.records import FromTable
from wordpl.library.renyi import Renyi
from wordpl.limits import compute_win_rate


@pytest.mark.heavy
@pytest.mark.parametrize("strategy", [Renyi((6.0, 4.5)), Renyi((3.0, 7.5), (1.5, 3.0), first_guess=None)], ids=repr)
def test_a_table_replays_to_the_same_value(strategy, tmp_path):
    setting = Setting(THREE, "counted")
    table = compiled(strategy, setting, 2, 1, tmp_path / "table.json")
    one, other = (compute_win_rate(s, setting, exact=True) for s in (strategy, table))
    assert other.win_rate == pytest.approx(one.win_rate, abs=1e-12)
    assert other.budget == pytest.approx(one.budget)
    assert one.histories == other.histories


def test_after_the_table_the_rest_is_shared_by_the_entropy_of_what_is_not_left_out(tmp_path):
    setting = Setting(THREE)
    shared = {"budget_fractions": ((0.0, 0.3), (2.0, 0.7)), "order": 1.5}
    policy = compiled(Renyi((4.0, 3.0, 2.0)), setting, 3, 0, tmp_path / "t.json", **shared).policy
    replace(policy, relative_cutoff=0.2).save(tmp_path / "cut.json")
    guess, epsilon = policy.moves[()]
    strategy, turn = FromTable(str(tmp_path / "cut.json")), Turn(guess, epsilon, 4)
    p = setting.belief((turn,)).probabilities
    likely = wordpl.Posterior(THREE, prior=np.where(p >= 0.2 * p.max(), p, 0.0))
    assert len(likely.possible) < len(p) and likely.entropy < 2.0
    asked = strategy.decide(setting, (turn,))
    assert asked.epsilon == pytest.approx((9.0 - turn.epsilon) * (0.3 + 0.2 * likely.entropy))
    assert asked.guess == wordpl.best_guess(likely, asked.epsilon, "renyi", order=1.5)
    history = (turn, Turn(asked.guess, asked.epsilon, 7))
    belief = setting.belief(history).truncate(0.2)
    move = Ask(wordpl.best_guess(belief, 5.0 - asked.epsilon, "expected_top"), pytest.approx(5.0 - asked.epsilon))
    assert strategy.decide(setting, history) == move


@pytest.mark.parametrize("factor", [0.5, 1.0])
def test_the_budget_scales_all_epsilons(factor, tmp_path):
    setting = Setting(TINY)
    plain = compiled(Renyi((6.0, 4.5)), setting, 2, 1, tmp_path / "t.json")
    table = FromTable(plain.path, budget=10.5 * factor)
    first = table.decide(setting, ())
    assert first.epsilon == pytest.approx(6.0 * factor)
    second = table.decide(setting, (Turn(first.guess, first.epsilon, 7),))
    assert second.epsilon == pytest.approx(4.5 * factor)
    assert second.guess == plain.decide(setting, (Turn(first.guess, 6.0, 7),)).guess
    assert compute_win_rate(table, setting).budget == pytest.approx(10.5 * factor)
    if factor == 1.0:
        assert compute_win_rate(table, setting).win_rate == compute_win_rate(plain, setting).win_rate


def test_the_last_ask_spends_all_that_is_left(tmp_path):
    """Even if the table has it otherwise."""
    policy = wordpl.limits.Policy(
        9.0, 2, {(): ("abc", 5.0), (0,): ("bca", 1.0)}, made_for=wordpl.limits.setting_identity(Setting(THREE))
    )
    policy.save(tmp_path / "t.json")
    table = FromTable(str(tmp_path / "t.json"))
    assert table.decide(Setting(THREE), (Turn("abc", 5.0, 0),)) == Ask("bca", 4.0)
    assert not table.last_ask(Setting(THREE), ())
    assert table.last_ask(Setting(THREE), (Turn("abc", 5.0, 0),))


def test_a_table_that_has_changed_is_not_played(tmp_path):
    table = compiled(Renyi((6.0, 4.5)), Setting(TINY), 2, 1, tmp_path / "t.json")
    replace(table.policy, made_by="another").save(tmp_path / "t.json")
    assert FromTable(table.path).identity != table.identity
    records._table.cache_clear()  # as in a worker that has not read it
    with pytest.raises(WordplError, match="has changed since it was named"):
        _ = table.policy


def test_what_it_cannot_play_is_refused(tmp_path):
    table = compiled(Renyi((6.0, 4.5)), Setting(TINY), 2, 1, tmp_path / "t.json")
    for setting in (Setting(SMALL), Setting(SIX), Setting(TINY, "counted")):
        assert "the policy was made for" in refusal(compute_win_rate, table, setting)
    with pytest.raises(WordplError, match=r"not 'small'; choose a strategy .* such as NGuess"):
        evaluate(table, 5, words=SMALL, jobs=1)
    for spec, setting, said in (
        ("Fifth()", Setting(SMALL), "made for words 'original', not 'small'"),
        ("Fifth()", WHOLE_CLUE, "made for channel 'randomized_response', not 'whole_clue'"),
        ("Fifth(channel='whole_clue')", CONTEST, "made for channel 'whole_clue', not 'randomized_response'"),
    ):
        assert said in refusal(compute_win_rate, spec, setting)
    said = "Fifth has no table for channel fibble; it has one for randomized_respons"
    assert said in refusal(parse_strategy, "Fifth(channel='fibble')")
    assert "cannot read policy nowhere.json: No such file" in refusal(FromTable, "nowhere.json")
    for spec in ("G3(inf, 5.3)", "G3(9.3, inf)", "D95(inf)"):
        assert "inf is not allowed" in refusal(parse_strategy, spec)
    for strategy in map(parse_strategy, ("G3(9.3, 5.3)", "D95(25)")):
        for setting in (Setting(SMALL), Setting(ORIGINAL, "counted")):
            assert "the contest's words and rule" in refusal(strategy.check, setting)


RECORDS = pd.read_csv(ROOT / "experiments" / "tables" / "records.csv").set_index("strategy")
EACH = pytest.mark.parametrize("name", ["Fifth", "Median", "NinetyFifth"])
CONTEST = Setting(ORIGINAL)


def record(name):
    return parse_strategy(f"{name}()")


@pytest.mark.published
@EACH
def test_wins_its_percentile(name):
    """Two clues by the exact value, four by an estimate, and three by a few games, which takes less time."""
    strategy, published = record(name), RECORDS.loc[f"{name}()"]
    assert published["percentile"] <= published["low"] <= published["win_rate"] < published["percentile"] + 0.01
    assert published["budget"] == strategy.total
    if strategy.policy.clues == 3:
        chances = evaluate(strategy, 120, seed=9, jobs=1).results["chance"]
        assert abs(chances.mean() - published["win_rate"]) < 4 * chances.std(ddof=1) / math.sqrt(len(chances))
    else:
        found = compute_win_rate(strategy, CONTEST, standard_error=0.0003)
        assert found.exact == (strategy.policy.clues == 2) and found.standard_error < 0.00035
        assert found.win_rate == pytest.approx(published["win_rate"], abs=3 * found.standard_error + 1e-8)
        assert found.budget == pytest.approx(strategy.total)


@EACH
def test_a_move_from_the_table_takes_no_search(name, monkeypatch):
    strategy = record(name)
    monkeypatch.setattr(records, "by_order", None)
    for path, (guess, epsilon) in strategy.policy.moves.items():
        history = ()
        for code in path:
            move = strategy.decide(CONTEST, history)
            history += (Turn(move.guess, move.epsilon, code),)
        move = strategy.decide(CONTEST, history)
        assert move.guess == guess
        assert move.epsilon == pytest.approx(epsilon * strategy.total / strategy.policy.budget)


WHOLE_CLUE = Setting(ORIGINAL, channel=wordpl.channel_family("whole_clue"))


@pytest.mark.parametrize(
    ("name", "percentile"), [("Fifth", 0.05), pytest.param("Median", 0.5, marks=pytest.mark.published)]
)
def test_whole_clue_records_win_their_percentile(name, percentile):
    found = compute_win_rate(f"{name}(channel='whole_clue')", WHOLE_CLUE)
    assert found.exact and 0.0 <= found.win_rate - percentile < 1e-4


@pytest.mark.parametrize("name", ["Fifth", "Median", "NinetyFifth"])
def test_a_record_spends_the_budget_whose_win_rate_was_measured(name):
    table = pd.read_csv(ROOT / "experiments/tables/mechanisms.csv", index_col=["mechanism", "games won"])["best known"]
    share = {"Fifth": "5%", "Median": "50%", "NinetyFifth": "95%"}[name]
    names = {"randomized_response": "letter by letter", "whole_clue": "whole clue", "ball:1": "ball of radius 1"}
    channels = getattr(records, name).budgets
    found = {channel: parse_strategy(f"{name}(channel={channel!r})").total for channel in channels}
    assert found == {channel: float(table[names[channel], share]) for channel in channels}
    for channel in channels:
        parse_strategy(f"{name}(channel={channel!r})").check(Setting(ORIGINAL, channel=wordpl.channel_family(channel)))
    # That of another channel is another strategy.
    whole = parse_strategy("Fifth(channel='whole_clue')")
    assert repr(parse_strategy("Fifth(7, channel='ball:0')")) == "Fifth(budget=7.0, channel='whole_clue')"
    assert whole.total == whole.policy.budget and whole.identity != parse_strategy("Fifth()").identity
    table = (ROOT / "strategies" / "policies" / "fifth_whole_clue.json").read_bytes()
    assert whole.content == hashlib.sha256(table).hexdigest()[:16]


def test_fifth_asks_what_the_expected_top_posterior_says():
    """The table is Renyi's, made for its own budget."""
    policy = record("Fifth").policy
    assert set(policy.moves) == {(), *((code,) for code in range(243))}
    first, epsilon = policy.moves[()]
    again = Renyi((epsilon, policy.budget - epsilon), first_guess=first)
    for code in (0, 1, 17, 40, 121, 200, 242):
        history = (Turn(first, epsilon, code),)
        assert again.decide(CONTEST, history).guess == policy.moves[code,][0]


PLAYED = json.loads((Path(__file__).parents[1] / "golden" / "published_games.json").read_text("utf-8"))


@pytest.mark.parametrize("spec", PLAYED)
def test_the_moves_are_those_of_the_contests_files(spec):
    """A third guess may be another one that is worth the same: the files take the first in their own order of words."""
    strategy, others = parse_strategy(spec), 0
    epsilons = (9.3, 5.3) if spec.startswith("G3") else (strategy.epsilon,) * 3
    for *turns, proposed in PLAYED[spec][::2]:
        history = ()
        for (guess, clue), epsilon in zip(turns, epsilons, strict=True):
            move = strategy.decide(CONTEST, history)
            assert move.epsilon == epsilon
            if move.guess != guess:
                others += 1
                assert len(history) == 2
                assert worth(strategy, history, move.guess) == pytest.approx(worth(strategy, history, guess), abs=1e-12)
            history += (Turn(guess, epsilon, Clue.parse(clue).code),)
        assert strategy.decide(CONTEST, history) == Answer(proposed)
    assert len(PLAYED[spec]) == 200 and others <= 5


def worth(strategy, history, guess):
    """The expected top posterior of a third guess of D95, among the answers that it looks at."""
    belief = strategy.likeliest(CONTEST, history)
    at = ORIGINAL.guess_index[guess]
    return float(score_guesses(belief, strategy.epsilon, "expected_top", guesses=[at])[0])


@pytest.mark.parametrize(("epsilon", "table"), [(19.99, "D95_below_20"), (20.0, "D95")])
def test_the_second_guesses_of_d95_change_at_20(epsilon, table):
    strategy = parse_strategy(f"D95({epsilon})")
    second = json.loads((Path(library.__path__[0]) / "policies" / "published.json").read_text("utf-8"))[table]
    assert len(second) == 243
    for clue, guess in second.items():
        assert strategy.decide(CONTEST, (Turn("salet", epsilon, Clue.parse(clue).code),)) == Ask(guess, epsilon)


def test_the_win_rate_of_g3_is_the_published_one():
    assert compute_win_rate("G3(9.3, 5.3)").win_rate == pytest.approx(0.05288, abs=5e-6)
    assert compute_win_rate(f"G3({9.3 * 14.3204 / 14.6!r}, {5.3 * 14.3204 / 14.6!r})").win_rate == pytest.approx(
        0.05, abs=1e-6
    )


@pytest.mark.published
def test_the_win_rate_of_d95_is_the_published_one():
    """All 59,049 histories; other choices among third guesses that are worth the same move the fifth digit."""
    found = compute_win_rate("D95(25)")
    assert found.exact
    assert found.win_rate == pytest.approx(0.94995, abs=2e-5)
