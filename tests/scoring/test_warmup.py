"""Cold caches: they change no result, and what is made ready is all that a game needs."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.helpers import SMALL, Sometimes
from wordpl import Ask, HistoryStrategy, Setting, evaluate, from_contest
from wordpl.simulation.trials import rehearse


def run(command, folder, **environment):
    """The output of a command that finds its tables in a new directory."""
    environment = os.environ | {"WORDPL_CACHE": str(folder / "wordpl-cache")} | environment
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Tells on stderr how often numba has compiled since the import and how often it compiles or loads in a move, whether it
# could change the kernels that it finds, and which sources are its own: if libraries were, all would be read first.
SUBMITTED = """
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from numba.core import event

from wordpl import Answer, Ask, HistoryStrategy, best_guess


compiled, held = event.RecordingListener(), event.RecordingListener()
event.register("numba:compile", compiled)
event.register("numba:compiler_lock", held)


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float = 9.0

    def decide(self, setting, history):
        held.buffer.clear()
        if len(history) < 2:
            move = Ask(best_guess(setting.belief(history), self.epsilon, "expected_top"), self.epsilon)
        else:
            move = Answer(setting.belief(history).top[0])
        (kernels,) = Path(os.environ["NUMBA_CACHE_DIR"]).glob("wordpl-*")
        changed = []
        for path in (kernels / "new.nbc", next(kernels.iterdir())):
            try:
                changed.append(path.write_text("mine"))
            except OSError:
                pass
        told = len(compiled.buffer), len(held.buffer), changed, [file.module for file in self.sources.files]
        print(*told, file=sys.stderr)
        return move
"""
REFEREE = """
import sys
from pathlib import Path
from wordpl import Setting, load_words
from wordpl.contest import sandbox
from wordpl.contest.limits import Limits
from wordpl.contest.run import ContestRun, TrialPlayer
from wordpl.contest.submission import Submission

submission = Submission("mine.py", {"mine.py": Path("mine.py").read_bytes()}, "mine.py")
with TrialPlayer(ContestRun(submission, Setting(load_words()), 1, Limits(), sandbox.find())) as table:
    record = table.play(0)
assert record.game.verdict in ("WIN", "LOSS"), record.game
print(record.errors, end="")
"""


@pytest.mark.heavy
def test_a_contestant_has_its_kernels_before_its_first_game(tmp_path):
    """It has loaded what the referee has compiled before its clock starts, and cannot change it."""
    (tmp_path / "mine.py").write_text(SUBMITTED)
    said = run([sys.executable, "-c", REFEREE], tmp_path, PYTHONPATH=str(Path(__file__).parents[2]))
    assert said.splitlines() == ["0 0 [] ['strategies.mine']"] * 3


def global_generators():
    _, key, *place = np.random.get_state()  # a few draws move the place in the key alone
    return random.getstate(), key.tolist(), place


def test_a_rehearsal_has_twenty_asks_and_leaves_the_global_generators_as_they_were():
    drawn = []

    class Endless(HistoryStrategy):
        def decide(self, setting, history):
            drawn.append((len(history), random.random(), np.random.random()))
            return Ask(setting.words.guesses[0], 1.0)

    before, setting, strategy = global_generators(), Setting(SMALL), Endless()
    rehearse(strategy, setting, strategy.players(setting))
    assert [asked for asked, *_ in drawn] == [*range(21)] and global_generators() == before


def test_an_object_of_the_contests_kind_is_not_rehearsed():
    class Counts:
        games = 0

        def first_move(self):
            Counts.games += 1
            return SMALL.answers[0], 0

        def next_move(self, guess, epsilon, clues):
            raise NotImplementedError

    evaluate(from_contest(Counts()), 7, words=SMALL)
    assert Counts.games == 7


def test_a_rehearsal_of_what_goes_wrong_goes_on():
    """Crashes, illegal moves and exits: all of it is for the games to show."""
    for seed in range(8):
        rehearse(Sometimes(), Setting(SMALL), lambda _, seed=seed: Sometimes().players(Setting(SMALL))(seed))
