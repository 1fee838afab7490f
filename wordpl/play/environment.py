"""The game as a Gymnasium environment, for reinforcement learning and language models: `WordplEnv`.

It needs the extra `gymnasium`. `info` grades each move against the best one, which takes exact scores of all guesses.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from wordpl.base.checks import whole_number
from wordpl.base.errors import MissingExtraError, WordplError
from wordpl.model.channel import channel_family
from wordpl.model.clues import clue_strings
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, as_words
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.play.moves import Answer, Ask, InvalidMoveError
from wordpl.play.referee import OpenGame, Referee
from wordpl.play.setting import History, Setting
from wordpl.scoring.guess_scores import best_guess, score_guesses

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtraError("the environment needs", "gymnasium") from None

_MAX_EPSILON = 100.0


class WordplEnv(gymnasium.Env[Any, Any]):
    """The contest's game, or ordinary Wordle, move by move.

    An action is `(guess, epsilon)`, `"propose WORD"`, an `Ask` or an `Answer`, or what the action space samples. In
    games of Wordle every guess is a proposal, and its epsilon is the channel's. The reward of an ask is minus its
    epsilon (in Wordle, minus 1), so that the rewards of a won game add up to minus its score.

    `reset(seed=S)` begins trial 0 under root seed S, and each `reset()` after it the next trial: the games that
    `wordpl.evaluate(strategy, seed=S)` plays. `options={"trial": N}` begins trial N.

    `info` has the `entropy` of the posterior in bits, the word of the `best_proposal` and its `chance`. After a move it
    also has its regret, both at the epsilon of the ask: `regret_bits`, the information gain that the best guess has
    more, and `regret_win_rate`, the chance of winning by a proposal after the clue that the best guess has more (for a
    proposal, the chance that the best proposal has more). At the end it has the `answer`, and if it was found (`won`).

    - `words`: Word list, or the name of one.
    - `rule`: "letterwise" or "counted"; None is letterwise in the contest's game and counted in Wordle.
    - `channel`: Channel family, or the name of one. In Wordle, "exact" marks are those of "fibble:0".
    - `format`: `GameFormat` or its text: "contest", or "wordle:6".
    - `observation`: "text", a line `guess clue epsilon` for each turn; or "array", a dictionary of arrays with the
      indices of guesses, the codes of clues and (in the contest's game) the epsilons, -1 for turns that have not come.
    - `max_asks`: Number of asks after which a game is truncated, 1 or more.
    - `lost`: Epsilons (in Wordle, guesses) taken from the reward of a wrong proposal, 0 or more.
    - `graded`: False leaves out the regrets, which take tens of milliseconds a move.

    Raises `WordplError` for what no game can be played with, and `InvalidMoveError` in `step` for a move that the rules
    do not allow, which changes nothing.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        *,
        words: WordList | str = "original",
        rule: str | None = None,
        channel: Any = "randomized_response",
        format: GameFormat | str = CONTEST,
        observation: str = "text",
        max_asks: int = 20,
        lost: float = 100.0,
        graded: bool = True,
    ) -> None:
        format = GameFormat.parse(format).for_strategies()
        if observation not in ("text", "array"):
            raise WordplError(f"observation {observation!r} is neither text nor array")
        rule = rule or ("counted" if format.is_wordle else "letterwise")
        self.setting = Setting(as_words(words), rule, channel_family(channel), format=format)
        self.max_asks = format.guesses or whole_number("max_asks", max_asks)
        self.lost, self.graded, self.observation = lost, graded, observation
        self._seed, self._trial = 0, -1
        self._opened: OpenGame | None = None
        self.action_space, self.observation_space = self._actions(), self._observations()

    def _actions(self) -> spaces.Space[Any]:
        words = self.setting.words
        guess = spaces.Discrete(len(words.guesses))
        if self.setting.format.is_wordle:
            return guess
        epsilon = spaces.Box(1e-3, _MAX_EPSILON, (), np.float64)
        # 0 asks the guess; k proposes answer k - 1.
        return spaces.Dict({"guess": guess, "epsilon": epsilon, "propose": spaces.Discrete(len(words.answers) + 1)})

    def _observations(self) -> spaces.Space[Any]:
        words, shape = self.setting.words, (self.max_asks,)
        if self.observation == "text":
            signs = {*"".join(words.guesses), *" .ci\n0123456789e+-inf"}
            return spaces.Text(self.max_asks * (2 * words.length + 26), min_length=0, charset="".join(sorted(signs)))
        bounds: dict[str, tuple[Any, Any]] = {
            "guess": (len(words.guesses) - 1, np.int64),
            "clue": (words.n_clues - 1, np.int64),
        }
        if not self.setting.format.is_wordle:
            bounds["epsilon"] = (np.finfo(np.float64).max, np.float64)
        return spaces.Dict({name: spaces.Box(-1, high, shape, kind) for name, (high, kind) in bounds.items()})

    @property
    def history(self) -> History:
        """The turns so far."""
        return self._game.game.history

    @property
    def _game(self) -> OpenGame:
        if self._opened is None:
            raise WordplError("no game has begun; call reset() first")
        return self._opened

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._trial = seed, -1
        elif self._trial < 0:
            self._seed = int(self.np_random.integers(2**63))
        self._trial = (options or {}).get("trial", self._trial + 1)
        self._opened = Referee(self.setting, self._seed).open(self._trial)
        return self._observed(), self._known()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        game, wordle = self._game.game, self.setting.format.is_wordle
        if game.proposed is not None:
            raise WordplError("the game has ended; call reset()")
        move = self._read(action)
        before, asked = self.setting.belief(self.history), len(self.history)
        ended = self._game.take(move) is None
        cost = (1.0 if wordle else self.history[-1].epsilon) if len(self.history) > asked else 0.0
        reward = -cost - (self.lost if ended and not game.won else 0.0)
        info = {"answer": game.answer, "won": game.won} if ended else self._known()
        if self.graded:
            info |= self._regret(before, move)
        return self._observed(), reward, ended, not ended and len(self.history) >= self.max_asks, info

    def _read(self, action: Any) -> Ask | Answer:
        """The move that an action stands for."""
        words = self.setting.words
        if isinstance(action, str):
            verb, _, word = action.partition(" ")
            if verb != "propose":
                raise InvalidMoveError(f'{action!r} is not a move; write "propose WORD", or (guess, epsilon)')
            action = Answer(word.strip().lower())
        elif isinstance(action, Mapping):
            chosen, guess = int(action["propose"]), int(action["guess"])
            action = Answer(words.answers[chosen - 1]) if chosen else Ask(words.guesses[guess], action["epsilon"])
        elif isinstance(action, (int, np.integer)):
            action = Ask(words.guesses[int(action)], self.setting.row_epsilon)
        return self._game.rules.legal(action, len(self.history))

    def _known(self) -> dict[str, Any]:
        belief = self.setting.belief(self.history)
        word, chance = belief.top
        return {"trial": self._trial, "entropy": belief.entropy, "best_proposal": word, "chance": chance}

    def _regret(self, belief: Posterior, move: Ask | Answer) -> dict[str, float]:
        words = self.setting.words
        if isinstance(move, Answer):
            regret = belief.top[1] - belief.probabilities[words.answer_index[move.word]]
            return {"regret_bits": 0.0, "regret_win_rate": float(regret)}

        def regret_by(criterion: str) -> float:
            best = best_guess(belief, move.epsilon, criterion)
            pair = [words.guess_index[best], words.guess_index[move.guess]]
            scores = score_guesses(belief, move.epsilon, criterion, guesses=pair)
            return max(0.0, float(scores[0] - scores[1]))

        return {"regret_bits": regret_by("information_gain"), "regret_win_rate": regret_by("expected_top")}

    def _observed(self) -> Any:
        words, history = self.setting.words, self.history
        if self.observation == "text":
            strings = clue_strings(words.length)
            return "\n".join(f"{turn.guess} {strings[turn.clue]} {turn.epsilon:.12g}" for turn in history)
        boxes: Any = self.observation_space
        seen = {name: np.full(box.shape, -1, box.dtype) for name, box in boxes.items()}
        for at, (guess, epsilon, clue) in enumerate(history):
            turn = {"guess": words.guess_index[guess], "clue": clue, "epsilon": epsilon}
            for name, values in seen.items():
                values[at] = turn[name]
        return seen


gymnasium.register("wordpl-v0", entry_point="wordpl.play.environment:WordplEnv")
