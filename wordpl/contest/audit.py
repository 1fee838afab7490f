"""Audit an entry of a ledger: its terms, its seed, every game, its end, its standings and its flag.

The owner of a ledger can write anything into it and work out every hash again. This module checks what he cannot forge
without a contradiction. docs/trust.md says which forgeries only the strategy or a receipt can show.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordpl.contest import cells
from wordpl.contest.credit import read_source
from wordpl.contest.entries import ENDED, FINISH_FACTS, Board, Entry, read_row
from wordpl.contest.evidence import Flag
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.ranking import Outcomes, Standing, flag, standings
from wordpl.contest.receipt import SECRET, Event, commitment, differences, entry_secret, scoring_seed
from wordpl.contest.replay import Replay, Rerun, close
from wordpl.contest.sandbox import Launcher
from wordpl.contest.sanitizing import visible
from wordpl.contest.submission import Submission, call_key
from wordpl.displays import line_of
from wordpl.errors import WordplError
from wordpl.model.channel import CHANNELS
from wordpl.model.clues import RULES
from wordpl.play.strategy import Setting
from wordpl.progress import Progress
from wordpl.simulation.tasks import ENGINE_VERSION, channel_name

_MOST_SHOWN = 10


@dataclass(frozen=True)
class PlayAgain:
    """How `audit_entry` plays a strategy again: its submission, where it runs, and how many trials (None for all)."""

    submission: Submission
    launcher: Launcher
    games: int | None = None
    jobs: int = 1
    progress: Progress | None = None

    def trials(self, entry: Entry) -> list[int]:
        """Return the trials of an entry that are played again: all, or `games` of them at even distances."""
        trials = entry.trials or 0
        if self.games is None or self.games >= trials:
            return list(range(trials))
        return [i * trials // self.games for i in range(self.games)]

    def __repr__(self) -> str:
        return line_of(self, f"{'all' if self.games is None else self.games} games of {self.submission!r}")


def audit_entry(
    ledger: LedgerReader,
    entry: Entry,
    setting: Setting,
    again: PlayAgain | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Return what does not fit in one entry or cannot be checked, one line for each fault; none if no faults are found.

    `setting` gives the word list. The rule is the entry's own, and so is a bundled channel. Every trial is worked out
    again from the seed. With `again` the strategy plays again, too, and its moves are compared with the log. Of a
    running entry only its terms are checked, since its seed is not published. `progress` is called after each trial
    that is worked out again. Whatever the ledger holds, no error is raised.
    """
    try:
        return _Audit(ledger, entry, progress).faults(setting, again)
    except WordplError as error:
        return [str(error)]


