"""Every public call takes text for a word list, a strategy and the like, and numbers of every type, or refuses them.

`tests/base/test_checks.py` holds the checks themselves to every kind of number; this holds that each call has its own.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import wordpl
from tests.support.helpers import TINY, rows_of
from tests.support.ledgers import started
from tests.support.public import public
from wordpl import Posterior, RandomizedResponse, Setting, Turn, WordplError, limits, simulation
from wordpl.base.files import StrPath
from wordpl.library.renyi import Renyi
from wordpl.model import words as word_lists
from wordpl.model.channel import ChannelFamily
from wordpl.play.setting import History

BELIEF, SETTING, GUESS = Posterior(TINY), Setting(TINY), TINY.guesses[0]
RENYI = Renyi((5.0, 4.0), first_guess=None)
TASK = wordpl.make_task(RENYI, words=TINY)


def public_calls() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions, classes and methods of public classes, by name."""
    for name, thing in public().items():
        if inspect.isclass(thing):
            yield name, thing
            for method, call in vars(thing).items():
                if not method.startswith("_") and inspect.isfunction(getattr(call, "__func__", call)):
                    yield f"{name}.{method}", getattr(thing, method)
        elif inspect.isfunction(inspect.unwrap(thing)):
            yield name, thing


def parameters_of(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a call, with their annotations as text."""
    try:
        found = inspect.signature(call).parameters.values()
    except ValueError:  # an error, or a type of Python's own
        return []
    return [parameter.replace(annotation=_written(parameter.annotation)) for parameter in found]


def _written(annotation: Any) -> str:
    """An annotation as it stands in the code, which Python may have evaluated."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    for name, alias in {"StrPath": StrPath, "History": History, "ChannelFamily": ChannelFamily}.items():
        text = text.replace(inspect.formatannotation(alias), name)
    return re.sub(r"\b(\w+\.)+", "", text)


def text_of(result: Any) -> str:
    return repr(result.tolist() if isinstance(result, np.ndarray) else result)


KIND = re.compile(
    r"\b(WordList|Strategy|HistoryStrategy|ChannelFamily|Channel|GameFormat|Setting|Clue|Posterior|Task|Tree|Heuristic"
    r"|Store)\b|\b(Sequence|Iterable|tuple)\[(?!float|int|Any)"
)
"""What an object of our own is annotated with, or a list of anything but numbers."""
SPEC = "Renyi((5.0, 4.0), first_guess=None)"
TURNS = (Turn(TINY.answers[0], float("inf"), 242),)

TEXTS: dict[str, tuple[str, Any]] = {
    "WordList": ("tiny", TINY),
    "Strategy": (SPEC, RENYI),
    "HistoryStrategy": (SPEC, RENYI),
    "ChannelFamily": ("whole_clue", wordpl.Ball),
    "GameFormat": ("wordle:6", wordpl.GameFormat(6)),
    "Clue": (".....", wordpl.Clue(0)),
    "Heuristic": ("parts", wordpl.wordle.Heuristic("parts")),
}
"""Text that stands for an object, and the object."""
GIVEN: dict[str, Any] = {
    "words": TINY, "setting": SETTING, "belief": BELIEF, "epsilon": 9.0, "guess": GUESS, "word": GUESS, "seed": 1,
    "answer": TINY.answers[0], "rule": "letterwise", "strategy": RENYI, "trials": 2, "trial": 0, "start": 0, "stop": 2,
    "budget": 9.0, "win_rate": 0.0, "rounds": 0, "turns": TURNS, "epsilons": [3.0],
    "heuristic": wordpl.wordle.Heuristic(),
    "answers": 9, "channel": wordpl.RandomizedResponse(2.0), "weights": BELIEF.probabilities, "game": [GUESS],
    "clue": ".....", "by": "word",
}  # fmt: skip
"""What a parameter of this name is given in most calls; others are given None, as they are not looked at before."""
OWN: dict[str, dict[str, Any]] = {
    "Assistant": {"setting": SETTING},
    "analyze": {"setting": SETTING},
    "evaluate": {"strategy": "TwoGuess(18)", "words": TINY, "format": "contest"},
    "make_task": {"strategy": "TwoGuess(18)", "words": TINY},
    "watch": {"strategy": "TwoGuess(18)", "words": TINY},
    "explain": {"epsilon": 9.0},
    "compute_win_rate": {"setting": SETTING},
    "read_finished": {"game": [f"{TINY.answers[0]}=ccccc"]},
    "read_turn": {"text": f"{TINY.answers[0]}=ccccc"},
    "solve_tree": {"first": TINY.answers[0]},
    "verify": {"tree": wordpl.wordle.build_tree(TINY, "parts")},
    "export_strategy": {"strategy": "Fifth()"},
}
"""What is given instead."""
WORDLE = {"evaluate", "make_task", "watch"}
"""Those whose strategy has to be another one in a game of Wordle."""

TIMED = {"compute_win_rate", "prove"}
"""Those whose results say how long they took."""

ELSEWHERE = {
    "Analysis", "BudgetCurve", "ComparedPair", "Crossing", "Difference", "DifferenceWithin", "Evaluation",
    "Explanation", "Finished", "Game", "GameRecord", "MoveRecord", "PairedComparison", "PlayedBudget", "Run",
    "Solution", "TaskRow", "StrategyDescription", "WinRate", "Exported", "Credit", "Contest", "Board", "BoardEntry",
    "Standing", "Entry", "PlayedGame",  # results
    "Strategy.players", "Strategy.check", "HistoryStrategy.decide", "HistoryStrategy.last_ask", "ContestRun", "Plan",
    "HistoryStrategy.exported", "HistoryStrategy.players", "Ledger.add", "Ledger.end", "Store.trial_rows", "Round",
    "Family", "TaskFilter.nothing", "Channel.likelihood", "run_calls",  # what others call, or a file of ours
    "WordList", "Submission", "Policy", "check_certificate.words", "privacy_of.channel", "check_strategy",
    "make_page", "word_priority",  # held with what they need, in the tests of their room
    "Tree.next_guess", "Assistant.best_answer", "Assistant.scores", "Assistant.win_chances", "best_ask.candidates",
    "smallest_budgets.points", "print_budgets.lines", "print_table", "Store.united", "Store.stored.columns",
    "Store.evaluations.columns", "read_outcomes.columns", "evaluate.store", "compare.store",
    "sweep.store",  # what another call returned, names of columns, and paths
}  # fmt: skip


CASES = [
    (f"{name}.{parameter.name}", name, call, parameter)
    for name, call in public_calls()
    for parameter in parameters_of(call)
    if KIND.search(parameter.annotation) and not {name, f"{name}.{parameter.name}"} & ELSEWHERE
]


@pytest.fixture
def given(tmp_path, monkeypatch):
    """What calls are given by name; the name "tiny" stands for a list."""
    bundled = word_lists._bundled
    monkeypatch.setattr(word_lists, "_bundled", lambda name: TINY if name == "tiny" else bundled(name))
    with wordpl.Store(tmp_path / "run.sqlite") as store, started(tmp_path / "ledger.sqlite") as ledger:
        store.add([(TASK, rows_of(TASK, 0, 2))])
        selves = {"Store": store, "Ledger": ledger, "Posterior": BELIEF, "Channel": wordpl.RandomizedResponse(2.0)}
        selves |= {"DistanceChannel": selves["Channel"], "Policy": wordpl.limits.Policy(9.0, 1, {(): (GUESS, 9.0)})}
        yield {**GIVEN, "store": store, "path": tmp_path / "proof.csv", "selves": selves}


def called(name: str, call: Callable[..., Any], given: dict[str, Any], **chosen: Any) -> Any:
    """What a call returns with this choice, and what is usual for all else that it needs."""
    needed = [
        p.name for p in parameters_of(call) if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    own = {**given, "self": given["selves"].get(name.partition(".")[0]), **OWN.get(name, {})}
    return call(**{**{name: own.get(name) for name in needed}, **OWN.get(name, {}), **chosen})


@pytest.mark.parametrize(("case", "name", "call", "parameter"), CASES, ids=[case for case, *_ in CASES])
def test_text_is_taken_or_refused(given, case, name, call, parameter):
    family = "ChannelFamily" in parameter.annotation
    for wrong in ("no such thing", 3.5, *[RandomizedResponse(3.0)] * family):
        with pytest.raises(WordplError) as caught:
            called(name, call, given, **{parameter.name: wrong})
        assert len(str(caught.value)) < 250
    kinds = KIND.findall(parameter.annotation)
    if kinds[0][0] in TEXTS and re.fullmatch(r"[\w| ]*\bstr\b[\w| ]*", parameter.annotation):
        text, thing = TEXTS[kinds[0][0]]
        more = {"strategy": "BayesianSolver()"} if kinds[0][0] == "GameFormat" and name in WORDLE else {}
        taken, made = (text_of(called(name, call, given, **more, **{parameter.name: value})) for value in (text, thing))
        assert taken == made or " at 0x" in taken or name in TIMED


class Kind(NamedTuple):
    """What is allowed: by examples that are, and values that are not, the nearest to the limits among them."""

    good: list[Any]
    bad: list[Any]
    said: str = ""
    """The limits, as a refusal names them."""


def real(good: list[float], *bad: float, low: float = -math.inf, high: float = math.inf) -> Kind:
    """Numbers from `low` to `high`, without those listed as bad."""
    beyond = [np.nextafter(low, -math.inf)] * (low > -math.inf) + [np.nextafter(high, math.inf)] * (high < math.inf)
    return Kind([*good, np.float32(good[0])], ["1", True, 10**400, math.nan, *bad, *beyond])


def whole(good: int, low: int, high: int | None = None) -> Kind:
    beyond = [low - 1] + ([] if high is None else [high + 1])
    power = next((f"2**{bits} - 1" for bits in (53, 63, 64, 256) if high == 2**bits - 1), f"{high or 0:,}")
    said = f"a whole number from {low:,} " + ("up" if high is None else f"to {power}")
    return Kind([good, np.uint8(good)], ["1", True, 1.0, *beyond], said)


EPSILON, ORDER = real([2.0, 0.0], low=0.0), real([2.0, 20.0, math.inf], 0.0, np.nextafter(20.0, 21.0), low=0.1)
POSITIVE, FINITE = real([2.0], 0.0, low=0.0), real([9.0], 0.0, math.inf, low=0.0)
FRACTION, OPEN = real([0.5, 1.0], low=0.0, high=1.0), real([0.5], 0.0, 1.0, low=0.0, high=1.0)
COUNT, FROM_0, ANSWERS = whole(2, 1), whole(2, 0), whole(9, 1, 2**53 - 1)
BOOLEAN = Kind([True, False, np.True_, np.False_], [0, 1.0, "yes"])
FALSE = Kind([False, np.False_], BOOLEAN.bad)
USUAL = {
    **dict.fromkeys(("epsilon", "epsilons", "min_epsilon", "first", "second", "first_at_least", "budget"), EPSILON),
    **dict.fromkeys(("trials", "batch", "top", "count", "each", "n_guesses", "openers"), COUNT),
    **dict.fromkeys(("rng", "max_asks", "ask"), FROM_0),
    **dict.fromkeys(("length", "marks"), whole(5, 1, 8)),
    **dict.fromkeys(("rounds", "asks"), whole(3, 1, 1000)),
    **dict.fromkeys(("answers", "games"), ANSWERS),
    **dict.fromkeys(("q", "certainty", "success", "win_rate", "margin", "probability", "win_rates"), FRACTION),
    **dict.fromkeys(("until_width", "error", "mean", "standard_error", "budget_fraction", "confidence"), OPEN),
    **dict.fromkeys(
        ("right_ends", "noiseless", "unlimited", "every_answer", "separate_draws", "answers_only", "exact"), BOOLEAN
    ),
    **dict.fromkeys(("start", "stop"), whole(2, 0, 2**63 - 1)),
    **dict.fromkeys(("order", "orders"), ORDER),
    "guesses": whole(2, 1, 12),
    "lies": whole(2, 0, 5),
    "draws": whole(5, 1, 10**9),
    "seed": whole(3, 0, 2**256 - 1),
    "trial": whole(3, 0, 2**64 - 1),
    "first_trial": whole(3, 0, 10**12),
    "relative_cutoff": FRACTION,
    "hard": BOOLEAN,
}
"""What a parameter of this name takes in most calls."""
OWN_KINDS = {
    "Ball.radius": whole(0, 0, 4),
    "Fibble.epsilon": real([math.inf], 1.0, low=0.0),
    "Clue.code": whole(3, 0, 242),
    "Clue.length": whole(4, 1, 8),
    "ComparisonRule.draws": whole(200, 100, 10**6),
    "GameFormat.guesses": whole(6, 1, 100),
    "schedule.n_guesses": Kind([2, np.int64(2)], [*COUNT.bad, 3]),
    **dict.fromkeys(
        ("score_guesses.guesses", "best_guess.guesses", "best_guesses.guesses", "tied_guesses.guesses"),
        whole(1, 0, len(TINY.guesses) - 1)._replace(said=""),
    ),
    **dict.fromkeys(("expected_wins.epsilon", "chances_in_three.epsilon"), real([math.inf], 1.0, low=0.0)),
    "best_ask.candidates": POSITIVE,
    "best_ask.budget": real([9.0], 0.0, low=0.0),
    "Heuristic.priority": real([2.0, 0.0], math.inf, low=0.0),
    "solve_tree.worst": whole(20, 1),
    "verify.hard": FALSE,
    "percentile_interval.confidence": FRACTION,
    "win_rates.epsilons": POSITIVE,
    "win_interval.wins": whole(2, 0, 9),
    "win_interval.trials": ANSWERS,
    "win_interval.confidence": real([0.5], low=0.0, high=1.0),
    "compute_win_rate.max_histories": whole(200, 0),
    "Policy.clues": whole(1, 1),
    "Policy.relative_cutoff": real([0.5], 1.0, low=0.0),
    **dict.fromkeys(("Policy.budget", "Policy.moves", "Fifth.budget", "strategy_at_budget.budget"), FINITE),
    "Policy.budget_fractions": OPEN,
    "schedule.epsilon": POSITIVE,
    "tied_guesses.within": real([0.5, math.inf], low=0.0),
}
WITHIN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        (
            "score_guesses.guesses",
            "best_guess.guesses",
            "best_guesses.guesses",
            "tied_guesses.guesses",
            "smallest_budgets.win_rates",
        ),
        lambda x: [x],
    ),
    **dict.fromkeys(("rank_guesses.epsilons", "win_rates.epsilons", "TaskFilter.epsilons"), lambda x: [x]),
    "best_ask.candidates": lambda x: [(GUESS, x)],
    "Heuristic.priority": lambda x: {GUESS: x},
    "Policy.moves": lambda x: {(): (GUESS, x)},
    "schedule.epsilon": lambda x: (x, 3.0),
    "Policy.budget_fractions": lambda x: ((0.0, x),),
}
"""Parameters that take numbers in something."""


