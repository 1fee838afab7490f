"""Games of Fibble with k lies: how often BayesianSolver wins, and how often any player can.

`python -m experiments.fibble play` plays all answers once for 0 to 5 lies and both rules, with the guesses of the
published benchmark, and again with new noise for each further draw (`--draws`). `play --games each` gives the player 2,
3, .. 9 guesses instead (counted rule), and `play --games given` nine, the first of them given, as on fibble.xyz. Each
plays in steps of some seconds, each a part of the answers that is spread over the list, and keeps the finished ones in
`results/fibble.jsonl`, so it resumes; `--parts` plays the first parts alone.
`python -m experiments.fibble parts` measures what each part of the player is worth.
`python -m experiments.fibble second` computes the bound for one first guess if the second has to be a word.
`python -m experiments.fibble table` computes the bounds and writes `experiments/tables/fibble.csv`, `fibble_parts.csv`,
`fibble.png` and docs/fibble.md; the other commands end with it. All games of an answer and a draw have the same noise.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import joblib
import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments import machines, pages
from experiments.bounds.guess_limit import free_wins, guess_limit_bound
from experiments.steps import add_step, read_steps
from wordpl import (
    RULES,
    Answer,
    Ask,
    Clue,
    Fibble,
    GameFormat,
    History,
    HistoryStrategy,
    Move,
    Setting,
    Turn,
    WordList,
    channel_family,
    clue_matrix,
    load_words,
    print_table,
)
from wordpl.base import run_calls, whole_file
from wordpl.library.bayesian_solver import BayesianSolver, information_left, wins_to_come
from wordpl.scoring import expected_wins
from wordpl.simulation import win_interval

STEPS = Path("results") / "fibble.jsonl"
BOUND_STEPS = Path("results") / "fibble_bounds.jsonl"
LIES = range(6)
PARTS = 40
SEED = 16
MOST_GUESSES = 9
# From so many guesses on, by lies, so few games are lost that wins are counted as they are; with fewer guesses, luck
# matters.
SURE = {0: 4, 1: 6, 2: 8, 3: 10, 4: 10, 5: 9}


@dataclass(frozen=True, repr=False)
class InformationAlone(HistoryStrategy):
    """Asks what tells most about the answer, as if no guess could win, and bets on a possible answer at the end."""

    def decide(self, setting: Setting, history: History) -> Move:
        belief = setting.belief(history)
        if len(history) + 1 == setting.format.guesses or len(belief.possible) <= 2:
            return Answer(belief.top[0])
        values = _NO_WIN * information_left(len(setting.words.answers), len(belief.possible))
        scores = expected_wins(belief, setting.row_epsilon, values)
        return Ask(setting.words.guesses[int(scores.argmax())], setting.row_epsilon)


# Beside values of this size, the 1 for a win is nothing.
_NO_WIN = 1e6
PLAYERS: dict[str, HistoryStrategy] = {
    "information of the clues, then a bet": InformationAlone(),
    "a win counted as information": BayesianSolver(look_ahead=1, middle="information"),
    "the last two guesses exact": BayesianSolver(middle="information"),
    "expected wins in the middle": BayesianSolver(),
    "the last three looked ahead": BayesianSolver(look_ahead=3),
}
WHOLE = "expected wins in the middle"  # its games are those of `play`

app = typer.Typer(add_completion=False, no_args_is_help=True)
Jobs = Annotated[int, typer.Option(help="Worker processes.")]


class Games(StrEnum):
    """The games that are played."""

    BENCHMARK = "benchmark"
    """Those of the published benchmark."""
    EACH = "each"
    """With each number of guesses."""
    GIVEN = "given"
    """As on fibble.xyz: the first guess is given."""


@dataclass(frozen=True)
class Case:
    """Games of one kind."""

    lies: int
    rule: str
    guesses: int
    """The number that the player has, and knows to have."""
    given: bool = False
    """True if the first of them is given, as on fibble.xyz: one of the answers, but for those marked in all places."""
    words: str = "original"

    @property
    def setting(self) -> Setting:
        channel = channel_family(f"fibble:{self.lies}")
        return Setting(load_words(self.words), self.rule, channel, format=GameFormat(self.guesses))


MEASURED = [Case(lies, "counted", pages.published_guesses(lies)) for lies in (3, 4, 5)]
BENCHMARK = [Case(lies, rule, pages.published_guesses(lies)) for rule in reversed(RULES) for lies in LIES]
EACH = [Case(lies, "counted", guesses) for lies in LIES for guesses in range(2, MOST_GUESSES + 1)]
CASES = {
    Games.BENCHMARK: BENCHMARK,
    Games.EACH: [case for case in EACH if case not in BENCHMARK],
    Games.GIVEN: [Case(lies, "counted", MOST_GUESSES, given=True, words="fibble") for lies in LIES if lies],
}


@dataclass(frozen=True)
class Played:
    """A game: its turns, the last of them the winning one if it was won."""

    turns: tuple[Turn, ...]
    won: bool


def play(case: Case, strategy: HistoryStrategy, answers: NDArray[np.integer], draw: int) -> Iterator[Played]:
    """Play a game for each of these answers. The noise depends on the answer and the draw alone."""
    setting = case.setting
    words, clues = setting.words, clue_matrix(setting.words, case.rule)
    channel = Fibble(lies=case.lies)
    maker = strategy.players(setting)
    for answer in answers.tolist():
        noise = np.random.default_rng([SEED, draw, answer]).random((MOST_GUESSES, words.length))
        player, turns, won = maker(0), [], False
        move = player.first_move()
        if case.given:
            starter = np.random.default_rng([SEED, draw, answer, 1]).choice(starters(clues, words, answer))
            move = Ask(words.answers[starter], setting.row_epsilon)
        for uniforms in noise[: case.guesses].tolist():
            guess = move.word if isinstance(move, Answer) else move.guess
            won = guess == words.answers[answer]
            true = int(clues[words.guess_index[guess], answer])
            turns.append(Turn(guess, math.inf, true if won else channel.sample(true, uniforms)))
            if won:
                break
            if len(turns) < case.guesses:
                move = player.next_move(guess, math.inf, str(Clue(turns[-1].clue)))
        yield Played(tuple(turns), won)


def starters(clues: NDArray[Any], words: WordList, answer: int) -> NDArray[np.intp]:
    """The answers that can be the given first guess: those whose true clue has an absent mark."""
    codes = clues[words.answers_as_guesses, answer].astype(np.intp)
    return np.flatnonzero((codes[:, np.newaxis] // 3 ** np.arange(words.length) % 3 == 0).any(axis=1))


def code_of(strategy: HistoryStrategy) -> str:
    """A digest that tells the games of a player from those of its other versions."""
    # The identity of a player defined here would change with everything in this file.
    own = isinstance(strategy, InformationAlone)
    told = inspect.getsource(InformationAlone) if own else strategy.identity
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _step(case: Case, player: str, draw: int, part: int) -> dict[str, Any]:
    """Play one part of the answers: the guesses that each game took, 0 if it was lost, and its worth without luck."""
    answers = np.arange(part, len(case.setting.words.answers), PARTS)
    games = list(play(case, PLAYERS[player], answers, draw))
    used = [len(game.turns) if game.won else 0 for game in games]
    worth = [round(without_luck(case, game), 6) for game in games]
    code = code_of(PLAYERS[player])
    return asdict(case) | {"player": player, "draw": draw, "part": part, "used": used, "worth": worth, "code": code}


def _play_missing(steps: Iterable[tuple[Case, str, int, int]], jobs: int) -> None:
    """Play those of these cases, players, draws and parts that are missing, then write the tables."""
    done = {
        (case, player, line["draw"], line["part"])
        for player in PLAYERS
        for case, lines in played(player).items()
        for line in lines
    }
    for step in run_calls(jobs, (joblib.delayed(_step)(*one) for one in steps if one not in done)):
        add_step(STEPS, step)
        told = ", ".join(f"{name} {step[name]}" for name in ("lies", "rule", "guesses", "player", "draw", "part"))
        typer.echo(f"{told}: {np.count_nonzero(step['used'])} of {len(step['used'])} won")
    table()


@app.command("play")
def play_all(
    draws: Annotated[int, typer.Option(help="Games for each answer, each with noise of its own.")] = 1,
    parts: Annotated[int, typer.Option(help=f"How many of the {PARTS} parts of the answers to play.")] = PARTS,
    games: Annotated[
        Games, typer.Option(help="Those of the benchmark, with each number of guesses, or as on fibble.xyz.")
    ] = Games.BENCHMARK,
    jobs: Jobs = 1,
) -> None:
    """Play the games that are missing, then write the tables."""
    steps = itertools.product(range(draws), range(parts), CASES[games])
    _play_missing(((case, WHOLE, draw, part) for draw, part, case in steps), jobs)


def without_luck(case: Case, game: Played) -> float:
    """Return 1 for a won game and 0 for a lost one, less the luck that it had: the same mean, and far less variance.

    The luck of a move is what a formula says that the position after it is worth, less its mean over all answers and
    clues. It is zero on average, whatever the formula, for all possible answers are equally likely and so the mean is
    exact. The last guess counts by its chance.
    """
    setting, history, luck = case.setting, game.turns, 0.0
    n, bits = len(setting.words.answers), Fibble(lies=case.lies).capacity
    for asked, turn in enumerate(history):
        left = case.guesses - asked
        belief = setting.belief(history[:asked])
        if left == 1:
            return 1.0 / len(belief.possible) - luck
        values = wins_to_come(n, n, bits * (left - 2))
        guess = setting.words.guess_index[turn.guess]
        mean = float(expected_wins(belief, math.inf, values, [guess])[0])
        if game.won and asked == len(history) - 1:
            return 1.0 - (luck + 1.0 - mean)
        after = len(setting.belief(history[: asked + 1]).possible)
        luck += float(values[after]) / after - mean
    raise ValueError("the game has no turns")


@app.command("parts")
def play_parts(
    parts: Annotated[int, typer.Option(help=f"How many of the {PARTS} parts of the answers to play.")] = PARTS,
    jobs: Jobs = 1,
) -> None:
    """Measure what each part of the player is worth, on the same answers and noise, then write the tables."""
    steps = itertools.product(range(parts), MEASURED, PLAYERS)
    _play_missing(((case, name, 0, part) for part, case, name in steps), jobs)


def played(player: str = WHOLE) -> dict[Case, list[dict[str, Any]]]:
    """The finished steps of a player as it is."""
    code, steps = code_of(PLAYERS[player]), defaultdict(list)
    for line in read_steps(STEPS):
        if (line["player"], line["code"]) == (player, code):
            steps[Case(**{field.name: line[field.name] for field in fields(Case)})].append(line)
    return steps


def bound_of(case: Case) -> float:
    """The bound on the chance to win, kept until its code changes."""
    code = hashlib.sha256(inspect.getsource(sys.modules[guess_limit_bound.__module__]).encode()).hexdigest()[:16]
    wanted = {"lies": case.lies, "rule": case.rule, "given": case.given, "words": case.words, "code": code}
    for line in read_steps(BOUND_STEPS):
        if wanted.items() <= line.items():
            return float(line["bounds"][case.guesses - 1])
    words = load_words(case.words)
    each = [guess_limit_bound(MOST_GUESSES, words, case.lies, case.rule, first)
            for first in (words.answers if case.given else [None])]  # fmt: skip
    # A pair of an answer and a first guess is by so much likelier than if all pairs were possible.
    clues, n = clue_matrix(words, case.rule), len(words.answers)
    likelier = n / min(len(starters(clues, words, answer)) for answer in range(n)) if case.given else 1.0
    bounds = np.minimum(likelier * np.mean(each, axis=0), 1.0)
    add_step(BOUND_STEPS, wanted | {"bounds": bounds.tolist()})
    return bound_of(case)


def case_rows() -> list[list[str]]:
    """A row for each case: games, the win rate, the bound on it, and wins by the number of guesses."""
    rows, steps = [], played()
    for case in itertools.chain(*CASES.values()):
        if case not in steps:
            continue
        used = [guesses for line in steps[case] for guesses in line["used"]]
        wins = np.bincount(used, minlength=MOST_GUESSES + 1)[1:]
        if case.guesses < SURE[case.lies]:
            rate = _cells(np.array([value for line in steps[case] for value in line["worth"]]))
        else:
            rate = _cells_of_wins(int(wins.sum()), len(used))
        # Rounded up, so that it stays an upper bound.
        bound = f"{math.ceil(1e5 * bound_of(case)) / 1e5:.5f}"
        rows.append([*map(str, [*astuple(case), len(used)]), *rate, bound, *map(str, wins)])
    return rows


def part_rows() -> list[list[str]]:
    """A row for each number of lies and each player: win rate, and the gain over the player before."""
    rows, steps = [], {name: played(name) for name in PLAYERS}
    for case in MEASURED:
        worth = {
            name: {line["part"]: line["worth"] for line in steps[name].get(case, []) if line["draw"] == 0}
            for name in PLAYERS
        }
        common = sorted(set.intersection(*map(set, worth.values())))
        if not common:
            continue
        of = {name: np.concatenate([worth[name][part] for part in common]) for name in PLAYERS}
        first, before = next(iter(of.values())), None
        for name, values in of.items():
            row: list[Any] = [case.lies, name, len(values), *_cells(values)]
            row += _cells(values - before) if before is not None else ["", "", ""]
            row += _cells(values - first) if before is not None else ["", "", ""]
            rows.append([str(cell) for cell in row])
            before = values
    return rows


def _cells_of_wins(wins: int, games: int) -> list[str]:
    """The share of wins and the ends of its 95% interval."""
    return [f"{value:.5f}" for value in (wins / games, *win_interval(wins, games))]


def _cells(values: NDArray[np.float64]) -> list[str]:
    """The mean and the ends of its 95% interval."""
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    return [f"{value:.5f}" for value in (mean, mean - 1.96 * error, mean + 1.96 * error)]


CASE_COLUMNS = [*(field.name for field in fields(Case)), "games", "won", "low", "high", "bound",
                *(f"won in {n}" for n in range(1, MOST_GUESSES + 1))]  # fmt: skip
PART_COLUMNS = ["lies", "player", "games", "won", "low", "high", "gain", "gain low", "gain high",
                "over the first", "over the first low", "over the first high"]  # fmt: skip


@app.command()
def second(
    opener: Annotated[str, typer.Option(help="The first guess.")] = "roate",
    lies: Annotated[int, typer.Option(min=0, max=5, help="False marks in each clue.")] = 3,
) -> None:
    """Print the bound for one first guess, and what it becomes if the second guess has to be a word as well."""
    case = next(case for case in BENCHMARK if case.lies == lies and case.rule == "counted")
    first = guess_limit_bound(case.guesses, case.setting.words, lies, case.rule, opener)[-1]
    typer.echo(
        f"{lies} lies, {opener} first: at most {first:.4f}; second guess a word: {bound_of_two(case, opener):.4f}"
    )


def bound_of_two(case: Case, opener: str) -> float:
    """A bound on the chance to win with this first guess, in which the first two guesses are words."""
    setting = case.setting
    words, start = setting.words, setting.belief()
    tables = free_wins(case.guesses, case.lies, words.length, len(words.answers))
    wins = float(opener in words.answers)
    for clue in np.flatnonzero(start.clue_probabilities(opener, setting.row_epsilon)).tolist():
        belief = start.update(opener, setting.row_epsilon, clue)
        best = expected_wins(belief, setting.row_epsilon, tables[case.guesses - 2]).max() * len(belief.possible)
        wins += min(tables[case.guesses - 1][len(belief.possible)], best) / Fibble(lies=case.lies).noisy_clues
    return float(wins) / len(words.answers)


@app.command()
def table() -> None:
    """Write the tables and the picture from the games that are there."""
    pages.write_csv(pages.FIBBLE, CASE_COLUMNS, case_rows())
    pages.write_csv(pages.FIBBLE_PARTS, PART_COLUMNS, part_rows())
    with whole_file(pages.FIBBLE_PICTURE) as path:
        picture(pd.read_csv(pages.FIBBLE)).savefig(path, format="png", dpi=130)
    pages.write(pages.FIBBLE)
    print_table("Games of Fibble", pages.FIBBLE_COLUMNS, pages.fibble_rows())


def picture(found: pd.DataFrame) -> Any:
    """Draw the win rate for each number of guesses, with 95% intervals, and the bound: counted rule."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5.2), layout="constrained")
    drawn = found[(found["rule"] == "counted") & ~found["given"]].sort_values(["lies", "guesses"])
    for at, (lies, rows) in enumerate(drawn.groupby("lies")):
        axes = figure.add_subplot(2, 3, at + 1)
        axes.fill_between(rows["guesses"], rows["bound"], 1.0, color="0.85")
        errors = [(rows["won"] - rows["low"]).clip(lower=0), (rows["high"] - rows["won"]).clip(lower=0)]
        axes.errorbar(rows["guesses"], rows["won"], errors, fmt="o-", color="teal", markersize=4, capsize=2)
        title = f"{lies} {'lie' if lies == 1 else 'lies'} a row"
        axes.set(xlim=(1.7, MOST_GUESSES + 0.3), ylim=(0, 1.02), xticks=range(2, MOST_GUESSES + 1), title=title)
        axes.grid(alpha=0.3)
    figure.supxlabel("guesses that the player has")
    figure.supylabel("games won; grey: no player can")
    return figure


if __name__ == "__main__":
    machines.run(app)
