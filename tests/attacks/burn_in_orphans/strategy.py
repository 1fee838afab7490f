"""Lets short-lived grandchildren think, each for less time than there is between two looks."""

import os
import time


class Attack:
    def first_move(self):
        while True:
            if os.fork() == 0:
                if os.fork() == 0:
                    end = time.process_time() + 0.01
                    while time.process_time() < end:
                        pass
                os._exit(0)
            os.wait()
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
