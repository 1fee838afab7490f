"""Cold caches: they change no result, and what is made ready is all that a game needs."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.helpers import SMALL
from wordpl import Ask, HistoryStrategy, Setting
from wordpl.simulation.trials import rehearse

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
    environment = os.environ | {"WORDPL_CACHE": f"{tmp_path}/cache", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", REFEREE]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["0 0 [] ['strategies.mine']"] * 3


def test_a_rehearsal_has_twenty_asks_and_leaves_the_global_generators_as_they_were():
    drawn = []

    class Endless(HistoryStrategy):
        def decide(self, setting, history):
            drawn.append((len(history), random.random(), np.random.random()))
            return Ask(setting.words.guesses[0], 1.0)

    setting, strategy = Setting(SMALL), Endless()
    before = random.getstate(), repr(np.random.get_state())  # a few draws move the place in the key alone
    rehearse(strategy, setting, strategy.players(setting))
    assert [asked for asked, *_ in drawn] == [*range(21)]
    assert (random.getstate(), repr(np.random.get_state())) == before
