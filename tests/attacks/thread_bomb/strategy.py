"""Starts threads without end."""

import threading
import time


class Attack:
    def first_move(self):
        while True:
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
