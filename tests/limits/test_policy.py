"""Policies: to a file and back, the same bytes, and whatever is wrong with one is said, not played."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.helpers import TINY
from tests.support.refusals import refusal
from tests.support.small_games import MADE_FOR, PLAIN, WORD
from wordpl import Setting, WordplError
from wordpl.limits import Policy, load_policy

LONGER = Policy(20.0, 4, {(): (WORD, 5.0)}, budget_fractions=((0.0, 0.2), (4.0, 0.6)), order=1.5, made_for=MADE_FOR)

# Entropies, none closer to another than what is allowed.
POLICIES = [PLAIN, LONGER, replace(LONGER, order=math.inf, relative_cutoff=0.01, made_by="é")]


@pytest.mark.parametrize("policy", POLICIES)
def test_round_trip(policy, tmp_path):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    policy.save(one)
    loaded = load_policy(one)
    assert loaded == policy
    # The same bytes, in whatever order the moves were found.
    replace(loaded, moves=dict(reversed(list(loaded.moves.items())))).save(other)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("total", [0.7, 31.4])
def test_a_plan_scales_every_clue_but_the_last_which_gets_the_rest(policy, total):
    plan = policy.plan(total)
    assert plan.budget == plan.worst == total
    assert [LONGER.budget_fraction(bits) for bits in (-1.0, 2.0, 9.0)] == pytest.approx([0.2, 0.4, 0.6])
    assert [r.epsilon for r in plan.rounds] == [None] * policy.clues
    assert plan.rounds[-1].by == "expected_top"
    assert {r.relative_cutoff for r in plan.rounds} == {policy.relative_cutoff}
    assert plan.moves.keys() == policy.moves.keys()
    for path, (guess, epsilon) in policy.moves.items():
        rest = len(path) == policy.clues - 1
        assert plan.moves[path] == (guess, None if rest else pytest.approx(epsilon * total / policy.budget))


def test_the_policies_of_the_library_are_saved_as_they_are(tmp_path):
    paths = [*(Path(__file__).parents[2] / "strategies" / "policies").glob("*[!d].json")]  # all but published.json
    for path in paths:
        load_policy(path).save(tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert len(paths) == 7


@pytest.mark.parametrize("what", MADE_FOR)
def test_other_settings_are_refused_and_what_does_not_say_what_it_is_for(what):
    PLAIN.check(Setting(TINY))
    for other in ({what: 0}, {}):
        made_for = {key: value for key, value in MADE_FOR.items() if key != what} | other
        with pytest.raises(WordplError, match=f"made for {what} {other.get(what)}, not .*; choose a strategy"):
            replace(PLAIN, made_for=made_for).check(Setting(TINY))
    assert "made for words 'x', not 'tiny'; choose" in refusal(
        replace(PLAIN, made_for=MADE_FOR | {"words": "x"}).check, Setting(TINY)
    )


# What no policy can be: as changes to the record in the file

MOVES = {"": [WORD, 5.0], ".....": [WORD, 4.0]}

BAD = (
    {"clues": 4, "budget_fractions": []},  # not all clues are covered
    *({"moves": moves} for moves in (MOVES | {"": ["zzzzz", 5.0]}, {".....": [WORD, 4.0]})),
    *({"moves": MOVES | {clue: [WORD, epsilon]}} for clue, epsilon in (("..q..", 4.0), (".....", 0.0))),
    *({"budget_fractions": [[5.0, 0.1], [bits, 0.9]]} for bits in (0.0, 5.0, math.inf)),
    {"budget_fractions": [[0.0, 1.0]]},
    {"order": 0.05},
)


def edited(directory, change):
    """The file of a good policy with some of its record changed."""
    path = directory / "policy.json"
    PLAIN.save(path)
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | change))
    return path


def refused(path):
    return refusal(lambda: load_policy(path).check(Setting(TINY)))


def test_an_edited_file_is_taken_and_another_format_is_refused(tmp_path):
    for other in (0, 99):
        assert "make it anew, or use the wordpl that made it" in refused(edited(tmp_path, {"format": other}))
    load_policy(edited(tmp_path, {})).check(Setting(TINY))
    assert load_policy(edited(tmp_path, {})) == PLAIN
    assert replace(PLAIN, clues=3).plan(9.0).rounds[-1].by == "expected_top", "the last of three takes the rest"


def test_bad_records_and_missing_parts(tmp_path):
    for change in BAD:
        refused(edited(tmp_path, change))
    path = edited(tmp_path, {})
    record = json.loads(path.read_text())
    for key in record:
        path.write_text(json.dumps({name: value for name, value in record.items() if name != key}))
        assert "policy.json" in refused(path)
