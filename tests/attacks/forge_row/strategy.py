"""Calls itself something that forges a row, a command and a heading wherever it is printed."""


class Attack:
    def __str__(self):
        forged = "=HYPERLINK(1)\nBest;0;0;0;0\r\x1b[2J\x1b]0;owned\x07[bold]\u202e"
        return forged + "<script>1</script>'; DROP TABLE trials; --"

    __repr__ = __str__

    def first_move(self):
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