class _Audit:
    def __init__(self, ledger: LedgerReader, entry: Entry, progress: Progress | None) -> None:
        self._ledger, self._entry, self._progress = ledger, entry, progress
        self._events = {number: Event(payload) for number, payload, _ in ledger.events()}

    def faults(self, setting: Setting, again: PlayAgain | None) -> list[str]:
        entry = self._entry
        found = [*self._entered(), *self._cleared()]
        if entry.running:
            return [*found, *self._published_early()]
        found += [*self._finished(), *self._seeded()]
        if entry.trials is None or entry.seed is None or not int(entry.seed) < 2**256:
            return [*found, "it has no seed or no number of trials, so its games cannot be replayed"]
        own = setting_of(entry, setting)
        if isinstance(own, str):
            return [*found, f"cannot be replayed here: {own}"]
        if Board.of(own, entry.played_under, entry.board_rule) != entry.board:
            found.append("its terms are not written as a board's are, so it stands on a board of its own")
        found += self._replayed(Replay(own, entry.played_under, int(entry.seed)))
        found += self._concluded()
        if again is not None:
            found += self._played_again(own, again)
        return found

    def _entered(self) -> list[str]:
        entry, event = self._entry, self._events.get(self._entry.key)
        if event is None or event.facts.get("event") != "enter":
            return [f"the chain has no event {entry.key} by which it was entered"]
        found = differences(event, entry.entered_facts, "its enter event")
        if entry.id != event.hash[:12]:
            found.append(f"its id does not follow from its enter event; that gives {event.hash[:12]}")
        if entry.entered != event.facts.get("time"):
            found.append(f"its date is not as its enter event has it, {visible(str(event.facts.get('time')), 40)}")
        try:
            read_source(entry.source, entry.files)
        except WordplError as error:
            found.append(f"its {error}")
        content = f"{entry.files} {call_key(entry.call)}".encode()
        if hashlib.sha256(content).hexdigest() != entry.digest:
            found.append("its digest does not follow from its files and its call")
        return found

    def _cleared(self) -> list[str]:
        its = self._events.get(self._entry.key, Event("")).hash
        facts = [event.facts for event in self._events.values() if '"clear"' in event.payload]
        clears = [fact for fact in facts if fact.get("event") == "clear" and fact.get("entry") == its]
        reason = clears[-1].get("reason") if clears else ""
        return [] if self._entry.cleared == reason else ["what clears its flag is not as the chain has it"]

    def _published_early(self) -> list[str]:
        entry = self._entry
        early = [name for name in ("trials", "secret", "seed", "finished") if getattr(entry, name) is not None]
        early += [name for name in ("flag", "reason") if getattr(entry, name)]
        early += ["standings"] if self._ledger.standings(entry) else []
        return [f"it is running, but has {name}" for name in early]

    def _finished(self) -> list[str]:
        entry = self._entry
        event = None if entry.finished is None else self._events.get(entry.finished)
        if event is None or event.facts.get("event") != "finish":
            return ["the chain has no event by which its run was finished"]
        facts: dict[str, Any] = {name: getattr(entry, name) for name in FINISH_FACTS}
        facts["entry"] = self._events.get(entry.key, Event("")).hash
        facts["flag"] = cells.from_json(entry.flag, "flag") if entry.flag else None
        found = []
        for name, digest in (("trials_digest", "trials"), ("standings_digest", "standings")):
            try:
                facts[name] = getattr(self._ledger, name)(entry)
            except WordplError as error:
                found.append(f"its {digest} have no digest: {error}")
                facts[name] = event.facts.get(name)
        return [*found, *differences(event, facts, "its finish event")]

    def _seeded(self) -> list[str]:
        entry = self._entry
        secret = entry.secret or ""
        found = []
        if commitment(secret) != entry.commitment:
            found.append("its secret is not the one that was committed to")
        if str(scoring_seed(secret, entry.terms)) != entry.seed:
            found.append("its seed does not follow from its secret and its terms, the committed ones")
        root, _, _ = self._ledger.contest
        if SECRET.fullmatch(root) and entry_secret(root, entry.key) != secret:
            found.append("its secret does not follow from the contest's secret and its number")
        return found

    def _replayed(self, replay: Replay) -> list[str]:
        """Return the first faults of the trials."""
        entry, found, more, played = self._entry, Lines(), False, 0
        for stored in self._ledger.stored(entry):
            if stored[0] != played:
                found.add(f"trial {played} is missing")
                more = True
                break
            try:
                row = read_row(stored)
            except WordplError as error:
                found.add(str(error))
            else:
                for fault in replay.faults(row):
                    found.add(f"trial {row.trial}: {fault}")
            played += 1
            if self._progress is not None:
                self._progress(visible(entry.name), 1, played, max(entry.trials or 0, played))
        if entry.trials != played and not more:
            found.add(f"the run is said to have {entry.trials} trials, the log has {played}")
        return found.shown

    def _concluded(self) -> list[str]:
        """What does not follow from the outcomes: where the run stopped, its standings and its flag."""
        entry, rule = self._entry, self._entry.stop_rule
        outcomes, told = self._ledger.outcomes(entry), self._ledger.standings(entry)
        with np.errstate(all="ignore"):
            stop = rule.stops_at(outcomes)
            if entry.state == ENDED:
                found = ["it has standings, but its run was not finished"] if told else []
                found += ["it has a flag, but its run was not finished"] if entry.flag else []
                found += ["its run ended without a reason"] if not entry.reason else []
                early = stop is not None and stop < len(outcomes)
                return found + ([f"its run was to be finished after {stop} trials"] if early else [])
            found = ["its run was finished, yet has a reason to have ended"] if entry.reason else []
            if stop != entry.trials:
                when = "not yet" if stop is None else f"after {stop} trials"
                found.append(f"its run stopped after {entry.trials} trials; by its stop rule it stops {when}")
            if not len(outcomes) or not _same_standings(told, standings(outcomes, rule)):
                found.append("the standings do not follow from the scores")
            return found + self._flag_faults(outcomes)

    def _flag_faults(self, outcomes: Outcomes) -> list[str]:
        if not self._entry.flag:
            return ["it has no flag, which every finished run has, raised or not"]
        told = cells.record(Flag, self._entry.flag, "flag")
        if not len(outcomes) or not _same_flag(told, flag(outcomes)):
            return ["the flag does not follow from the games"]
        return []

    def _played_again(self, setting: Setting, again: PlayAgain) -> list[str]:
        entry = self._entry
        if again.submission.digest != entry.digest:
            return [f"the submission is another one than was entered: its digest is {again.submission.digest}"]
        found = Lines()
        try:
            rerun = Rerun(self._ledger, entry, again.submission, setting)
            for fault in rerun.play(again.trials(entry), again.launcher, again.jobs, again.progress):
                found.add(fault)
        except WordplError as error:
            found.add(f"cannot be played again here: {error}")
        return found.shown


