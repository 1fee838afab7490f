from .guess_statistics import rank_guesses as rank_guesses
from .last_guess import best_last_guess as best_last_guess
from .lookahead import best_ask as best_ask
from .possible_answers import chances_in_three as chances_in_three
from .possible_answers import counts_answers as counts_answers
from .possible_answers import expected_wins as expected_wins
from .proposal import when_to_propose as when_to_propose
