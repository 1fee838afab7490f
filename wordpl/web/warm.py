"""Compiled code and tables, loaded while the server already answers, so that the first request need not wait."""

from __future__ import annotations

import logging
from threading import Thread

from wordpl.model.clues import clue_matrix
from wordpl.model.words import load_words
from wordpl.play.strategy import Setting
from wordpl.simulation.warmup import prepare

LOG = logging.getLogger("wordpl.web")

_GAMES = (("original", "letterwise"), ("nyt2023", "counted"))
"""What is played most: WORDPL and ordinary Wordle, each with the list and the rule it has by default."""


def start_warming() -> None:
    """Begin to load, in a thread that does not keep the server from ending."""
    Thread(target=_warm, name="warm-up", daemon=True).start()


def _warm() -> None:
    try:
        for name, rule in _GAMES:
            clue_matrix(load_words(name), rule)
        for noiseless in (False, True):
            prepare(Setting(load_words(), noiseless=noiseless))
    except Exception:
        LOG.warning("the compiled code could not be loaded ahead of the first request", exc_info=True)
