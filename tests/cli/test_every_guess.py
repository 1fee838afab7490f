"""Every number that `rank` and `solve` tell of a guess, worked out again by plain code.

The page's Coach gets the JSON of `solve` (tests/web/test_coach_api.py).
"""

import itertools
import json
import math
import re

import numpy as np
import pytest

from tests.cli.conftest import written
from tests.support import oracles
from tests.support.cells import table
from tests.support.helpers import FEW
from tests.support.oracles import clue_marks, fibble, joint_table, randomized_response
from wordpl import Posterior, channel_family
from wordpl.base.displays import counted

INF = math.inf
SIGNS = ".ic"
UNITS = dict.fromkeys(("clue_entropy", "information_gain", "renyi"), "bits") | {"expected_top": "probability"}
UNITS |= {"expected_remaining": "answers", "largest_part": "answers", "parts": "parts"}
LESS_IS_BETTER = ("expected_remaining", "largest_part")

AFTER = [("crate", 13.0, (0, 0, 1, 2, 2)), ("paste", 7.0, (0, 2, 1, 0, 2))]
TYPED = ["--after", "crate=..icc@13", "--after", "paste=.ci.c@7"]


def places(values):
    """Half of the last of four significant digits of the largest, in which a column is shown."""
    return 0.51 * 10.0 ** (math.floor(math.log10(max(map(abs, values)))) - 3)


def probabilities(rule):
    return [float(p) for p in oracles.bayes(FEW.answers, rule, AFTER) or ()]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("criterion", "rule"),
    [("renyi", "letterwise"), ("largest_part", "counted"), ("parts", "letterwise"), ("expected_remaining", "counted")],
)
def test_each_cell_of_a_ranking(cli, tmp_path, criterion, rule):
    p, always = probabilities(rule), ["clue_entropy", "information_gain", "expected_top", "expected_remaining"]
    names = [*({criterion} - {*always}), *always]
    options = [*written(FEW, tmp_path), "--rule", rule, "-e", "2,9", "-c", criterion, *TYPED]
    shown = json.loads(cli("rank", *options, "--json").out)
    told = shown.pop("guesses")
    assert shown == {"words": "answers+guesses", "rule": rule, "channel": "randomized_response"}
    head, rows = table(cli("rank", *options, "--format", "csv").out)
    assert head == ["word", "epsilon", *(f"{name.replace('_', ' ')} ({UNITS[name]})" for name in names), "odds"]
    assert len(rows) == len(told) == 20
    columns = zip(*(map(float, row[2:-1]) for row in rows), strict=True)
    for epsilon, (first, last) in {2.0: (0, 10), 9.0: (10, 20)}.items():
        noise = randomized_response(epsilon, 5)
        every = {
            word: {name: oracles.score(name, FEW.answers, rule, p, word, noise) for name in names}
            for word in FEW.guesses
        }
        best = sorted((scores[criterion] for scores in every.values()), reverse=criterion not in LESS_IS_BETTER)
        assert [one[criterion] for one in told[first:last]] == pytest.approx(best[:10], abs=1e-9)
        for one, row in zip(told[first:last], rows[first:last], strict=True):
            scores = {name: pytest.approx(value, abs=1e-9) for name, value in every[one["word"]].items()}
            assert one == {"word": one["word"], "epsilon": epsilon, "odds": pytest.approx(math.exp(epsilon))} | scores
            assert (row[0], float(row[1])) == (one["word"], epsilon)
            assert float(row[-1]) == pytest.approx(math.exp(epsilon), rel=6e-4)
    for column, name in zip(columns, names, strict=True):
        values = [one[name] for one in told]
        assert column == pytest.approx(values, abs=places(values))


def test_each_probability_of_a_clue(cli, tmp_path):
    belief = Posterior(FEW).update("crate", 13.0, "..icc").update("paste", 7.0, ".ci.c")
    options = ["taste", "--clues", "-e", "9", "-k", "243", *written(FEW, tmp_path), *TYPED]
    clues = map("".join, itertools.product(SIGNS, repeat=5))
    chances = dict(zip(clues, belief.clue_probabilities("taste", 9.0).tolist(), strict=True))
    shown = json.loads(cli("rank", *options, "--json").out)
    assert {one["clue"]: one["probability"] for one in shown} == pytest.approx(chances, abs=1e-12)
    assert {(one["word"], one["epsilon"]) for one in shown} == {("taste", 9.0)}
    head, rows = table(cli("rank", *options, "--format", "csv").out)
    assert head == ["word", "epsilon", "clue", "probability"]
    assert {row[2]: float(row[3]) for row in rows} == pytest.approx(chances, abs=places(chances.values()))
    assert [float(row[3]) for row in rows] == sorted((float(row[3]) for row in rows), reverse=True)


