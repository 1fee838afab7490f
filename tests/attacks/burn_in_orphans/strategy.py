"""Lets short-lived grandchildren think, each for less time than there is between two looks."""

import os
import time
from contextlib import suppress


def think_a_little():
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass


class Attack:
    def first_move(self):
        while True:
            # On a busy machine grandchildren pile up until there may be no more of them.
            with suppress(BlockingIOError):
                if os.fork() == 0:
                    try:
                        if os.fork() == 0:
                            think_a_little()
                    finally:
                        os._exit(0)
                os.wait()
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
