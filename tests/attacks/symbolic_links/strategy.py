"""Reaches through links and bare descriptors for what is outside."""

import os


class Attack:
    def first_move(self):
        for at, target in enumerate(("/proc/1/root", "/root", "/home", "../../../..", "/proc/self/fd", "/dev/fd")):
            try:
                os.symlink(target, f"link{at}")
                for name in os.listdir(f"link{at}"):
                    if "canary" in name:
                        with open(f"link{at}/{name}") as file:
                            return file.read(5), 0
            except OSError:
                continue
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
