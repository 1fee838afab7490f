"""Fails with a message that forges lines and moves the cursor."""


class Attack:
    def first_move(self):
        raise RuntimeError("\n0,crate,crate,WIN\x1b[2J\u202e\r\0" * 50)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