class Proposes:
    def first_move(self) -> Any:
        return wordpl.Answer(TINY.answers[0])

    def next_move(self, guess: str, epsilon: float, clues: str) -> Any:
        raise AssertionError


def few(number: dict[str, Any]) -> dict[str, Any]:
    """Two trials, unless each answer is played."""
    return number if "every_answer" in number else {"trials": 2, **number}


def played(seed: Any = 1, trial: Any = 0, **options: Any) -> str:
    return str(wordpl.Referee(SETTING, seed, **options).play(trial, Proposes()))[:40]


def solved(**number: Any) -> int:
    return wordpl.wordle.solve_tree(TINY, None if "openers" in number else GUESS, **number).tree.total


TASKS = TASK, wordpl.make_task(Renyi((5.0, 5.0), first_guess=None), words=TINY)
LAST_GUESS = BELIEF.probabilities, RandomizedResponse(2.0), TINY, "letterwise"
CALLS: dict[str, Callable[..., Any]] = {
    "RandomizedResponse": partial(RandomizedResponse, epsilon=2.0),
    "Ball": partial(wordpl.Ball, epsilon=2.0),
    "Fibble": wordpl.Fibble,
    "Clue": partial(wordpl.Clue, code=0),
    "Posterior": partial(Posterior, TINY),
    "Posterior.update": partial(BELIEF.update, GUESS, clue="....."),
    "Posterior.clue_probabilities": partial(BELIEF.clue_probabilities, GUESS),
    "Posterior.truncate": BELIEF.truncate,
    "Posterior.most_probable": BELIEF.most_probable,
    "score_word": partial(wordpl.score_word, BELIEF, word=GUESS),
    "rank_guesses": partial(wordpl.scoring.rank_guesses, BELIEF, epsilons=[2.0], criterion="renyi", guesses=[GUESS]),
    "score_guesses": partial(wordpl.score_guesses, BELIEF, epsilon=2.0, draws=3, rng=1),
    "best_guess": partial(wordpl.best_guess, BELIEF, epsilon=2.0, draws=3, rng=1),
    "best_guesses": partial(wordpl.best_guesses, BELIEF, epsilon=2.0, draws=3, rng=1),
    "tied_guesses": partial(wordpl.tied_guesses, BELIEF, epsilon=2.0),
    "counts_answers": partial(wordpl.scoring.counts_answers, BELIEF),
    "expected_wins": partial(wordpl.scoring.expected_wins, BELIEF, values=np.ones(len(TINY.answers) + 1)),
    "chances_in_three": partial(wordpl.scoring.chances_in_three, BELIEF, guesses=[0]),
    "best_last_guess": partial(wordpl.scoring.best_last_guess, *LAST_GUESS),
    "best_ask": partial(wordpl.scoring.best_ask, BELIEF, candidates=[(GUESS, 2.0)], budget=9.0),
    "GameFormat": wordpl.GameFormat,
    "Setting": partial(Setting, TINY),
    "Referee": played,
    "Referee.play": played,
    "epsilon_at": partial(wordpl.epsilon_at, (3.0, 4.0)),
    "schedule": partial(wordpl.schedule, (4.0, 3.0)),
    "Heuristic": lambda **number: wordpl.wordle.build_tree(TINY, wordpl.wordle.Heuristic(**number)).total,
    "solve_tree": solved,
    "verify": partial(wordpl.wordle.verify, wordpl.wordle.build_tree(TINY, wordpl.wordle.Heuristic()), TINY),
    "explain": partial(limits.explain, epsilon=9.0),
    "privacy_of": partial(limits.privacy_of, wordpl.Ball(2.0)),
    "pure_budget": partial(limits.pure_budget, success=0.5, answers=9),
    "approximate_budget": partial(limits.approximate_budget, success=0.5, rounds=2, answers=9),
    "approximate_success": partial(limits.approximate_success, budget=2.0, rounds=2, answers=9),
    "compute_win_rate": lambda **number: (
        limits.compute_win_rate(RENYI, SETTING, **{"standard_error": 0.5, **number}).win_rate
    ),
    "win_rates": lambda **number: limits.win_rates(
        ["TwoGuess()"], **{"epsilons": [2.0], "standard_error": 0.5, **number}, words=TINY
    )["win_rate"],
    "WinRate.interval": limits.WinRate("", 1.0, 0.5, 0.1, False, "", 9, 0.0).interval,
    "smallest_budgets": partial(limits.smallest_budgets, {}),
    "Policy": partial(limits.Policy, budget=9.0, clues=1, moves={(): (GUESS, 2.0)}),
    "evaluate": lambda **number: wordpl.evaluate(RENYI, **few(number), words=TINY).wins,
    "make_task": partial(wordpl.make_task, RENYI, words=TINY),
    "watch": lambda **number: wordpl.watch(RENYI, **{"trial": 0, **number}, words=TINY).moves[0],
    "sweep": lambda **number: wordpl.sweep([RENYI], **{"trials": 2, **number}, words=TINY)[0].wins,
    "compare": lambda **number: (
        wordpl.compare(
            *(task.strategy for task in TASKS), by=wordpl.ComparisonRule(draws=100), words=TINY, **number
        ).frame
    ),
    "strategy_at_budget": partial(simulation.strategy_at_budget, "NGuess(1)", words=TINY),
    "ComparisonRule": wordpl.ComparisonRule,
    "percentile": partial(simulation.percentile, [1.0, 2.0]),
    "percentile_interval": partial(simulation.percentile_interval, [1.0, 2.0], q=0.5),
    "win_interval": partial(simulation.win_interval, wins=0, trials=9),
    "chance_to_hold": partial(simulation.chance_to_hold, q=0.5, games=9, win_rate=0.5),
    "win_rate_to_hold": partial(simulation.win_rate_to_hold, q=0.5, games=9),
    "read_outcomes": partial(simulation.read_outcomes, ()),
    "TaskFilter": simulation.TaskFilter,
    "planned_interval": partial(simulation.planned_interval, [0.5]),
    "mean_interval": partial(simulation.mean_interval, [0.5]),
}
"""Calls with what else they need, of which one number gives way to another."""
NUMBER = re.compile(r"\b(int|float|bool|Epsilon)\b")
ALIKE = {"expected_wins.guesses", "chances_in_three.guesses", "epsilon_at.epsilon"}
"""As in `score_guesses` and in `schedule`."""


def numbers() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Call and parameter, by name, of all numbers of these calls."""
    for name, call in public_calls():
        for parameter in parameters_of(call) if name in CALLS else ():
            both = f"{name}.{parameter.name}"
            known = both in OWN_KINDS or parameter.name in USUAL
            if known and both not in ALIKE and NUMBER.search(parameter.annotation):
                yield both, CALLS[name]


@pytest.mark.parametrize(("name", "call"), [*numbers()])
def test_numbers_of_every_type_are_taken_and_anything_else_is_refused(name, call):
    parameter = name.rpartition(".")[2]
    kind, within = OWN_KINDS.get(name) or USUAL[parameter], WITHIN.get(name, lambda x: x)
    results: dict[Any, str] = {}
    for value in kind.good:  # those that are equal are one key
        result = text_of(call(**{parameter: within(value)}))
        assert results.setdefault(value, result) == result, repr(value)
    for value in kind.bad:
        with pytest.raises(WordplError) as caught:
            call(**{parameter: within(value)})
        assert len(str(caught.value)) < 250
        assert kind.said in str(caught.value)
