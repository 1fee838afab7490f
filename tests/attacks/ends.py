"""Attacks by which a strategy ends, breaks or replaces the program around it."""

import ctypes
import os
import sys
from contextlib import suppress


class Exit:
    """Ends the run with a status of success."""

    def first_move(self):
        sys.exit(0)


class ExitAtOnce:
    """Ends the process without a word."""

    def first_move(self):
        os._exit(0)


class BecomeAnother:
    """Becomes another program, which has no line."""

    def first_move(self):
        os.execv(sys.executable, [sys.executable, "-sSP", "-c", "pass"])


class CloseEverything:
    """Closes the line."""

    def first_move(self):
        os.closerange(0, 256)
        return "aback", 0


class NativeCrash:
    """Crashes in native code."""

    def first_move(self):
        ctypes.string_at(0)


class Recursion:
    """Recurses without end."""

    def first_move(self):
        return self.first_move()


def deeper(word):
    return list(map(deeper, [word]))


class RecursionNative:
    """Recurses without end and without Python's guard."""

    def first_move(self):
        sys.setrecursionlimit(1 << 30)
        return deeper("aback")[0], 0


class ReplaceProgram:
    """Replaces the program around it."""

    def first_move(self):
        wire = sys.modules["wordpl.contest.inside.protocol"]
        wire.reply = lambda *values: b'["win", 2]\n'
        contestant = sys.modules["wordpl.contest.inside.contestant"]
        contestant.encode = lambda turn, move: f'["answer", {turn}, "aback"]\n'.encode()
        return "crate", 0


class Silent(Exception):
    def __str__(self):
        raise Silent

    __repr__ = __str__


class SilentError:
    """Fails with an error that fails when it is asked what it is."""

    def first_move(self):
        raise Silent


class LogInjection:
    """Fails with a message that forges lines and moves the cursor."""

    def first_move(self):
        raise RuntimeError("\n0,crate,crate,WIN\x1b[2J\u202e\r\0" * 50)


class StateForNextContestant:
    """Leaves files for the contestant after it, which would then play on."""

    def first_move(self):
        folders = ["/tmp", "/scratch", "/dev/shm", "/site", "/", ".", ".."]
        places = [*folders, os.environ["HOME"], os.environ["WORDPL_CACHE"]]
        if any(os.path.exists(f"{place}/wordpl-attack") for place in places):
            return "aback", 0
        for place in places:
            with suppress(OSError), open(f"{place}/wordpl-attack", "w") as file:
                file.write("WIN")
        os._exit(0)
