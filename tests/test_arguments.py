"""Every public call takes text for a word list, a strategy, a channel and the like, or refuses it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import wordpl
from tests.support.calls import (
    BELIEF,
    GUESS,
    RENYI,
    SETTING,
    TASK,
    parameters_of,
    public_calls,
    text_of,
)
from tests.support.helpers import TINY, rows_of
from tests.support.ledgers import started
from wordpl import RandomizedResponse, Turn, WordplError
from wordpl.model import words as word_lists

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
