"""Comparing strategies in pairs on common trials, with a number of trials that is fixed or until all is settled."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from wordpl.checks import whole_number
from wordpl.errors import WordplError
from wordpl.play.seeds import stream
from wordpl.progress import Progress
from wordpl.simulation.comparison import ComparisonRule, PairedComparison
from wordpl.simulation.evaluation import TrialFigures
from wordpl.simulation.lead import Judge, Samples
from wordpl.simulation.outcomes import Outcome, curves, read_outcomes
from wordpl.simulation.paired_statistics import Sample
from wordpl.simulation.selection import Where
from wordpl.simulation.store import Store
from wordpl.simulation.sweep import Memory, Sink, looks_up_to, play_to_looks
from wordpl.simulation.tasks import Task, TaskRow, task_row

MAX_PAIRS = 1_000
SHARED = ("words", "rule", "channel", "format", "seed", "engine")
"""What two tasks with common trials have in common."""


def compare(
    pairs: Iterable[tuple[Task, Task]],
    trials: int = 1001,
    jobs: int = 1,
    *,
    rule: ComparisonRule | None = None,
    batch: int | None = None,
    store: Sink | None = None,
    progress: Progress | None = None,
) -> PairedComparison:
    """Play pairs of tasks and compare them on common trials: the same answers and the same noise.

    Each task is played up to `trials` trials, 1 or more. If the `rule` is to stop `until_settled`, pairs are looked at
    after fixed numbers of trials, and one that is settled is played no longer. What is decided depends on neither
    `jobs` nor batches. `store` keeps the trials and supplies those that it has.

    Raises `WordplError` for no pair or more than 1,000, a task that is compared with itself, and tasks whose words,
    rule, channel, format or seed differ, and a strategy that loses all trials by errors; and what `sweep` raises.

    >>> import wordpl
    >>> tasks = [wordpl.make_task(wordpl.parse_strategy(spec)) for spec in ("TwoGuess(25)", "NGuess(2, 12.5)")]
    >>> found = wordpl.compare([tasks], trials=200)
    >>> found.pairs[0]["win_rate"].verdict
    'second'
    """
    rule = rule or ComparisonRule()
    trials = whole_number("trials", trials)
    batch = None if batch is None else whole_number("batch", batch)
    chosen = [(first, second) for first, second in pairs]
    _check([(task_row(first), task_row(second)) for first, second in chosen])
    for first, second in chosen:
        if first.setting.words.digest != second.setting.words.digest:
            raise WordplError(f"{first!s} and {second!s} are played with different word lists of one name")
    sink = store if store is not None else Memory()
    judge = Judge(rule, [stream(first.seed, "comparison") for first, _ in chosen])

    def samples(task: Task, look: int) -> Sample:
        return _sample(str(task), sink.evaluation(task, look))

    def still_open(look: int, _: Sequence[Task]) -> list[Task]:
        judge.look({i: (samples(chosen[i][0], look), samples(chosen[i][1], look)) for i in judge.open})
        return [task for i in judge.open for task in chosen[i]]

    looks = looks_up_to(trials) if rule.until_settled else [trials]
    tasks = [task for pair in chosen for task in pair]
    play_to_looks(tasks, looks, still_open, jobs, sink=sink, batch=batch, progress=progress)
    return judge.comparison(
        [(task_row(first, n), task_row(second, n)) for (first, second), n in zip(chosen, judge.trials, strict=True)]
    )


def compare_outcomes(pairs: Iterable[tuple[Outcome, Outcome]], rule: ComparisonRule | None = None) -> PairedComparison:
    """Compare pairs of outcomes on the trials that both have, as `compare` does.

    If the `rule` is to stop `until_settled`, it is as if the trials had been played one look after the other. That is
    what to choose if anybody has looked at the trials before deciding how many there are. Raises `WordplError` for no
    pair or more than 1,000, a task that is compared with itself, tasks without common trials, and tasks whose words,
    rule, channel, format, seed or engine differ, or their answers.
    """
    rule = rule or ComparisonRule()
    chosen = [(first, second) for first, second in pairs]
    _check([(first.task, second.task) for first, second in chosen])
    samples = [_common(first, second) for first, second in chosen]
    judge = Judge(rule, [stream(int(first.task.seed), "comparison") for first, _ in chosen])
    longest = max(len(first) for first, _ in samples)
    for look in looks_up_to(longest) if rule.until_settled else [longest]:
        judge.look({i: (samples[i][0].at(slice(look)), samples[i][1].at(slice(look))) for i in judge.open})
    return judge.comparison([(first.task, second.task) for first, second in chosen])


def read_pairs(store: Store, texts: Sequence[str] = (), where: Where = ()) -> list[tuple[Outcome, Outcome]]:
    """Return pairs of those tasks of a store that have trials, whose strategy contains one of `texts` if there are any,
    and that meet `where` (see `read_outcomes`).

    Two strategies are paired at each epsilon that both have. If there is none, and one of them was run once, that run
    is paired with all of the other's. The runs of a single strategy are paired with each other.

    Raises `WordplError` for a text that no strategy contains, tasks that cannot be compared (see `compare_outcomes`),
    and tasks with different answers in the same trials.
    """
    found = read_outcomes(store, where=where)
    for text in texts:
        if not any(text.lower() in outcome.task.strategy.lower() for outcome in found):
            raise WordplError(f"{store.path} has no trials of a strategy that contains {text!r}")
    chosen = [o for o in found if not texts or any(text.lower() in o.task.strategy.lower() for text in texts)]
    lines = [{outcome.task.epsilon: outcome for outcome in curve.outcomes} for curve in curves(chosen)]
    pairs: list[tuple[Outcome, Outcome]] = []
    if len(lines) == 1:
        pairs += itertools.combinations(lines[0].values(), 2)
    for one, other in itertools.combinations(lines, 2):
        common = [epsilon for epsilon in one if epsilon in other]
        if common:
            pairs += [(one[epsilon], other[epsilon]) for epsilon in common]
        elif 1 in (len(one), len(other)):
            pairs += itertools.product(one.values(), other.values())
        if len(pairs) > MAX_PAIRS:
            break
    _check([(first.task, second.task) for first, second in pairs])
    most = max((outcome for pair in pairs for outcome in pair), key=lambda outcome: outcome.task.trials)
    for outcome in {outcome.task.id: outcome for pair in pairs for outcome in pair}.values():
        trial = store.differing_answer(most.task.id, outcome.task.id)
        if trial is not None:
            raise WordplError(
                f"{most.task.strategy} and {outcome.task.strategy} have different answers in trial {trial}, so that"
                " they have no trials in common"
            )
    return pairs


def _check(pairs: Sequence[tuple[TaskRow, TaskRow]]) -> None:
    if not pairs:
        raise WordplError("no pair to compare; at least two strategies are expected")
    if len(pairs) > MAX_PAIRS:
        raise WordplError(f"{len(pairs)} pairs are too many to compare; at most {MAX_PAIRS} are allowed")
    seen: set[frozenset[str]] = set()
    for first, second in pairs:
        if first.id == second.id:
            raise WordplError(f"{first.strategy} is compared with itself; two different strategies are expected")
        if frozenset((first.id, second.id)) in seen:
            raise WordplError(f"{first.strategy} and {second.strategy} are compared twice")
        seen.add(frozenset((first.id, second.id)))
        for name in SHARED:
            one, other = getattr(first, name, ""), getattr(second, name, "")
            if one != other:
                raise WordplError(
                    f"{first.strategy} and {second.strategy} differ in {name} ({one} and {other}), so that they have no"
                    " trials in common"
                )


def _sample(name: str, figures: TrialFigures) -> Sample:
    if figures.errors == figures.trials:
        reason, _ = figures.commonest_reasons[0]
        raise WordplError(f"{name} lost all {figures.trials} trials by errors, so that it cannot be compared: {reason}")
    cost = "turns" if figures.format.is_wordle else "budget"
    return Sample(figures.results[cost].astype(np.float64), figures.results["chance"], figures.won)


def _common(first: Outcome, second: Outcome) -> Samples:
    """The trials that both outcomes have."""
    results = [outcome.figures.results for outcome in (first, second)]
    trials, *places = np.intersect1d(results[0]["trial"], results[1]["trial"], return_indices=True)
    names = f"{first.task.strategy} and {second.task.strategy}"
    if not len(trials):
        raise WordplError(f"{names} have no trials in common")
    if all("answer" in (found.dtype.names or ()) for found in results):
        one_answer, other_answer = (found["answer"][at] for found, at in zip(results, places, strict=True))
        if (one_answer != other_answer).any():
            raise WordplError(
                f"{names} have different answers in the same trials, so that they have no trials in common"
            )
    one, other = (_sample(outcome.task.strategy, outcome.figures) for outcome in (first, second))
    return one.at(places[0]), other.at(places[1])