class Lines:
    """Faults: the first ones as lines, the others as a count."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = 0

    def add(self, line: str) -> None:
        if len(self._lines) < _MOST_SHOWN:
            self._lines.append(line)
        else:
            self._more += 1

    @property
    def shown(self) -> list[str]:
        return [*self._lines, *([f"and {self._more} more such faults"] if self._more else [])]


def setting_of(entry: Entry, setting: Setting) -> Setting | str:
    """The setting of an entry's games, or why they cannot be replayed in this one."""
    if entry.words_digest != setting.words.digest:
        return f"it was scored with other words than {setting.words.name}; name them with --words or --answers"
    if entry.engine != ENGINE_VERSION:
        return f"it was scored by engine {entry.engine}, this is engine {ENGINE_VERSION}"
    if entry.rule not in RULES:
        return f"its repeat rule {visible(entry.rule, 40)!r} is not known"
    channel = CHANNELS.get(entry.channel, setting.channel)
    if channel_name(channel) != entry.channel:
        return f"its channel {visible(entry.channel, 80)!r} is not known"
    return replace(setting, rule=entry.rule, channel=channel, noiseless=False)


def _same_standings(told: list[Standing], found: list[Standing]) -> bool:
    def figures(standing: Standing) -> tuple[float, ...]:
        return standing.percentile, standing.budget, standing.win_rate, *standing.interval, standing.sampled

    def counts(standing: Standing) -> tuple[int, ...]:
        return standing.wins, standing.trials, standing.decided

    return len(told) == len(found) and all(
        counts(one) == counts(other) and all(map(close, figures(one), figures(other)))
        for one, other in zip(told, found, strict=True)
    )


def _same_flag(told: Flag, found: Flag) -> bool:
    values = [(told.e_value, found.e_value)]
    values += [(value, found.e_values.get(name, -1.0)) for name, value in told.e_values.items()]
    return (
        (told.raised, told.trials, set(told.e_values)) == (found.raised, found.trials, set(found.e_values))
        # An e-value is the exponential of a sum over all trials, so it rounds more coarsely than that.
        and all(abs(np.log(max(one, 1e-300)) - np.log(max(other, 1e-300))) < 1e-6 for one, other in values)
        # What follows the bracket is figures, which are compared already.
        and told.reason.partition(" (")[0] == found.reason.partition(" (")[0]
    )
