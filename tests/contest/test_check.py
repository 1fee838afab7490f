"""The conformance test: our own strategies pass it, and each kind of mistake fails it with what to change."""

import inspect
import io
import itertools
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.cli.conftest import Cli, refused
from tests.support.helpers import ASKS_ONCE, SMALL, Scripted
from tests.support.ledgers import started
from tests.support.refusals import refusal
from wordpl import Answer, Ask, Ball, Game, RandomizedResponse, Setting, Turn, Verdict, contest
from wordpl.contest import ContestRun, Ledger, Limits, check, check_submission, load_submission, sandbox
from wordpl.contest.limits import MIB

pytestmark = pytest.mark.alone

LIMITS = Limits(cpu_seconds=2.0, memory=512 * MIB)
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


CHATTY = "import random\nfor n in range(6): print(n)\n1 / 0"


def played(budget: float, slowest: float = 0.1, seconds: float = 0.1) -> Game:
    return Game(0, "crate", Verdict.WIN, "crate", "", (Turn("salet", budget, 7),), seconds, slowest)


ADVICE = {
    Verdict.INVALID: "; return (word, epsilon): a word of valid.txt",
    Verdict.TIMEOUT: "; compute what games share when the strategy is created, which is not timed",
    Verdict.CRASH: "; mend the error",
    Verdict.MEMORY: "; keep less",
    Verdict.PROTOCOL: "; return moves from first_move and next_move, and leave open files",
}


def test_legal_games_tell_their_budgets_and_a_mistake_has_its_advice() -> None:
    games = [played(7.0), replace(played(3.0), verdict=Verdict.LOSS), played(5.0)]
    finding = check._legal("plays legal moves", games, True)
    assert (finding.passed, finding.message) == (True, "budgets 3 to 7")
    for verdict, advice in ADVICE.items():
        games[1] = replace(games[1], verdict=verdict, reason="a reason")
        advised, brief = (check._legal("plays legal moves", games, advise) for advise in (True, False))
        assert advised.message.startswith(f"{verdict} after 1 ask: a reason{advice}")
        assert not advised.passed and brief.message == f"{verdict} after 1 ask: a reason"


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


def test_a_strategy_of_ours_conforms_in_three_rounds_and_two_new_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    keeps, given, played = [], set(), check._games

    def games(subject: object, setting: Setting, *rest: Any) -> object:
        given.add((setting.rule, rest[0], rest[1]))
        keeps.append(setting.channel(9.0, 5).keep)
        return played(subject, setting, *rest)

    monkeypatch.setattr(check, "_games", games)
    found = contest.check_strategy("BayesianRandom(6, 0.4)", words=SMALL, rule="counted", seed=7)
    assert [finding for finding in found if not finding.passed] == [] and found[3].message == "5 games"
    here = Limits(math.inf, math.inf, 10.0, asks=1000, min_epsilon=sys.float_info.min)
    assert given == {("counted", here, 7)}
    usual = [parameter.default for parameter in inspect.signature(contest.check_strategy).parameters.values()]
    assert usual[1:] == ["original", "letterwise", 1, 5]
    assert keeps == pytest.approx([RandomizedResponse(9.0).keep, 1.0, 1 / 3])  # pure noise tells nothing
    for wrong in ({"strategy": "no such thing"}, {"strategy": 3.5}, {"words": "no such thing"}, {"words": 3.5}):
        refusal(contest.check_strategy, **{"strategy": "TwoGuess(9)", "games": 1, **wrong})


