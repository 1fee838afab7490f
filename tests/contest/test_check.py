"""The conformance test: our own strategies pass it, and each kind of mistake fails it with what to change."""

import inspect
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.cli.conftest import Cli
from tests.support.helpers import SMALL, Scripted
from tests.support.refusals import refusal
from wordpl import Answer, Game, RandomizedResponse, Setting, Turn, Verdict, contest
from wordpl.contest import ContestRun, Limits, check, check_submission, load_submission, sandbox
from wordpl.contest.limits import MIB

pytestmark = pytest.mark.alone

LIMITS = Limits(game_seconds=2.0, move_seconds=2.0, cpu_seconds=2.0, start_seconds=60.0, memory=512 * MIB)
GOOD = """
import random

class Mine:
    def first_move(self):
        self.asked = 0
        return WORD, 5.0

    def next_move(self, guess, epsilon, clues):
        self.asked += 1
        return (ANSWER, 0) if self.asked == 2 else (WORD, random.uniform(3.0, 5.0))
""".replace("WORD", repr(SMALL.guesses[0])).replace("ANSWER", repr(SMALL.answers[0]))


# One that computes, one that draws and one that reads: tests/strategies/test_every_strategy.py holds all variants of
# all strategies to legal, repeatable games.
@pytest.mark.parametrize("spec", ["TwoGuess(9)", "BayesianRandom(6, 0.4)", "Fifth()"])
def test_our_own_strategies_conform(spec: str) -> None:
    assert [finding for finding in contest.check_strategy(spec, words="original", games=1) if not finding.passed] == []


CHATTY = "import random\nfor n in range(6): print(n)\n1 / 0"
THIRD = "self.asked = 0; self.k = getattr(self, 'k', 0) + 1; 1 / (self.k - {})\n"
"""With two games in a round, the third is the first without noise, and the fifth the first of pure noise."""


def played(budget: float, slowest: float = 0.1, seconds: float = 0.1) -> Game:
    return Game(0, "crate", Verdict.WIN, "crate", "", (Turn("salet", budget, 7),), seconds, slowest)


def test_legal_games_tell_their_budgets() -> None:
    games = [played(7.0), replace(played(3.0), verdict=Verdict.LOSS), played(5.0)]
    finding = check._legal("plays legal moves", games, True)
    assert (finding.passed, finding.message) == (True, "budgets 3 to 7")


@pytest.mark.parametrize(
    ("verdict", "advice"),
    [
        (Verdict.INVALID, "return (word, epsilon): a word of valid.txt"),
        (Verdict.TIMEOUT, "compute what games share when the strategy is created, which is not timed"),
        (Verdict.CRASH, "mend the error"),
        (Verdict.MEMORY, "keep less"),
        (Verdict.PROTOCOL, "return moves from first_move and next_move, and leave open files"),
    ],
)
def test_each_verdict_that_a_mistake_gets_has_its_advice(verdict: Verdict, advice: str) -> None:
    games = [played(7.0), replace(played(5.0), verdict=verdict, reason="a reason")]
    for advise in (True, False):
        finding = check._legal("plays legal moves", games, advise)
        assert not finding.passed
        assert finding.message.startswith(f"{verdict} after 1 ask: a reason" + f"; {advice}" * advise)
        assert advise or finding.message.endswith("a reason")


