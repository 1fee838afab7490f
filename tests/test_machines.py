"""The same results on machines that are not the developer's."""

import os
import re
import subprocess
import sys

import pytest

import wordpl
from wordpl.contest import limits
from wordpl.contest.limits import Limits, UsageWatch

pytestmark = pytest.mark.heavy


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_locales(locale, tmp_path):
    """In Turkish the small letter of I is another one; in C without coercion stdout is ASCII."""
    variables = {"LC_ALL": locale, "LANG": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "wordpl", "clue", "PIXIE", "TITLE"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True)
    shown = f"{wordpl.clue('pixie', 'title')}  letterwise\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")


SET = """
from dataclasses import dataclass
from wordpl import Answer, Ask, HistoryStrategy

@dataclass(frozen=True, repr=False)
class First(HistoryStrategy):
    def decide(self, setting, history):
        words = {"crate", "slate", "adieu", "roate", "trace", "salet"}
        return Answer(setting.belief(history).top[0]) if history else Ask(next(iter(words)), 13.0)
"""


def test_the_order_of_a_set_is_the_same_in_every_run_of_a_file(tmp_path):
    """By themselves, these hash seeds have two words first."""
    (tmp_path / "first.py").write_text(SET)
    command, shown = [sys.executable, "-m", "wordpl", "win-rate", "first.py", "--json", "--jobs", "1"], set()
    for seed in ("0", "2"):
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True)
        shown.add(tuple(re.findall(rb'win_rate": ([0-9.]+)', done.stdout)))
    assert len(shown) == 1 and shown != {()}


@pytest.mark.parametrize(("seconds", "charged"), [(100.0, 0.0), (1.0, 1.0)])
def test_a_referee_that_was_stopped_charges_the_contestant_nothing(seconds, charged, monkeypatch):
    """The contestant, in a session of its own, has long answered. A look that is a little late changes nothing."""
    moment = 1000.0
    monkeypatch.setattr(limits, "monotonic", lambda: moment)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as contestant:
        watch = UsageWatch(Limits(), contestant.pid)
        watch.look()
        watch.begin_turn()
        moment += seconds
        watch.look()
        contestant.kill()
    assert watch.spent() == pytest.approx(charged, abs=0.2)


@pytest.mark.parametrize(
    ("queued", "cpu", "charged"), [(0.0, 0.0, 10.0), (4.0, 0.0, 6.0), (4.0, 8.0, 8.0), (4.0, 20.0, 10.0)]
)
def test_a_turn_is_charged_what_was_not_in_run_queues_and_its_cpu_time(queued, cpu, charged, monkeypatch):
    """Of ten seconds: at least the CPU time, by which one thread does not hide behind another that waits."""
    moment = 1000.0
    monkeypatch.setattr(limits, "monotonic", lambda: moment)
    watch = UsageWatch(Limits(), os.getpid())
    watch._waited, watch._cpu = 3.0, 2.0
    watch.begin_turn()
    moment, watch._waited, watch._cpu = moment + 10.0, 3.0 + queued, 2.0 + cpu
    assert watch.spent() == pytest.approx(charged)
