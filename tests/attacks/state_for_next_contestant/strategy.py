"""Leaves files for the contestant after it, which would then play on."""

import os


class Attack:
    def first_move(self):
        places = (
            "/tmp",
            "/scratch",
            "/dev/shm",
            "/site",
            "/",
            ".",
            "..",
            os.environ["HOME"],
            os.environ["WORDPL_CACHE"],
        )
        if any(os.path.exists(f"{place}/wordpl-attack") for place in places):
            return "aback", 0
        for place in places:
            try:
                with open(f"{place}/wordpl-attack", "w") as file:
                    file.write("WIN")
            except OSError:
                continue
        os._exit(0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