@pytest.mark.parametrize(
    ("at", "differs", "said"),
    [
        (None, {}, "2 games"),
        (0, {"proposed": "haste"}, "trial 0, move 2: crate as the answer, but haste as the answer in a process with"),
        (3, {"proposed": "haste"}, "trial 1, move 2: crate as the answer, but haste as the answer in a process with"),
        (4, {"history": ()}, "trial 1, move 1: salet at 3.0, but crate as the answer when the game came after others"),
        (5, {"proposed": "", "verdict": Verdict.CRASH, "reason": "x"}, "but CRASH (x) when the game came after others"),
    ],
)
def test_games_are_repeated_in_two_processes_and_in_another_order(
    at: int | None, differs: dict[str, Any], said: str
) -> None:
    """The fourth to the last of the six that are played again are the second process's."""
    games, asked, again = [played(7.0), replace(played(3.0), trial=1)], [], []

    def repeat(hash_seed: int, trials: Any) -> list[Game]:
        asked.append((hash_seed, list(trials)))
        start = len(again)
        again.extend([replace(games[trial], **(differs if n == at else {})) for n, trial in enumerate(trials, start)])
        return again[start:]

    finding = check._repeated(games, repeat)
    assert finding.passed == (at is None) and said in finding.message
    assert asked == [(1, [0, 1]), (2, [0, 1, 1, 0])][: 1 if at == 0 else 2]


@pytest.mark.parametrize(
    ("slowest", "seconds", "cpu", "passed", "said"),
    [
        (2.0, 4.0, 3.0, [True, True], "longest 3 s of CPU, 4 s in all"),
        (2.1, 4.0, 3.0, [False, True], "longest 3 s of CPU, 4 s in all"),
        (2.0, 4.1, 3.0, [True, False], "; that is more than half of what a game may take (8 s)"),
        (2.0, 4.0, 3.1, [True, False], "; that is more than half of what a game may take (6 s of CPU)"),
    ],
)
def test_a_move_and_a_game_may_take_half_of_their_time(slowest, seconds, cpu, passed, said) -> None:
    limits = Limits(game_seconds=8.0, move_seconds=4.0, cpu_seconds=6.0)
    games = [(played(9.0, slowest=slowest), 0.1), (played(9.0, seconds=seconds), 0.2), (played(9.0), cpu)]
    move, game = check._times(games, limits)
    assert ([move.passed, game.passed], move.message) == (passed, f"slowest {slowest:g} s")
    assert game.message.endswith(said)


def test_the_first_game_after_the_start_is_not_judged_by_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    judged, keeps, given, played = [], [], set(), check._games

    def games(subject: object, setting: Setting, *rest: Any) -> object:
        given.add((setting.rule, rest[0], rest[1]))
        keeps.append(setting.channel(9.0, 5).keep)
        return played(subject, setting, *rest)

    monkeypatch.setattr(check, "_games", games)
    monkeypatch.setattr(check, "_times", lambda games, limits: judged.append([game.trial for game, _ in games]) or [])
    found = contest.check_strategy("TwoGuess(9)", words=SMALL, rule="counted", seed=7)
    assert found[-1].message == "5 games"
    here = Limits(math.inf, math.inf, 10.0, asks=1000, min_epsilon=sys.float_info.min)
    assert given == {("counted", here, 7)}
    assert judged == [[1, 2, 3, 4, *range(5), *range(5)]]
    usual = [parameter.default for parameter in inspect.signature(contest.check_strategy).parameters.values()]
    assert usual[1:] == ["original", "letterwise", 1, 5]
    assert keeps[:3] == pytest.approx([RandomizedResponse(9.0).keep, 1.0, 1 / 3])  # pure noise tells nothing


def test_each_game_has_random_numbers_of_its_own() -> None:
    given: list[int] = []
    subject: Any = Mock(player=lambda seed: given.append(seed) or Scripted(Answer(SMALL.answers[0])))
    assert len(list(check._games(subject, Setting(SMALL), LIMITS, 7, [0, 1, 0]))) == 3
    assert given[0] == given[2] != given[1]


def test_what_cannot_be_checked_is_refused() -> None:
    for wrong in ({"strategy": "no such thing"}, {"strategy": 3.5}, {"words": "no such thing"}, {"words": 3.5}):
        refusal(contest.check_strategy, **{"strategy": "TwoGuess(9)", "games": 1, **wrong})


