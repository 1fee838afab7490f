"""Leaves threads running from game to game."""

import threading
import time


class Attack:
    def first_move(self):
        threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
