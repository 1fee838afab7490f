"""Cold caches: they change no result, and what is made ready is all that a game needs."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.helpers import SIX, SMALL, Sometimes
from wordpl import Answer, Ask, HistoryStrategy, Setting, Store, evaluate, from_contest
from wordpl.base.kernel_folder import kernel_folder
from wordpl.simulation.playing import rehearsal

WORDPL = [sys.executable, "-c", "from wordpl.cli import main; main()"]


def run(command, folder, **environment):
    """The output of a command that finds its tables in a new directory."""
    environment = os.environ | {"WORDPL_CACHE": str(folder / "wordpl-cache")} | environment
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def copy_kernels(place, without="/"):
    """Copy the compiled code, but for some, to where it is looked for in `place`."""
    (place / kernel_folder().name).mkdir(parents=True)
    for file in kernel_folder().glob("*.nbc"):
        if without not in file.name:
            shutil.copy(file, place / kernel_folder().name)


@pytest.mark.published
def test_a_cold_cache_changes_no_byte(tmp_path):
    (tmp_path / "six.txt").write_text("\n".join(SIX.answers))
    options = ["--answers", "six.txt", "-n", "40", "--json", "--jobs", "1"]
    frames, cold = [], tmp_path / "numba"
    copy_kernels(cold, without="scoring.kernels.score-")
    for name in ("cold", "warm"):
        command = [*WORDPL, "score", "Renyi((9.0,))", *options, "--out", f"{name}.sqlite"]
        run(command, tmp_path, NUMBA_CACHE_DIR=str(cold))
        with Store(tmp_path / f"{name}.sqlite", read_only=True) as store:
            frames.append(store.frame())
    assert list(cold.rglob("*scoring.kernels.score-*.nbc"))
    assert len(frames[0]) == 40 and frames[0].equals(frames[1])


PREPARED = """
import math
import warnings
from numba.core import event
from tests.support.helpers import SIX, SMALL, all_variants
from wordpl import CRITERIA, Fibble, Referee, Setting, WordplError
from wordpl import best_guess, score_guesses
from wordpl.scoring import best_ask, two_step_lookahead
from wordpl.simulation.warmup import prepare

warnings.simplefilter("ignore")  # that clue entropy does not suit Fibble
told = event.RecordingListener()
event.register("numba:compiler_lock", told)
noiseless = Setting(SMALL, noiseless=True)  # first, so that what the others need does not make it ready
for setting in [noiseless, Setting(SMALL), Setting(SIX, "counted"), Setting(SMALL, channel=Fibble, noiseless=True)]:
    prepare(setting)
    games = 0
    for strategy in all_variants():
        if strategy.noiseless != setting.noiseless and not setting.noiseless:
            continue
        try:
            strategy.check(setting)
            maker = strategy.players(setting)
        except WordplError:
            continue
        told.buffer.clear()
        for trial in range(3):
            Referee(setting, 1).play(trial, maker(trial))
            games += 1
        assert not told.buffer, (strategy, setting)
    assert games >= 30, games
    belief, epsilon = setting.belief(), math.inf if setting.noiseless else 9.0
    for criterion in CRITERIA:
        score_guesses(belief, epsilon, criterion)
        score_guesses(belief, epsilon, criterion, guesses=[3, 5])
    best_guess(belief, epsilon, "expected_top")
    if not setting.noiseless:
        best_ask(belief, [(guess, epsilon) for guess in setting.words.guesses[:2]], 2 * epsilon)
        options = {"budget_fraction": 0.5, "clue_probability": 0.1}
        two_step_lookahead(belief, setting.words.guesses[0], epsilon, 3 * epsilon, **options)
    assert not told.buffer, setting
print("nothing")
"""


@pytest.mark.heavy
def test_prepared_means_that_no_game_compiles_or_loads_anything(tmp_path):
    """For every strategy of the library, in settings of several kinds."""
    root = str(Path(__file__).parents[2])
    assert run([sys.executable, "-c", PREPARED], tmp_path, PYTHONPATH=root) == "nothing\n"


# Tells on stderr how often numba has compiled since the import and how often it compiles or loads in a move, and
# whether it could change the kernels that it finds.
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
        print(f"compiled {len(compiled.buffer)}, in this move {len(held.buffer)}, changed {changed}", file=sys.stderr)
        return move
"""
REFEREE = """
import sys
from pathlib import Path
from tests.support.helpers import SMALL
from wordpl import Setting
from wordpl.contest import sandbox
from wordpl.contest.limits import Limits
from wordpl.contest.run import ContestRun, TrialPlayer
from wordpl.contest.submission import Submission

submission = Submission("mine.py", {"mine.py": Path("mine.py").read_bytes()}, "mine.py")
with TrialPlayer(ContestRun(submission, Setting(SMALL), 1, Limits(), sandbox.find())) as table:
    record = table.play(0)
assert record.game.verdict in ("WIN", "LOSS"), record.game
print(record.errors, end="")
"""


@pytest.mark.heavy
def test_a_contestant_has_its_kernels_before_its_first_game(tmp_path):
    """It has loaded what the referee has compiled before its clock starts, and cannot change it."""
    (tmp_path / "mine.py").write_text(SUBMITTED)
    said = run([sys.executable, "-c", REFEREE], tmp_path, PYTHONPATH=str(Path(__file__).parents[2]))
    assert said.splitlines() == ["compiled 0, in this move 0, changed []"] * 3


def rehearse(strategy, setting, make_player):
    with rehearsal(strategy, setting, make_player) as (game, player):
        game.play(player)


def global_generators():
    _, key, *place = np.random.get_state()  # a few draws move the place in the key alone
    return random.getstate(), key.tolist(), place


def test_a_rehearsal_leaves_the_global_generators_as_they_were():
    drawn = []

    class Careless(HistoryStrategy):
        def decide(self, setting, history):
            drawn.append((random.random(), np.random.random()))
            return Answer(setting.words.answers[0])

    before, setting, strategy = global_generators(), Setting(SMALL), Careless()
    rehearse(strategy, setting, strategy.players(setting))
    assert drawn and global_generators() == before


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
    """Crashes, illegal moves, exits and games without an end: all of it is for the games to show."""
    for seed in range(8):
        rehearse(Sometimes(), Setting(SMALL), lambda _, seed=seed: Sometimes().players(Setting(SMALL))(seed))

    class Endless(HistoryStrategy):
        asked = 0

        def decide(self, setting, history):
            Endless.asked = max(Endless.asked, len(history))
            return Ask(SMALL.guesses[0], 1.0)

    strategy = Endless()
    rehearse(strategy, Setting(SMALL), strategy.players(Setting(SMALL)))
    assert 0 < Endless.asked <= 100
