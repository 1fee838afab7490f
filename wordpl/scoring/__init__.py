"""What a clue to each guess is worth: scores of all guesses, the last guess, look-ahead, and the kernels under them."""
