"""Takes its memory shared, which is nobody's private data."""

import mmap


class Attack:
    def first_move(self):
        shared = []
        while True:
            shared.append(mmap.mmap(-1, 1 << 24))
            for at in range(0, 1 << 24, 4096):
                shared[-1][at] = 1

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
