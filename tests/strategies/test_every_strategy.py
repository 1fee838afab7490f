"""What every strategy must do, and that it plays what the golden file says. Strategies are found, never listed: a new
one is held to this at once.

Those that play a table made for one setting are held to it in `test_records.py`.
"""

import dataclasses
import json
import math
import typing
from contextlib import suppress

import pytest

import wordpl
from tests.golden import ADVICE, FILE, GAMES, examples, kept, play
from tests.support.helpers import MIDDLE, SIX, SMALL, all_variants, example, games, plays_anywhere
from tests.support.refusals import refusal
from wordpl import Ask, Clue, HistoryStrategy, Setting, WordplError, make_task, parse_spec, parse_strategy, strategies
from wordpl.base.engine import ENGINE_VERSION
from wordpl.play.moves import read_move

ANYWHERE = [strategy for strategy in all_variants() if plays_anywhere(type(strategy))]
EVERY = pytest.mark.parametrize("strategy", ANYWHERE, ids=repr)
KINDS = pytest.mark.parametrize("kind", strategies().values(), ids=lambda kind: kind.__name__)
TRIALS = range(12)
EXAMPLES, KEPT = examples(), kept()


@pytest.mark.parametrize("name", EXAMPLES)
def test_moves_are_as_they_were(name):
    assert name in KEPT, f"no moves of {name} are kept; run: python -m tests.golden"
    assert play(name, EXAMPLES[name]) == KEPT[name], f"moves of {name} changed: {ADVICE}"


def test_the_file_is_of_this_engine_and_of_these_strategies():
    assert (json.loads(FILE.read_text())["engine"], KEPT.keys()) == (ENGINE_VERSION, EXAMPLES.keys()), ADVICE
    for lines in KEPT.values():
        assert len(lines) == GAMES
        assert all(":" in line and "CRASH" not in line and "INVALID" not in line for line in lines)


def at(strategy, epsilon):
    return dataclasses.replace(strategy, epsilon=epsilon)


@EVERY
@pytest.mark.parametrize(
    ("words", "rule", "epsilon"),
    [
        *((SMALL, "letterwise", epsilon) for epsilon in (4.0, math.inf)),
        *((SIX, "counted", epsilon) for epsilon in (13.0, math.inf)),
        (SMALL, "counted", 1e5),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_plays_legal_games_to_their_end(strategy, words, rule, epsilon):
    """Without noise, clues that leave one answer lead to it."""
    for game in games(at(strategy, epsilon), TRIALS, words, rule):
        assert (game.verdict, game.reason) in (("WIN", ""), ("LOSS", ""))
        assert game.proposed in words.answers
        assert game.score == (game.budget if game.proposed == game.answer else math.inf)
        assert all(turn.guess in words.guesses for turn in game.history)
        if epsilon == math.inf:
            assert all(turn.epsilon == math.inf for turn in game.history)
            possible = Setting(words, rule, noiseless=True).belief(game.history).possible
            assert game.proposed in [words.answers[i] for i in possible]
            assert game.won or len(possible) > 1
        else:
            assert all(0 < turn.epsilon < math.inf for turn in game.history)


@pytest.mark.parametrize(
    "strategy",
    [
        *(one for one in ANYWHERE if isinstance(one, HistoryStrategy) and getattr(one, "asks", None) is not None),
        *map(parse_strategy, ("MaxClueEntropy(3, 9, monte_carlo=None)", "NGuess(3, 9)")),
    ],
    ids=repr,
)
def test_the_last_ask_and_no_other_is_followed_by_the_most_probable_answer(strategy):
    setting = Setting(SMALL)
    for game in games(strategy, TRIALS):
        asks = [strategy.last_ask(setting, game.history[:k]) for k in range(len(game.history))]
        assert asks == [False] * (len(asks) - 1) + [True]
        chances = setting.belief(game.history).probabilities
        assert chances[SMALL.answer_index[game.proposed]] == pytest.approx(chances.max(), rel=1e-9)


@EVERY
def test_games_do_not_leak_into_each_other(strategy):
    """The same moves for the same clues and seed: in any order, again, and from a fresh maker."""

    def moves(found):
        return {game.trial: (game.history, game.proposed) for game in found}

    forward = moves(games(strategy, TRIALS))
    assert moves(games(strategy, [*reversed(TRIALS), *TRIALS])) == forward
    assert moves(games(dataclasses.replace(strategy), TRIALS)) == forward


@EVERY
def test_any_clues_at_all_get_legal_moves(strategy):
    """Noise can say anything, contradictions included; and a player can play again."""
    maker = (at(strategy, 9.0) if strategy.noiseless else strategy).players(Setting(SMALL))
    for seed, codes in enumerate([(0, 0, 0), (242, 242, 242), (242, 0, 242), (121, 5, 200), (1, 3, 9)]):
        player = maker(seed)
        for _ in range(2):
            move = read_move(player.first_move(), SMALL, False)
            for code in codes:
                if isinstance(move, Ask):
                    move = read_move(player.next_move(move.guess, move.epsilon, str(Clue(code))), SMALL, False)


@EVERY
def test_takes_a_schedule_of_epsilons(strategy):
    """One for each ask where their number is fixed; else the last stands for all that follow."""
    accepted = []
    for n in range(1, 6):
        with suppress(WordplError):
            accepted.append(len(at(strategy, (1.0,) * n).epsilon))
    assert len(accepted) in (1, 5)
    fixed = accepted[0] if len(accepted) == 1 else None
    plan = tuple(10.0 - 2 * k for k in range(fixed or 3))
    scheduled = at(strategy, plan)
    assert scheduled.epsilon == plan
    assert parse_strategy(repr(scheduled)) == scheduled
    for game in games(scheduled, TRIALS):
        for k, turn in enumerate(game.history):
            assert turn.epsilon == pytest.approx(plan[min(k, len(plan) - 1)], rel=0.1000001)
    if fixed:
        assert "one for each" in refusal(at, strategy, (*plan, 1.0))


@KINDS
def test_words_that_the_list_lacks(kind):
    """A default word is passed over; one that was asked for is an error when it is not in the list."""
    if plays_anywhere(kind):
        make_task(example(kind), words=SIX)
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if field.name in ("first_guess", "fallback"):
            assert str in (typing.get_args(hints[field.name]) or (hints[field.name],))
            with pytest.raises(WordplError, match="'zzzzz' is not in the word list small"):
                make_task(example(kind, **{field.name: "zzzzz"}), words=SMALL)


@pytest.mark.parametrize(
    "spec", ["Greedy()", "NGuess(1)", "Renyi()", "TwoGuess()", "MaxClueEntropy(1, monte_carlo=20)"]
)
def test_strategies_of_the_contest_go_on_after_a_proposal_in_wordle(spec):
    """They guess the most probable answer then; none of them runs out of moves, or asks at another epsilon."""
    setting = Setting(MIDDLE, "counted", format=wordpl.GameFormat(6), noiseless=True)
    referee, maker = wordpl.Referee(setting, 3), parse_spec(spec).build(epsilon=math.inf).players(setting)
    found = [referee.play(trial, maker(trial)) for trial in range(12)]
    assert any(game.won for game in found) and not any(game.reason for game in found)
    for history in (game.history for game in found):
        for k in range(2, len(history)):
            assert setting.belief(history[:k]).top[0] == history[k].guess
