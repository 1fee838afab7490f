"""How far it is from a command to a decision: what somebody reads who follows one score from top to bottom."""

import json
import subprocess
import sys

import pytest

SCORE = ["wordpl", "score", "TwoGuess(18)", "-n", "3", "-j", "1"]

WATCHED = """
import inspect, json, sys, threading
from pathlib import Path
import wordpl
roots = [str(Path(folder).resolve()) + "/" for folder in (Path(wordpl.__file__).parent, *wordpl.library.__path__)]
files, deepest = {}, []

def own(code):
    return any(code.co_filename.startswith(root) for root in roots)

def watch(frame, event, argument):
    code, stack = frame.f_code, []
    if event != "call" or not own(code):
        return
    while frame is not None:
        if own(frame.f_code):
            stack.append(frame.f_code)
        frame = frame.f_back
    if all(code.co_flags & inspect.CO_OPTIMIZED for code in stack):  # else a module or the body of a class runs
        files.setdefault(code.co_filename, code.co_qualname)
        if code.co_name == "decide" and len(stack) > len(deepest):
            deepest[:] = [code.co_qualname for code in stack]

from wordpl.cli import main
sys.argv = json.loads(sys.argv[1])
threading.setprofile(watch)
sys.setprofile(watch)
try:
    main()
finally:
    sys.setprofile(None)
    print(json.dumps([files, deepest]), file=sys.stderr)
"""


@pytest.mark.heavy
def test_a_score_runs_code_of_few_files_in_few_frames():
    """In the rehearsal and in the games alike. Functions that run while a module is imported do not count."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(SCORE)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    files, frames = json.loads(done.stderr.splitlines()[-1])
    assert len(files) <= 45, files
    assert len(frames) <= 12, frames
    assert frames[0] == "TwoGuess.decide"
