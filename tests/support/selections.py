"""Rows of results files to choose from."""

import math
from dataclasses import replace

from wordpl import make_task

ROW = replace(make_task("NGuess(2, 4)").row, id="ab12", code="c0de", engine=2, trials=40)

GREEDY = replace(ROW, id="cd34", strategy="Greedy(epsilon=inf)", family="Greedy()", epsilon=math.inf, noiseless=True)

FIFTH = replace(ROW, id="ef56", strategy="Fifth()", family="Fifth()", epsilon=None, seed=str(3**90), trials=1001)

ROWS = [ROW, GREEDY, FIFTH]
