"""The policies behind the records: searched, compiled to tables, and measured.

`python -m experiments.records fifth|median|ninety-fifth` makes `strategies/policies/NAME.json`. Every finished
step is kept in `results/records/`, so a search that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import joblib
import typer

import wordpl
from wordpl import Policy, Posterior, Setting, best_guess, best_step, identity, load_words, shortlist
from wordpl.clues import Clue
from wordpl.jsonlines import add_line, read_lines

POLICIES = Path(__file__).parents[1] / "strategies" / "policies"
STEPS = Path("results") / "records"

app = typer.Typer(add_completion=False, no_args_is_help=True)
Jobs = Annotated[int, typer.Option(help="Worker processes.")]


def setting() -> Setting:
    """What the contest plays."""
    return Setting(load_words("original"))


@app.command()
def fifth(budget: float = 14.31, opener: str = "trace", first: float = 10.0) -> None:
    """Two clues: the opener, then for each clue the guess that most helps the proposal."""
    belief = setting().belief()
    moves: dict[tuple[int, ...], tuple[str, float]] = {(): (opener, first)}
    for code in range(belief.words.n_clues):
        after = belief.update(opener, first, code)
        moves[code,] = (best_guess(after, budget - first, "expected_top"), budget - first)
    command = f"fifth --budget {budget:g} --opener {opener} --first {first:g}"
    _save(
        Policy(budget, 2, moves, made_for=identity(setting()), made_by=f"python -m experiments.records {command}"),
        "fifth",
    )


@app.command()
def median(
    budget: float = 36.0, opener: str = "trace", first: float = 12.6, second: float = 13.8, jobs: Jobs = 2
) -> None:
    """Three clues: the second guess and its epsilon, for each first clue, by looking ahead to the third."""
    command = f"median --budget {budget:g} --opener {opener} --first {first:g} --second {second:g}"
    belief = setting().belief()
    chances = {
        code: belief.probabilities @ _likelihood(belief, opener, first, code) for code in range(belief.words.n_clues)
    }
    steps = _Steps(command)
    todo = [code for code in sorted(chances, key=lambda code: -chances[code]) if str(code) not in steps.done]
    work = (joblib.delayed(_second)(opener, first, second, budget, code, chances[code] > 0.001) for code in todo)
    for code, step in _unordered(work, jobs):
        steps.add(str(code), step)
        known = sum(chances[int(c)] for c in steps.done)
        typer.echo(
            f"{len(steps.done)} of {belief.words.n_clues} clues, {known:.1%} of games, {opener} {Clue(code, 5)}: {step}"
        )
    moves: dict[tuple[int, ...], tuple[str, float]] = {(): (opener, first)}
    moves |= {(int(code),): (step["guess"], step["epsilon"]) for code, step in steps.done.items()}
    total = sum(chances[int(code)] * step["value"] for code, step in steps.done.items())
    typer.echo(f"win rate {total:.5f} at {budget:g}")
    _save(
        Policy(budget, 3, moves, made_for=identity(setting()), made_by=f"python -m experiments.records {command}"),
        "median",
    )


@app.command()
def ninety_fifth(
    budget: float = 67.0,
    opener: str = "salet",
    first: float = 18.0,
    second: float = 18.0,
    share: float = 0.55,
    order: float = 1.0,
    least: float = 1e-5,
) -> None:
    """Four clues: the second guess by information, tabled; the third and fourth computed at play."""
    belief = setting().belief()
    moves: dict[tuple[int, ...], tuple[str, float]] = {(): (opener, first)}
    for code in range(belief.words.n_clues):
        after = belief.update(opener, first, code)
        moves[code,] = (best_guess(after, second, "renyi", order=order), second)
    command = (
        f"ninety-fifth --budget {budget:g} --opener {opener} --first {first:g} --second {second:g} --share {share:g}"
        f" --order {order:g} --least {least:g}"
    )
    policy = Policy(
        budget,
        4,
        moves,
        ((0.0, share),),
        order,
        least,
        made_for=identity(setting()),
        made_by=f"python -m experiments.records {command}",
    )
    _save(policy, "ninety_fifth")


ORDERS = (1.2, 1.5, 2.0)
EPSILON_STEPS = (-0.8, 0.8)


def _second(
    opener: str, first: float, second: float, budget: float, code: int, common: bool
) -> tuple[int, dict[str, Any]]:
    """The best second guess after this clue to the opener, and, after a common one, its epsilon."""
    belief = setting().belief().update(opener, first, code)
    guesses = shortlist(belief, second, ORDERS, 5 if common else 2)
    step = best_step(belief, [(guess, second) for guess in guesses], budget - first)
    if common:
        others = [(step.guess, second + change) for change in EPSILON_STEPS]
        step = max(step, best_step(belief, others, budget - first), key=lambda found: found.value)
    return code, {"guess": step.guess, "epsilon": round(step.epsilon, 9), "value": step.value}


def _likelihood(belief: Posterior, guess: str, epsilon: float, code: int) -> Any:
    channel = wordpl.RandomizedResponse(epsilon, belief.words.length)
    return channel.likelihood(code).take(wordpl.clue_row(guess, belief.words, belief.rule))


def _unordered(work: Iterable[Any], jobs: int) -> Iterator[Any]:
    yield from joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(work)


class _Steps:
    """The finished steps of one search, a line of JSON each; those of a search with other settings are not its own."""

    def __init__(self, command: str) -> None:
        self._path = STEPS / (command.replace(" --", "_").replace(" ", "-") + ".jsonl")
        self.done: dict[str, dict[str, Any]] = {}
        for record in read_lines(self._path):
            self.done[record.pop("step")] = record

    def add(self, step: str, record: dict[str, Any]) -> None:
        self.done[step] = record
        add_line(self._path, {"step": step, **record})


def _save(policy: Policy, name: str) -> None:
    POLICIES.mkdir(exist_ok=True)
    path = POLICIES / f"{name}.json"
    policy.save(path)
    typer.echo(f"wrote {path}")


if __name__ == "__main__":
    app()
