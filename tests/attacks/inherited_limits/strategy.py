"""Looks for limits that it has from whoever started the referee."""

import resource
import time


class Attack:
    def first_move(self):
        names = ("NICE", "RTPRIO", "SIGPENDING", "MEMLOCK", "MSGQUEUE", "CORE", "NOFILE", "NPROC", "STACK")
        most = {"SIGPENDING": 128, "NOFILE": 128, "NPROC": 64, "STACK": 8 << 20}
        numbers = [(getattr(resource, f"RLIMIT_{name}"), most.get(name, 0)) for name in names]
        for number, bound in [*numbers, (10, 0)]:  # and the one of locks
            if not 0 <= resource.getrlimit(number)[1] <= bound:
                time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
