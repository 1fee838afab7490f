from .guess_statistics import rank_guesses as rank_guesses
from .last_guess import best_last_guess as best_last_guess
from .lookahead import best_ask as best_ask
from .lookahead import shortlist as shortlist
from .lookahead import two_step_lookahead as two_step_lookahead
from .possible_answers import chances_in_three as chances_in_three
from .possible_answers import counts_answers as counts_answers
from .possible_answers import expected_wins as expected_wins