def test_the_order_of_renyi_and_the_channel_of_the_clues(cli, tmp_path):
    p, noise = [1 / len(FEW.answers)] * len(FEW.answers), randomized_response(9.0, 5)
    options = ["-e", "9", "-k", "2", *written(FEW, tmp_path)]
    for one in json.loads(cli("rank", "-c", "renyi", "--order", "3", *options, "--json").out)["guesses"]:
        joint = joint_table(FEW.answers, "letterwise", p, one["word"], noise, False)
        assert one["renyi"] == pytest.approx(oracles.renyi(joint, 3.0), abs=1e-9)
    exact = json.loads(cli("rank", "taste", "--clues", "-e", "inf", "-k", "243", *options[4:], "--json").out)
    assert len(exact) == len(oracles.part_sizes(FEW.answers, "letterwise", p, "taste"))
    shown = json.loads(cli("rank", "taste", "crate", "--clues", "--channel", "whole_clue", *options, "--json").out)
    belief = Posterior(FEW, channel=channel_family("whole_clue"))
    chances = {word: sorted(belief.clue_probabilities(word, 9.0), reverse=True) for word in ("taste", "crate")}
    likeliest = [(word, pytest.approx(x)) for word, found in chances.items() for x in found[:2]]
    assert [(one["word"], one["probability"]) for one in shown] == likeliest


# Help in a game


def marks_in(clue):
    return tuple(map(SIGNS.index, clue))


def statistics(word, p, rule, noise, ends):
    """All that is told of a guess, and the chance to be right after its clue."""
    joint, sizes = joint_table(FEW.answers, rule, p, word, noise, ends), oracles.part_sizes(FEW.answers, rule, p, word)
    found = {
        "word": word,
        "bits": oracles.information_gain(joint),
        "clue_entropy": oracles.clue_entropy(joint),
        "expected_remaining": oracles.expected_remaining(joint),
        "chance": p[FEW.answers.index(word)],
        "parts": len(sizes),
        "largest_part": max(sizes.values()),
    }
    return found, oracles.expected_top(joint)


def close(record):
    return {key: x if isinstance(x, str) else pytest.approx(x, abs=1e-9) for key, x in record.items()}


RESPONSE, LIES = "randomized_response", "crate=..iic abbot=ii..i --lies 1"
GAMES = [
    ("crate=..icc@13 paste=.ci.c@7 -e 9", "letterwise", RESPONSE, "contest", 9.0, "information_gain"),
    ("crate=..icc@13 -e 2 -c expected_remaining", "letterwise", RESPONSE, "contest", 2.0, "expected_remaining"),
    ("abbey=i..i. -c largest_part", "counted", RESPONSE, "wordle:6", INF, "largest_part"),
    (LIES, "counted", "fibble", "wordle:9", INF, "information_gain"),
    (f"{LIES} --game wordle:4", "counted", "fibble", "wordle:4", INF, "expected_top"),
    (f"{LIES} --game wordle:3", "counted", "fibble", "wordle:3", INF, "chance"),
]
"""What is typed, the rule, the channel and the format of the game, the epsilon of its next clue, and what ranks."""