def findings(
    code: str, tmp_path: Path, limits: Limits = LIMITS, games: int = 1, progress: Any = None
) -> dict[str, str]:
    """What fails, and what is said of it."""
    (tmp_path / "mine.py").write_text(code)
    submission = load_submission(str(tmp_path / "mine.py"))
    found = check_submission(ContestRun(submission, Setting(SMALL), 1, limits, sandbox.find()), games, progress)
    return {finding.check: finding.message for finding in found if not finding.passed}


@pytest.mark.parametrize(
    ("before", "after", "what", "said"),
    [
        ("import random", "import nowhere", "starts", "nowhere"),
        ("import random", CHATTY, "starts", "CRASH: mine.py:4: ZeroDivisionError: division by zero | 2 | 3 | 4 | 5"),
        (", 5.0", ", -5.0", "plays legal moves, the noise asked for", "finite epsilon above 0"),
        (", 5.0", ", 9e-4", "plays legal moves, the noise asked for", "the smallest is 0.001; return"),
        ("asked == 2", "asked == 101", "plays legal moves, the noise asked for", "asked more than 100 times; return"),
        ("self.asked += 1", "self.asked += 1; {}[clues]", "plays legal moves, the noise asked for", "mend the error"),
        ("= 0\n", "= 0; self.n = getattr(self, 'n', 0) + 1\n", "same moves for same clues and seed", "reset"),
        ("random.uniform", "random.SystemRandom().uniform", "same moves for same clues and seed", "seeded"),
        ("random.uniform(3.0, 5.0)", "3.0 + hash(guess) % 8", "same moves for same clues", ": sort what comes"),
        ("self.asked += 1", "self.kept = bytearray(1 << 30)", "plays legal moves, the noise asked for", "keep less"),
        ("self.asked = 0\n", THIRD.format(3), "plays legal moves, clues without noise", "mend the error"),
        ("self.asked = 0\n", THIRD.format(5), "plays legal moves, clues of pure noise", "mend the error"),
    ],
)
def test_each_mistake_is_named(before: str, after: str, what: str, said: str, tmp_path: Path) -> None:
    code = GOOD.replace(before, after)
    assert code != GOOD
    if "self.n =" in after:
        code = code.replace("random.uniform(3.0, 5.0)", "3.0 + self.n % 2")  # only in another order
    found = findings(code, tmp_path, games=2)
    assert [key.startswith(what) for key, text in found.items() if said in text] == [True], found
    assert not any("Traceback" in text or "File" in text for text in found.values())


BURN = """
        import time
        end = time.process_time() + SECONDS
        while time.process_time() < end:
            pass"""


def test_a_game_is_judged_by_its_cpu_time_as_in_a_ranking(tmp_path: Path) -> None:
    """Wall clock depends on what else the machine does: here it passes the CPU limit, and that is no fault."""
    limits = replace(LIMITS, game_seconds=60.0, move_seconds=60.0, cpu_seconds=0.16)
    waits = GOOD.replace("self.asked += 1", "self.asked += 1; import time; time.sleep(0.1)")
    told: list[tuple[object, ...]] = []
    assert findings(waits, tmp_path, limits, progress=lambda *given: told.append(given)) == {}
    rounds = ("the noise asked for", "clues without noise", "clues of pure noise")
    assert told == [
        ("starting the strategy", 0, 0, 6), *((name, 1, n, 6) for n, name in enumerate(rounds, 1)),
        ("the same games in new processes", 0, 3, 6),
    ]  # fmt: skip
    burns = GOOD.replace("self.asked += 1", "self.asked += 1" + BURN.replace("SECONDS", "0.06"))
    found = findings(burns, tmp_path, replace(limits, cpu_seconds=0.2))
    assert list(found) == ["time per game"]
    assert "(0.2 s of CPU)" in found["time per game"]


def test_a_file_that_does_not_conform_has_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("class Bad: pass")
    bad = cli("check", "bad.py")
    assert bad.code == 1 and "FAIL starts" in bad.out
