"""Replaying the log of a scored run from its published seed: clues, noise, verdicts and standings."""

from __future__ import annotations

import math

from wordpl.contest.entries import Entry, Row
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.ranking import standings
from wordpl.contest.receipt import commitment, scoring_seed
from wordpl.errors import WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix
from wordpl.play.referee import Verdict
from wordpl.play.seeds import Seeds
from wordpl.play.strategy import Setting
from wordpl.simulation.tasks import ENGINE_VERSION

_MOST_SHOWN = 10


def audit(ledger: LedgerReader, entry: Entry, setting: Setting) -> list[str]:
    """What does not fit in a run that is over: one line for each, none if all does.

    Raises `WordplError` for a run whose seed is not published yet, and for other words or another engine
    than it was scored with.
    """
    if entry.seed is None or entry.secret is None:
        raise WordplError(f"the run of {entry.id} is not over: its seed is not published; run wordpl submit to its end")
    if entry.words_digest != setting.words.digest:
        raise WordplError(f"{entry.id} was scored with other words than {setting.words.name}; name them")
    if entry.engine != ENGINE_VERSION:
        raise WordplError(f"{entry.id} was scored by engine {entry.engine}, this is engine {ENGINE_VERSION}")
    wrong = []
    if commitment(entry.secret) != entry.commitment or scoring_seed(entry.secret, entry.terms) != int(entry.seed):
        wrong.append("the seed is not the one that was committed to")
    replay = _Replay(Setting(setting.words, entry.rule), int(entry.seed))
    played = 0
    for i, row in enumerate(ledger.rows(entry)):
        if row.trial != i:
            wrong.append(f"trial {i} is missing")
            break
        wrong += [f"trial {row.trial}: {fault}" for fault in replay.faults(row)]
        played += 1
        if len(wrong) > _MOST_SHOWN:
            return [*wrong[:_MOST_SHOWN], "and more"]
    if entry.state == "finished":
        if entry.trials != played:
            wrong.append(f"the standings are of {entry.trials} trials, the log has {played}")
        elif ledger.standings(entry) != standings(ledger.outcomes(entry), entry.stop_rule):
            wrong.append("the standings do not follow from the scores")
    return wrong


class _Replay:
    def __init__(self, setting: Setting, seed: int) -> None:
        self._setting, self._seeds = setting, Seeds(seed)
        self._clues = clue_matrix(setting.words, setting.rule)

    def faults(self, row: Row) -> list[str]:
        """What does not fit in one trial."""
        words = self._setting.words
        answer = self._seeds.answer(row.trial, len(words.answers))
        faults = []
        if words.answers[answer] != row.answer:
            faults.append(f"the answer was {words.answers[answer]}, not {row.answer}")
        for ask, (guess, epsilon, logged) in enumerate(row.log):
            if guess not in words.guess_index or not 0 < epsilon < math.inf:
                faults.append(f"ask {ask} is not legal")
                continue
            channel = make_channel(self._setting.channel, epsilon, words.length)
            true = int(self._clues[words.guess_index[guess], answer])
            clue = channel.sample(true, self._seeds.noise(row.trial, ask, words.length))
            if clue != logged:
                faults.append(f"the clue to ask {ask} was {clue}, not {logged}")
        try:
            budget = math.fsum(epsilon for _, epsilon, _ in row.log)
        except OverflowError:
            budget = math.inf
        if budget != row.budget:
            faults.append(f"the budget was {budget!r}, not {row.budget!r}")
        won = row.proposed == words.answers[answer]
        if (row.verdict == Verdict.WIN) != won or (row.verdict == Verdict.LOSS) != (
            row.proposed is not None and not won
        ):
            faults.append(f"the verdict {row.verdict} does not follow from proposing {row.proposed}")
        return faults
