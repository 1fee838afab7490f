"""The policies behind the records: searched, written as tables, and measured.

`python -m experiments.records fifth|median|ninety-fifth` writes `strategies/policies/NAME.json`: searches of two, three
and four clues. Finished steps are kept in `results/records/`, so a search that was stopped resumes. `--channel` makes
a policy for other noise, where fewer clues may do: then `--out` says which table it becomes. `python -m
experiments.records measure` writes the win rates of the contest's three to `experiments/tables/records.csv`, and
`alike` the budgets of theirs and of the holders before to `alike.csv`; both also to the tables of README and docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import joblib
import pandas as pd
import typer

from experiments import machines, pages
from experiments.ahead import shortlist, two_step_lookahead
from experiments.machines import Cluster
from experiments.quick_asks import quick_ask
from experiments.steps import add_step, read_steps
from wordpl import Clue, Posterior, Setting, best_guess, channel_family, library, load_words, parse_strategy
from wordpl.base import run_calls, whole_file
from wordpl.limits import (
    FAMILIES,
    Policy,
    compute_win_rate,
    measure_frontier,
    setting_identity,
    smallest_budgets,
)
from wordpl.simulation import win_rate_to_hold

POLICIES = Path(library.__path__[0]) / "policies"
STEPS = Path("results") / "records"

app = typer.Typer(add_completion=False, no_args_is_help=True)
Jobs = Annotated[int, typer.Option(help="Worker processes.")]
LETTERWISE = "randomized_response"
Move = tuple[str, float]
"""A guess and its epsilon."""
Channel = Annotated[str, typer.Option(help="How the clues are noised.")]
Out = Annotated[Path | None, typer.Option(help="File to write, if not the table of the command's own name.")]


def setting(channel: str = LETTERWISE) -> Setting:
    """Return the setting of the contest, or that with another channel."""
    return Setting(load_words("original"), channel=channel_family(channel))


@app.command()
def fifth(
    budget: float = 14.31,
    opener: str = "trace",
    first: float = 10.0,
    channel: Channel = LETTERWISE,
    out: Out = None,
) -> None:
    """Make the policy of two clues: for each clue to the opener, the guess with the largest expected top posterior.

    It asks one clue if the first costs the whole budget. Under other channels than the contest's, the last guess is
    found in a few milliseconds, so there it is left to the game, and the table holds the opener alone.
    """
    belief = setting(channel).belief()
    moves: dict[tuple[int, ...], Move] = {(): (opener, first)}
    for code in range(belief.words.n_clues if channel == LETTERWISE else 0):
        after = belief.update(opener, first, code)
        moves[code,] = (best_guess(after, budget - first, "expected_top"), budget - first)
    command = _command("fifth", channel, budget=budget, opener=opener, first=first)
    _save(Policy(budget, 1 if first == budget else 2, moves, made_by=command), channel, out or POLICIES / "fifth.json")


@app.command()
def median(
    budget: float = 36.0,
    opener: str = "trace",
    first: float = 12.6,
    second: float = 13.8,
    channel: Channel = LETTERWISE,
    out: Out = None,
    jobs: Jobs = 2,
    cluster: Cluster = None,
) -> None:
    """Make the policy of three clues: for each first clue, look ahead to the third guess to find the second.

    Under other channels than the contest's, only after common clues. After others, of which most are no answer's, the
    second guess is chosen in the game.
    """
    command = _command("median", channel, budget=budget, opener=opener, first=first, second=second)
    belief = setting(channel).belief()
    chances = _chances(belief, opener, first)
    if channel != LETTERWISE:
        chances = {code: chance for code, chance in chances.items() if chance > _COMMON}
    steps = _Steps(command)
    todo = steps.left(chances)
    common = {code: chances[code] > _COMMON and channel == LETTERWISE for code in todo}
    work = (joblib.delayed(_second)(channel, opener, first, second, budget, code, common[code]) for code in todo)
    for code, step in _spread(jobs, cluster, work):
        steps.add(str(code), step)
        known = sum(chances[int(c)] for c in steps.done)
        typer.echo(f"{len(steps.done)} of {len(chances)} clues, {known:.1%} of games, {opener} {Clue(code, 5)}: {step}")
    moves: dict[tuple[int, ...], Move] = {(): (opener, first)}
    moves |= {(int(code),): (step["guess"], step["epsilon"]) for code, step in steps.done.items()}
    total = sum(chances[int(code)] * step["value"] for code, step in steps.done.items())
    typer.echo(f"win rate {total:.5f} at {budget:g}, in {sum(chances.values()):.4%} of games")
    policy = Policy(budget, 3, moves, made_by=command)
    if len(chances) < belief.words.n_clues:
        policy = replace(policy, budget_fractions=((0.0, second / (budget - first)),), order=1.5)
    _save(policy, channel, out or POLICIES / "median.json")


@app.command()
def ninety_fifth(
    budget: float = 68.5,
    opener: str = "salet",
    first: float = 17.5,
    second: float = 19.5,
    share: float = 0.55,
    pairs: Annotated[int, typer.Option(help="How many pairs of clues get a third move in the table.")] = 3860,
    finely: Annotated[int, typer.Option(help="For how many of them its epsilon is found in small steps.")] = 3700,
    widely: Annotated[int, typer.Option(help="For how many of them the guess is sought among more words.")] = 600,
    jobs: Jobs = 2,
    cluster: Cluster = None,
) -> None:
    """Make the policy of four clues: look ahead for the second move, and for the third after frequent pairs of clues.

    After other pairs, the third guess is chosen in the game, by information. The last guess is always chosen in the
    game, by the expected top posterior.
    """
    command = _command(
        "ninety-fifth", LETTERWISE, budget=budget, opener=opener, first=first, second=second, share=share
    )
    belief = setting().belief()
    chances = _chances(belief, opener, first)
    steps = _Steps(command)
    todo = steps.left(chances)
    work = (joblib.delayed(_second_of_four)(opener, first, second, budget, share, code, chances[code]) for code in todo)
    for code, step in _spread(jobs, cluster, work):
        steps.add(str(code), step)
        typer.echo(f"{len(steps.done)} of {belief.words.n_clues} clues: {opener} {Clue(code, 5)}: {step}")
    moves: dict[tuple[int, ...], Move] = {(): (opener, first)}
    moves |= {(code,): (steps.done[str(code)]["guess"], steps.done[str(code)]["epsilon"]) for code in chances}
    weights = []
    for code, chance in chances.items():
        after, (guess, epsilon) = belief.update(opener, first, code), moves[code,]
        for other, likely in _chances(after, guess, epsilon).items():
            pair = after.update(guess, epsilon, other)
            # Looking ahead can gain little where the answer is nearly known.
            weights.append((chance * likely * (1.0 - pair.top[1]) * pair.entropy, (code, other)))
    paths = [path for _, path in sorted(weights, reverse=True)[:pairs]]
    stages = (
        ("", paths[:_CAREFULLY], _carefully),
        ("", paths[_CAREFULLY:], _quickly),
        ("epsilon ", paths[:finely], _finely),
        ("widely ", paths[:widely], _widely),
    )
    for stage, common, search in stages:
        path_of = {f"{stage}{code} {other}": (code, other) for code, other in common}
        calls = (
            joblib.delayed(_third)(key, path, moves, budget, share, search)
            for key, path in path_of.items()
            if key not in steps.done
        )
        for key, step in _spread(jobs, cluster, calls):
            steps.add(key, step)
            typer.echo(f"{key}: {step}")
        moves |= {path: (steps.done[key]["guess"], steps.done[key]["epsilon"]) for key, path in path_of.items()}
    command = f"{command} --pairs {pairs} --finely {finely} --widely {widely}"
    policy = Policy(budget, 4, moves, ((0.0, share),), 1.0, _LEAST, made_by=command)
    _save(policy, LETTERWISE, POLICIES / "ninety_fifth.json")


@app.command()
def alike(points: Path = pages.POINTS, jobs: Jobs = 2, cluster: Cluster = None) -> None:
    """Measure the holders before and ours alike: the budgets at which they win 5%, 50% or 95% of games, truly and in
    90% of runs. Points of the frontier are not measured again."""
    names = {name for pair in pages.PAIRS.values() for name in pair}
    rates = [rate for percentile in pages.PAIRS for rate in (percentile, win_rate_to_hold(percentile, 1001, 0.9))]
    with machines.on(cluster):
        families = [family for family in FAMILIES if family.name in names]
        curves = smallest_budgets(measure_frontier(families, setting(), points, rates, jobs=jobs), rates)
    rows = [
        [f"{rates[at]:g}", name, *(f"{figure:.4f}" for budget in curves[name][at : at + 2] for figure in budget)]
        for at, pair in zip(range(0, len(rates), 2), pages.PAIRS.values(), strict=True)
        for name in pair
    ]
    pages.write_csv(pages.ALIKE, ["percentile", "strategy", "truly", "error", "held", "held error"], rows)
    pages.write(pages.ALIKE)


@app.command()
def measure(jobs: Jobs = 2, cluster: Cluster = None) -> None:
    """Measure the win rates of all three. The last one takes many minutes."""
    steps, rows = _Steps("measure"), []
    # With its digits in the table.
    for percentile, spec, digits in ((0.05, "Fifth()", 9), (0.50, "Median()", 5), (0.95, "NinetyFifth()", 4)):
        strategy = parse_strategy(spec)
        if strategy.identity not in steps.done:
            with machines.on(cluster):
                found = compute_win_rate(strategy, setting(), standard_error=0.00005, jobs=jobs)
            low, high = found.interval(0.99)
            step = {"budget": found.budget, "win_rate": found.win_rate, "low": low, "high": high, "exact": found.exact}
            steps.add(strategy.identity, step | {"histories": found.histories})
        step = steps.done[strategy.identity]
        rounded = {key: round(step[key], digits) for key in ("win_rate", "low", "high")}
        rows.append({"percentile": percentile, "strategy": spec, **step, **rounded})
        typer.echo(str(rows[-1]))
    with whole_file(pages.RECORDS) as path:
        pd.DataFrame(rows).to_csv(path, index=False, float_format="%.8g")
    pages.write(pages.RECORDS)


_COMMON = 0.001
ORDERS = (1.2, 1.5, 2.0)
EPSILON_STEPS = (-1.6, -0.8, 0.0, 0.8)
ORDERS_OF_FOUR = (1.0, 0.8, 1.5)
ORDERS_OF_MANY = (1.0, 0.7, 0.5)
EPSILON_STEPS_OF_FOUR = (-1.5, 1.5)
SHARE_STEPS = (-0.1, 0.1)
# For first clues above each probability: candidates of each order, the probability of the second clues that they are
# compared on, how many of them remain, and the probability of the clues that the remaining ones are compared on.
EFFORTS: list[tuple[float, int, float, int, float]] = [
    (0.005, 14, 0.75, 8, 0.99),
    (0.001, 8, 0.75, 4, 0.99),
    (0.0, 4, 0.75, 2, 0.9),
]
_LEAST = 1e-5
_CAREFULLY = 1500
# For the quick search: answers below this fraction of the heaviest are left out, and every eighth last guess is tried.
_LIKELY, _EVERY = 1e-3, 8
# The small steps of the third epsilon, as a fraction of the remaining budget, and the gain that makes one worth it.
_FINE, _CLEARLY = 0.025, 1e-4


def _second(
    channel: str, opener: str, first: float, second: float, budget: float, code: int, common: bool
) -> tuple[int, dict[str, Any]]:
    """Find the best second guess after this clue to the opener and, after a common clue, its epsilon."""
    belief = setting(channel).belief().update(opener, first, code)
    guesses = shortlist(belief, second, ORDERS, 8 if common else 4)
    steps = EPSILON_STEPS if common else (0.0,)
    step = quick_ask(belief, [(guess, second + change) for guess in guesses for change in steps], budget - first)
    return code, {"guess": step.guess, "epsilon": round(step.epsilon, 9), "value": step.value}


def _second_of_four(
    opener: str, first: float, second: float, budget: float, share: float, code: int, chance: float
) -> tuple[int, dict[str, Any]]:
    """Find the best second guess of four after this clue to the opener, and its epsilon.

    Likelier clues get more candidates. These are compared on some of the second clues, and the best of them on nearly
    all.
    """
    belief = setting().belief().update(opener, first, code)
    _, each, part, left, nearly_all = next(effort for effort in EFFORTS if chance > effort[0])

    def value(guess: str, epsilon: float, part: float) -> float:
        return two_step_lookahead(belief, guess, epsilon, budget - first, budget_fraction=share, clue_probability=part)

    field = shortlist(belief, second, ORDERS_OF_FOUR, each)
    field = sorted(field, key=lambda guess: -value(guess, second, part))[:left]
    values = {(guess, second): value(guess, second, nearly_all) for guess in field}
    if chance > EFFORTS[0][0]:
        best = max(values, key=lambda ask: values[ask])[0]
        asks = [(best, second + change) for change in EPSILON_STEPS_OF_FOUR]
        values |= {ask: value(*ask, nearly_all) for ask in asks}
    guess, epsilon = max(values, key=lambda ask: values[ask])
    return code, {"guess": guess, "epsilon": epsilon, "value": values[guess, epsilon]}


def _third(
    key: str,
    path: tuple[int, ...],
    moves: dict[tuple[int, ...], Move],
    budget: float,
    share: float,
    search: Callable[[Posterior, Move | None, float, float], Any],
) -> tuple[str, dict[str, Any]]:
    """Find a third move after these two clues. `search` is given the one that is known, if there is one."""
    belief, rest = _after(path, moves, budget)
    step = search(belief, moves.get(path), rest, share)
    return key, {"guess": step.guess, "epsilon": round(step.epsilon, 9), "value": step.value}


def _after(path: tuple[int, ...], moves: dict[tuple[int, ...], Move], budget: float) -> tuple[Posterior, float]:
    """Return the posterior after these clues, and what is left of the budget."""
    belief, rest = setting().belief(), budget
    for asked, code in enumerate(path):
        guess, epsilon = moves[path[:asked]]
        belief, rest = belief.update(guess, epsilon, code), rest - epsilon
    return belief, rest


def _carefully(belief: Posterior, _: Move | None, rest: float, share: float) -> Any:
    """Find the guess, then its fraction of the remaining budget."""
    belief = belief.truncate(_LEAST)
    field = [(guess, share * rest) for guess in shortlist(belief, share * rest, (1.0, 1.5, 4.0), 4)]
    # This is almost one clue with the whole rest, which is best where one guess tells the few remaining answers apart.
    field.append((best_guess(belief, 0.95 * rest, "expected_top"), 0.95 * rest))
    step = quick_ask(belief, field, rest)
    others = [step.epsilon + change * rest for change in SHARE_STEPS]
    other = quick_ask(belief, [(step.guess, epsilon) for epsilon in others if 0 < epsilon < rest], rest)
    return max(step, other, key=lambda found: found.value)


def _quickly(belief: Posterior, _: Move | None, rest: float, share: float) -> Any:
    """A tenth of the work. Rare answers do not change which guess is best, but they change the best epsilon."""
    belief = belief.truncate(_LEAST)
    likely = belief.truncate(_LIKELY)
    field = [(guess, share * rest) for guess in shortlist(likely, share * rest, (1.0, 0.7), 4)]
    guess = quick_ask(likely, field, rest, every=_EVERY).guess
    step, other = (quick_ask(belief, [(guess, part * rest)], rest, every=_EVERY) for part in (share, share + 0.05))
    # Few last guesses make it look better to spend early.
    return other if other.value > step.value + 0.001 else step


def _finely(belief: Posterior, move: Move, rest: float, _: float) -> Any:
    """Keep the guess, and find a better epsilon in small steps."""
    return _in_small_steps(belief.truncate(_LIKELY / 10), move, rest, every=2)


def _widely(belief: Posterior, move: Move, rest: float, share: float) -> Any:
    """Try many guesses at one epsilon. Find better epsilons of the best three in small steps, and of the known move."""
    likely, epsilon = belief.truncate(_LIKELY / 10), share * rest
    values = {
        guess: quick_ask(likely, [(guess, epsilon)], rest, every=4).value
        for guess in shortlist(likely, epsilon, ORDERS_OF_MANY, 20)
    }
    promising = sorted(values, key=lambda guess: -values[guess])[:3]
    moves = [move, *((guess, epsilon) for guess in promising)]
    belief = belief.truncate(_LEAST)
    return max((_in_small_steps(belief, each, rest, every=1) for each in moves), key=lambda found: found.value)


def _in_small_steps(belief: Posterior, move: Move, rest: float, every: int) -> Any:
    """Move the epsilon up or down as long as the value clearly rises."""
    best, least = quick_ask(belief, [move], rest, every=every), 0.5 * _FINE * rest
    for change in (_FINE * rest, -_FINE * rest):
        improved = True
        while improved and least < best.epsilon + change < rest - least:
            step = quick_ask(belief, [(best.guess, best.epsilon + change)], rest, every=every)
            improved = step.value > best.value + _CLEARLY
            best = step if improved else best
    return best


def _chances(belief: Posterior, guess: str, epsilon: float) -> dict[int, float]:
    """Return P(noisy clue) by its code."""
    return dict(enumerate(belief.clue_probabilities(guess, epsilon).tolist()))


def _spread(jobs: int, cluster: str | None, calls: Iterable[Any]) -> Iterator[Any]:
    """The results of calls as they come, from processes here or from a cluster."""
    with machines.on(cluster):
        yield from run_calls(jobs, calls)


class _Steps:
    """The finished steps of one search, one line of JSON each. Each set of options has a file of its own."""

    def __init__(self, command: str) -> None:
        name = command.removeprefix("python -m experiments.records ")
        self._path = STEPS / (name.replace(" --", "_").replace(" ", "-") + ".jsonl")
        self.done: dict[str, dict[str, Any]] = {}
        for record in read_steps(self._path):
            self.done[record.pop("step")] = record

    def left(self, chances: dict[int, float]) -> list[int]:
        """Return the clues whose step is not finished, the likeliest first."""
        return [code for code in sorted(chances, key=lambda code: -chances[code]) if str(code) not in self.done]

    def add(self, step: str, record: dict[str, Any]) -> None:
        self.done[step] = record
        add_step(self._path, {"step": step, **record})


def _command(name: str, channel: str, **options: float | str) -> str:
    """The command that makes a policy."""
    if channel != LETTERWISE:
        options["channel"] = channel
    texts = (f" --{key} {value if isinstance(value, str) else format(value, 'g')}" for key, value in options.items())
    return f"python -m experiments.records {name}{''.join(texts)}"


def _save(policy: Policy, channel: str, path: Path) -> None:
    replace(policy, made_for=setting_identity(setting(channel))).save(path)
    typer.echo(f"wrote {path}")


if __name__ == "__main__":
    machines.run(app)