@pytest.mark.heavy
@pytest.mark.parametrize(("typed", "rule", "channel", "format", "epsilon", "criterion"), GAMES)
def test_each_number_of_the_help_in_a_game(cli, tmp_path, typed, rule, channel, format, epsilon, criterion):
    def noise_at(epsilon):
        return fibble(5) if channel == "fibble" else randomized_response(epsilon, 5)

    ends, typed = format != "contest", [*typed.split(), *written(FEW, tmp_path)]
    turns = [tuple(re.split("[=@]", part)) for part in typed if "=" in part]
    epsilons = [float(given[0]) if given else INF for _, _, *given in turns]
    weights = np.ones(len(FEW.answers))
    for (guess, clue, *_), spent in zip(turns, epsilons, strict=True):
        noise, noisy = noise_at(spent), marks_in(clue)
        weights *= [(not ends or a != guess) * noise(noisy, clue_marks(guess, a, rule)) for a in FEW.answers]
    p = (weights / weights.sum()).tolist()
    chances = dict(zip(FEW.answers, p, strict=True))
    answers = sorted((word for word in FEW.answers if chances[word]), key=lambda word: (-chances[word], word))
    found = {word: statistics(word, p, rule, noise_at(epsilon), ends) for word in FEW.guesses}
    key = {"information_gain": "bits"}.get(criterion, criterion)
    score = {word: top if criterion == "expected_top" else facts[key] for word, (facts, top) in found.items()}
    sign = 1 if criterion in LESS_IS_BETTER else -1
    ranked = sorted(FEW.guesses, key=lambda word: (sign * round(score[word], 9), -chances[word], word))
    ranked = (answers if criterion == "chance" else ranked)[:10]
    scores = [pytest.approx(score[word]) for word in ranked]
    shown = json.loads(cli("solve", *typed, "--json").out)
    screen = cli("solve", *typed).out
    lines = [re.findall(r"[\w.%+-]+", line) for line in screen.splitlines()]
    standing = f"{len(answers)} answers remain"
    advice, played = shown.pop("advice", None), shown.pop("game", None)
    assert shown == {
        "words": "answers+guesses",
        "rule": rule,
        "epsilon": "inf" if epsilon == INF else epsilon,
        "criterion": criterion,
        "hard": False,
        "clues": [
            {"guess": guess, "clue": clue, "epsilon": "inf" if spent == INF else spent, "known": True}
            for (guess, clue, *_), spent in zip(turns, epsilons, strict=True)
        ],
        "solved": None,
        "only": None,
        "remaining": len(answers),
        "effective_remaining": pytest.approx(1 / math.fsum(q * q for q in p)),
        "bits_left": pytest.approx(oracles.entropy(p)),
        "answers": [{"word": word, "chance": pytest.approx(chances[word])} for word in answers],
        "suggestions": [close(found[word][0]) for word in ranked],
        "scores": scores,
        "best_answer": close(next(found[word][0] for word in ranked if chances[word])),
    }
    if ends:
        false = [
            [math.fsum(q for a, q in chances.items() if clue_marks(guess, a, rule)[k] != noisy[k]) for k in range(5)]
            for guess, noisy in ((guess, marks_in(clue)) for guess, clue in turns)
        ]
        left = int(format.partition(":")[2]) - len(turns)
        standing += f", and {counted(left, 'row')}"
        assert played == {
            "format": format,
            "channel": channel,
            "rows_left": left,
            "win_chances": scores if left < 3 else [],
            "false_marks": [pytest.approx(row, abs=1e-12) for row in false] if channel == "fibble" else [],
        }
        shares = [[int(share.rstrip("%")) for share in line[2:]] for line in lines if tuple(line[:2]) in turns]
        assert shares == [pytest.approx([100 * x for x in row], abs=0.51) for row in false if channel == "fibble"]
    else:
        standing = f"Effectively {shown['effective_remaining']:.4g} answers remain"
        assert (advice["word"], advice["chance"]) == (answers[0], pytest.approx(chances[answers[0]]))
        _, raised = statistics(advice["guess"], p, rule, noise_at(advice["epsilon"]), ends)
        rise = f"raises {100 * chances[answers[0]]:.3g}% to {100 * raised:.3g}% on average"
        assert advice["raised"] == pytest.approx(raised)
        assert f"Asking {advice['guess'].upper()} at {advice['epsilon']:g} {rise}" in advice["text"]
    at = f" at epsilon {'∞' if epsilon == INF else f'{epsilon:g}'}" if standing.startswith("Effectively") else ""
    assert f"\n{standing}. Best next guesses{at}:" in f"\n{screen}"
    best = shown["best_answer"]
    chance = f"{100 * best['chance']:.3g}%"
    assert f"Best possible answer: {best['word']}, {best['bits']:.4f} bits, chance {chance}.\n" in screen
    cells = {line[0]: line[1:5] for line in reversed(lines) if len(line) > 3}
    for word, (facts, _) in ((word, found[word]) for word in ranked):
        bits, answers_left, chance, *last = cells[word]
        assert float(bits) == pytest.approx(facts["bits"], abs=6e-5)
        assert float(answers_left) == pytest.approx(facts["expected_remaining"], abs=6e-3)
        assert float(chance.rstrip("%")) == pytest.approx(100 * facts["chance"], rel=6e-3)
        unit = 100 if ends and left < 3 else 1
        shown_score = [] if criterion in ("information_gain", "expected_remaining") else [score[word]]
        assert [float(cell.rstrip("%")) / unit for cell in last] == pytest.approx(shown_score, rel=6e-3)
