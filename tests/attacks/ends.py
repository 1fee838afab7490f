"""Attacks by which a strategy ends, breaks or replaces the program around it."""

import ctypes
import os
import sys
from contextlib import suppress


class Exit:
    def first_move(self):
        """CRASH (SystemExit): ends the run with a status of success."""
        sys.exit(0)


class CloseEverything:
    def first_move(self):
        """CRASH (exited with status): closes the line."""
        os.closerange(0, 256)
        return "aback", 0


class NativeCrash:
    def first_move(self):
        """CRASH (SIGSEGV): crashes in native code."""
        ctypes.string_at(0)


class ReplaceProgram:
    def first_move(self):
        """PROTOCOL: replaces the program around it."""
        program = sys.modules["wordpl.contest.inside"]
        program.reply = lambda *values: b'["win", 2]\n'
        program.encode = lambda turn, move: f'["answer", {turn}, "aback"]\n'.encode()
        return "crate", 0


class Silent(Exception):
    def __str__(self):
        raise Silent

    __repr__ = __str__


class SilentError:
    def first_move(self):
        """CRASH (an error that cannot say): fails with an error that fails when it is asked what it is."""
        raise Silent


class LogInjection:
    def first_move(self):
        """CRASH (RuntimeError): fails with a message that forges lines and moves the cursor."""
        raise RuntimeError("\n0,crate,crate,WIN\x1b[2J\u202e\r\0" * 50)


class StateForNextContestant:
    def first_move(self):
        """CRASH (exited with status 0): leaves files for the next contestant, and wins wherever results may be."""
        folders = ["/tmp", "/var/tmp", "/scratch", "/dev/shm", "/site-packages", "/", ".", "..", "../.."]
        folders += ["/results", "/work", "/root", "/home", "/usr/lib", "/etc"]
        places = [*folders, os.environ["HOME"], os.environ["WORDPL_CACHE"]]
        if any(os.path.exists(f"{place}/wordpl-attack") for place in places):
            return "aback", 0
        for place in places:
            for name in ("wordpl-attack", "contest.sqlite", "results/contest.sqlite"):
                with suppress(OSError), open(f"{place}/{name}", "w") as file:
                    file.write("WIN")
        os._exit(0)