def test_each_round_is_judged_and_all_games_but_the_first_by_their_cpu_time() -> None:
    """In one a third game, and in the next a fifth, is lost; wall clock passes no limit, whatever it is."""
    told, number, setting = [], itertools.count(1), Setting(SMALL)
    moves = (Ask(SMALL.guesses[0], 5.0), Answer(SMALL.answers[0]))
    subject: Any = Mock(player=lambda seed: Scripted(*(moves if next(number) not in (3, 5) else [None])))
    subject.game_cpu.side_effect = [9.0, 0.5, 1.0, 0.5, 0.5, 0.5]
    again = lambda _, trials: check._games(subject, setting, LIMITS, 7, trials)  # noqa: E731
    found = check._examine(subject, again, setting, LIMITS, 7, 2, lambda *given: told.append(given))
    rounds = ["the noise asked for", "clues without noise", "clues of pure noise"]
    legal = [f"plays legal moves, {name}" for name in rounds]
    names = [*legal, "same moves for same clues and seed", "time per move", "time per game"]
    passed = [True, False, False, True, True, True]
    assert [(one.check, one.passed) for one in found] == [*zip(names, passed, strict=True)]
    assert found[-1].message.startswith("longest 1 s of CPU")
    assert ["; return" in one.message for one in found[1:3]] == [True, False], "advice is given once"
    assert told == [
        *((rounds[n // 2], 1, n + 1, 12) for n in range(6)), ("the same games in new processes", 0, 6, 12)
    ]  # fmt: skip
    for other in (Setting(SMALL, noiseless=True), Setting(SMALL, channel=Ball)):
        subject.game_cpu.side_effect = [0.5]
        found = check._examine(subject, again, other, LIMITS, 7, 1, lambda *_: None)
        assert [one.check for one in found] == [names[0], *names[3:]], "with one noise only"


def test_each_game_has_random_numbers_of_its_own_and_the_bounds_of_the_limits() -> None:
    given: list[int] = []
    subject: Any = Mock(player=lambda seed: given.append(seed) or Scripted(*[Ask(SMALL.guesses[0], 0.5)] * 3))
    limits = Limits(asks=2, min_epsilon=0.5)
    games = list(check._games(subject, Setting(SMALL), limits, 7, [0, 1, 0]))
    assert given[0] == given[2] != given[1]
    assert {(len(game.history), game.reason) for game in games} == {(2, "asked more than 2 times")}
    (game,) = check._games(subject, Setting(SMALL), replace(limits, min_epsilon=0.6), 7, [0])
    assert "the smallest is 0.6" in game.reason


@pytest.mark.parametrize(
    ("before", "after", "check", "said"),
    [
        ("import random", CHATTY, "starts", "CRASH: mine.py:4: ZeroDivisionError: division by zero | 2 | 3 | 4 | 5"),
        ("random.uniform(3.0, 5.0)", "3.0 + hash(guess) % 8", "same moves for same clues and seed", "sort what comes"),
    ],
)
def test_a_mistake_is_named(before: str, after: str, check: str, said: str, tmp_path: Path) -> None:
    """Here alone in the sandbox."""
    (tmp_path / "mine.py").write_text(GOOD.replace(before, after))
    run = ContestRun(load_submission(str(tmp_path / "mine.py")), Setting(SMALL), 1, LIMITS, sandbox.find())
    told: list[tuple[object, ...]] = []
    found = check_submission(run, 2, lambda *given: told.append(given))
    assert [finding.check for finding in found if not finding.passed] == [check]
    (failed,) = (finding.message for finding in found if not finding.passed)
    assert said in failed and "Traceback" not in failed and "File" not in failed
    assert run.launcher.hash_seed == 0, "that of other runs, which have the same launcher"
    start, end = ("starting the strategy", 0, 0, 12), ("the same games in new processes", 0, 6, 12)
    assert (told[0], told[-1], len(told)) == ((start, start, 1) if check == "starts" else (start, end, 8))


def test_a_file_that_does_not_conform_has_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("class Bad: pass")
    bad = cli("check", "bad.py")
    assert bad.code == 1 and "FAIL starts" in bad.out


def test_a_contest_is_closed_after_a_question_and_then_takes_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ["--ledger", str(tmp_path / "contest.sqlite")]
    started(tmp_path / "contest.sqlite").close()
    assert "--yes" in refused(cli, "contest", "close", *ledger)
    assert "close plays them" in refused(cli, "contest", "replay", "--stage", "final", *ledger)
    for answer, code in (("n\n", 2), ("\n", 2), ("y\n", 0)):
        terminal = io.StringIO(answer)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        done = cli("contest", "close", *ledger)
        assert done.code == code, done.err
        assert ("seed of the final games" in done.out) == (answer == "y\n")
    with Ledger(tmp_path / "contest.sqlite", read_only=True) as book:
        assert book.contest.closed
    assert "seed of the final games" in cli("contest", "close", *ledger).out, "there is nothing left to be asked"


def test_check_runs_nothing_without_a_sandbox_unless_the_file_is_trusted(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "seen.py").write_text(ASKS_ONCE.decode() + f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    for found_before in (sandbox.find, sandbox._bwrap):
        found_before.cache_clear()
    done = cli("check", "seen.py", "--games", "1", "--sandbox")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "bubblewrap is not installed" in done.err
    assert "without --sandbox" in done.err
    started(tmp_path / "l.sqlite").close()
    submitted = refused(cli, "contest", "submit", "seen.py", "--name", "Seen", "--ledger", "l.sqlite")
    assert "bubblewrap is not installed" in submitted
    assert not (tmp_path / "ran").exists()
    done = cli("check", "seen.py", "--games", "1")
    assert done.code == 0, done.err
    assert "no sandbox" in done.out
    assert (tmp_path / "ran").exists()


def test_check_of_a_channel_does_not_run_it_in_this_process_if_a_sandbox_is_asked_for(tmp_path: Path, cli: Cli) -> None:
    """There the file can only be tested as a strategy, which it is not."""
    (tmp_path / "cap.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\nfrom wordpl import Ball as Capped\n"
    )
    confined = cli("check", "cap.py:Capped", "--sandbox")
    assert confined.code != 0 and not (tmp_path / "ran").exists()
