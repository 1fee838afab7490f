"""The Gymnasium environment: Gymnasium's own check, the games of `evaluate`, and regrets by plain numpy."""

import math

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import wordpl
from tests.support.helpers import SMALL
from tests.support.refusals import refusal
from wordpl.play.environment import WordplEnv
from wordpl.play.moves import InvalidMoveError

WORDLE = {"format": "wordle:6", "channel": "fibble:0"}


@pytest.mark.parametrize("options", [{}, WORDLE, {"format": "wordle:4", "channel": "randomized_response:12"}])
@pytest.mark.parametrize("observation", ["text", "array"])
def test_gymnasium_accepts_it(options, observation):
    check_env(WordplEnv(words=SMALL, observation=observation, **options), skip_render_check=True)


@pytest.mark.parametrize("spec", ["NGuess(2, 9)", "Greedy(12)"])
def test_it_plays_the_games_of_evaluate(spec):
    strategy, env = wordpl.parse_strategy(spec), WordplEnv(words=SMALL, graded=False, lost=1000)
    env.reset(seed=7)
    for _, row in wordpl.evaluate(strategy, trials=20, seed=7, words=SMALL).frame.iterrows():
        total, ended = 0.0, False
        while not ended:
            _, reward, ended, truncated, info = env.step(strategy.decide(env.setting, env.history))
            assert not truncated
            total += reward
        assert (info["answer"], info["won"]) == (row["answer"], row["verdict"] == "WIN")
        assert total == pytest.approx(-row["budget"] - (0 if info["won"] else 1000))
        env.reset()


def test_the_regret_of_a_move_is_what_the_best_one_has_more():
    env = WordplEnv(words=SMALL)
    env.reset(seed=3)
    observed, *_ = env.step((SMALL.guesses[5], 6.123456))
    assert observed.startswith(f"{SMALL.guesses[5]} ") and observed.endswith(" 6.123456")
    belief = env.setting.belief(env.history)
    gain = wordpl.score_guesses(belief, 9.0, "information_gain")
    # P(right after the clue): the largest joint probability of answer and clue, summed over the clues.
    channel, clues = wordpl.RandomizedResponse(9.0), wordpl.clue_matrix(SMALL)
    joint = np.stack([channel.likelihood(c) for c in range(SMALL.n_clues)])  # [noisy, true]
    top = np.array([(joint[:, row] * belief.probabilities).max(axis=1).sum() for row in clues])
    _, reward, *_, info = env.step((SMALL.guesses[0], 9.0))
    assert reward == -9.0
    assert info["regret_bits"] == pytest.approx(gain.max() - gain[0], abs=1e-9)
    assert info["regret_win_rate"] == pytest.approx(top.max() - top[0], abs=1e-9)
    belief = env.setting.belief(env.history)
    *_, info = env.step(f"propose {SMALL.answers[2]}")
    lost = belief.probabilities.max() - belief.probabilities[2]
    assert (info["regret_bits"], info["regret_win_rate"]) == (0, pytest.approx(lost)) and lost > 0


def test_what_is_no_move_changes_nothing():
    env = gymnasium.make("wordpl-v0", words=SMALL, max_asks=2).unwrapped
    assert "call reset" in refusal(env.step, "propose xxxxx")
    env.reset(seed=1)
    for action in ("crate", "propose xxxxx", ("xxxxx", 3.0), (SMALL.guesses[0], float("inf"))):
        with pytest.raises(InvalidMoveError):
            env.step(action)
    assert env.history == ()
    assert [env.step((SMALL.guesses[0], 3.0))[3] for _ in range(2)] == [False, True]
    env.reset(seed=1)
    answer = env.step(f"propose {SMALL.answers[0]}")[4]["answer"]
    env.reset(seed=1)
    assert env.step({"guess": 0, "epsilon": 1.0, "propose": 1 + SMALL.answers.index(answer)})[4]["won"]


@pytest.mark.parametrize("observation", ["text", "array"])
def test_what_is_told_before_in_and_after_a_game(observation):
    """An array has the turns in order, and -1 for those that have not come."""
    env, n = WordplEnv(words=SMALL, graded=False, max_asks=3, observation=observation), len(SMALL.answers)
    *_, info = env.reset(seed=2, options={"trial": 5})
    even = {"entropy": pytest.approx(math.log2(n)), "best_proposal": SMALL.answers[0], "chance": pytest.approx(1 / n)}
    assert info == {"trial": 5, **even}
    for asks, (guess, epsilon) in enumerate([(4, 3.0), (7, 4.5), (1, 6.0)], 1):
        observed, reward, *ends, info = env.step((SMALL.guesses[guess], epsilon))
        assert (reward, ends, info.keys()) == (-epsilon, [False, asks == 3], {"trial", *even})
        codes = [turn.clue for turn in env.history]
        seen = [[4, 7, 1][:asks], codes, [3.0, 4.5, 6.0][:asks]]
        if observation == "text":
            lines = [f"{SMALL.guesses[at]} {wordpl.Clue(code)} {e:g}" for at, code, e in zip(*seen, strict=True)]
            assert observed.splitlines() == lines
        else:
            padded = [[*row, *[-1] * (3 - asks)] for row in seen]
            assert [observed[name].tolist() for name in ("guess", "clue", "epsilon")] == padded
    belief = env.setting.belief(env.history)
    assert (info["best_proposal"], info["chance"]) == belief.top
    _, *told = env.step("propose " + SMALL.answers[1].upper())
    assert told == [-100.0, True, False, {"answer": env._game.game.answer, "won": False}]
    assert "the game has ended" in refusal(env.step, (SMALL.guesses[4], 3.0))
    epsilon = env.action_space["epsilon"]
    assert (epsilon.low, epsilon.high, env.action_space["propose"].n) == (1e-3, 100.0, len(SMALL.answers) + 1)
    assert "neither text nor array" in refusal(WordplEnv, words=SMALL, observation="image")


def test_a_game_of_wordle_costs_its_guesses_and_one_without_a_seed_is_drawn():
    env, wrong = WordplEnv(words=SMALL, graded=False, **WORDLE), SMALL.guesses.index("aahed")
    env.reset(seed=1)
    found = [env.step(wrong) for _ in range(6)]
    assert [one[1:4] for one in found] == [*[(-1.0, False, False)] * 5, (-101.0, True, False)]
    env.reset(seed=1)
    env.step(wrong)
    assert env.step(SMALL.guesses.index(found[-1][4]["answer"]))[1:3] == (-1.0, True)
    assert env.setting.rule == "counted" and WordplEnv(words=SMALL).setting.rule == "letterwise"
    env = WordplEnv(words=SMALL)  # without a seed: drawn once by Gymnasium's generator, and trials are counted on
    for drawn in (5, 6):
        env.np_random, env._trial = np.random.default_rng(drawn), -1
        trials = [env.reset()[1]["trial"] for _ in range(3)]
        assert (env._seed, trials) == (np.random.default_rng(drawn).integers(2**63), [0, 1, 2])
