"""Rows of results files to choose from."""

import math
from dataclasses import replace

from wordpl.simulation import TaskRow

ROW = TaskRow(
    id="ab12",
    strategy="NGuess(n_guesses=2, epsilon=4.0)",
    code="c0de",
    family="NGuess(n_guesses=2)",
    epsilon=4.0,
    is_schedule=False,
    words="original",
    rule="letterwise",
    channel="randomized_response",
    format="contest",
    noiseless=False,
    seed="1",
    engine=2,
    trials=40,
)

GREEDY = replace(ROW, id="cd34", strategy="Greedy(epsilon=inf)", family="Greedy()", epsilon=math.inf, noiseless=True)

FIFTH = replace(ROW, id="ef56", strategy="Fifth()", family="Fifth()", epsilon=None, seed=str(3**90), trials=1001)

ROWS = [ROW, GREEDY, FIFTH]
