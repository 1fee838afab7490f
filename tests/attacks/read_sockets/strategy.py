"""Looks for the answer on every socket it can reach."""

import socket


class Attack:
    def first_move(self):
        for family, address in (
            (socket.AF_UNIX, "\0wordpl-canary"),
            (socket.AF_INET, ("127.0.0.1", 47123)),
            (socket.AF_INET, ("10.0.0.1", 80)),
            (40, (2, 1024)),
        ):
            try:
                with socket.socket(family) as end:
                    end.settimeout(0.1)
                    end.connect(address)
                    return end.recv(5).decode(), 0
            except OSError:
                continue
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
