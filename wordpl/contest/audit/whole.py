"""Audit a ledger as a whole: the file, its contest, what it says of boards and entries; and against an earlier copy."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, zip_longest

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible
from wordpl.contest.ledger.entries import ENDING, Entry, digest_of_results, read_source, same_strategy
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.seeds import SECRET, commitment
from wordpl.contest.submission import call_key

MOST_LINES = 10
_UNTIL_THE_END = (*ENDING, "results_digest")
"""Fields of an entry that may change while its run is not over."""


def audit_ledger(ledger: LedgerReader) -> list[str]:
    """Return the faults of `ledger` as a whole, its file, contest and entries, one line each, whatever it holds."""
    return [*ledger.damage(), *lines(_ledger_faults(ledger), MOST_LINES)]


def check_shown(ledger: LedgerReader, with_trials: Iterable[Entry] = ()) -> None:
    """Raise `WordplError` at the first fault of what a leaderboard shows, and of the trials of some entries."""
    of_trials = {entry.key for entry in with_trials}
    of_entries = (
        f"entry {entry.id}: {fault}"
        for entry in ledger.entries()
        for fault in recorded_faults(ledger, entry, entry.key in of_trials)
    )
    for fault in chain(_ledger_faults(ledger), of_entries):
        raise WordplError(f"{str(ledger.path)!r} is damaged or was changed: {fault}; wordpl contest audit says more")


def audit_against(ledger: LedgerReader, copy: LedgerReader) -> list[str]:
    """Return what has changed in `ledger` since its earlier copy `copy`, and must not change, one line each.

    A run that was not over in the copy may have ended since, a flag may have been cleared, and there may be new
    entries if the contest was open in the copy. Everything else must be equal.
    """
    return lines(_changes(ledger, copy), MOST_LINES)


def lines(faults: Iterable[str], most: float = math.inf) -> list[str]:
    """Return the first faults, and how many more there are. An error that ends the search is a fault as well."""
    first: list[str] = []
    more = 0
    try:
        for fault in faults:
            if len(first) < most:
                first.append(fault)
            else:
                more += 1
    except WordplError as error:
        first.append(str(error))
    return [*first, *([f"and {more} more such faults"] if more else [])]


def _ledger_faults(ledger: LedgerReader) -> Iterator[str]:
    contest, keys = ledger.contest, ledger.keys()
    if contest.secret and (not SECRET.fullmatch(contest.secret) or commitment(contest.secret) != contest.commitment):
        yield "the contest's secret is not the one that was committed to"
    if contest.closed and not contest.secret:
        yield "the contest is closed, but its secret is not published"
    yield from (f"entry {key} is missing" for key in sorted({*range(1, max(keys, default=0))}.difference(keys)))
    entries = []
    for key in keys:
        with suppress(WordplError):  # told where the entry itself is audited
            entries.append(ledger.by_key(key))
    yield from _attempt_faults(entries)


def _attempt_faults(entries: list[Entry]) -> Iterator[str]:
    """Attempts numbered wrongly, and two entries of one content on the same terms."""
    groups: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        try:
            key = call_key(entry.call)
        except WordplError:
            yield f"the call of entry {entry.key} cannot be read: {visible(entry.call, 60)!r}"
            continue
        earlier = groups[entry.files, entry.words_digest, entry.rule, entry.channel]
        attempt = 1 + sum(same_strategy(other.call, entry.call) for other in earlier)
        if entry.attempt != attempt:
            yield f"entry {entry.id} is attempt {attempt} of its content, not attempt {entry.attempt}"
        terms = (key, entry.limits, entry.engine, entry.stop)
        if terms in [(call_key(other.call), other.limits, other.engine, other.stop) for other in earlier]:
            yield f"entry {entry.id} has the content and the terms of an earlier one"
        earlier.append(entry)


def recorded_faults(ledger: LedgerReader, entry: Entry, trials: bool = True) -> Iterator[str]:
    """Yield what of an entry contradicts itself, one line each, without replaying games. `trials`: reads them, too."""
    if entry.id != entry.own_id:
        yield "its id does not follow from its terms"
    try:
        read_source(entry.source, entry.files)
    except WordplError as error:
        yield f"its {error}"
    content = f"{entry.files} {call_key(entry.call)}".encode()
    if hashlib.sha256(content).hexdigest() != entry.digest:
        yield "its digest does not follow from its files and its call"
    standings = list(ledger.stored_standings(entry))
    if entry.running:
        early = [name for name in ("secret", "seed", "flag", "finished") if getattr(entry, name)]
        if early or standings:
            yield f"it is running, but has {', '.join(early) or 'standings'}"
        return
    if commitment(entry.secret or "") != entry.commitment:
        yield "its secret is not the one that was committed to"
    if digest_of_results(entry, standings) != entry.results_digest:
        yield "its results are not those that it ended with"
    try:
        if trials and ledger.trials_digest(entry) != entry.trials_digest:
            yield "its trials are not those that it ended with"
    except WordplError as error:
        yield f"its trials have no digest: {error}"
    if entry.cleared and not entry.flag:
        yield "a flag is cleared that it does not have"


def _changes(ledger: LedgerReader, copy: LedgerReader) -> Iterator[str]:
    before, now = copy.contest, ledger.contest
    if before.commitment != now.commitment:
        yield "the copy is of another contest, with another secret"
        return
    if before.closed and (before.closed, before.secret) != (now.closed, now.secret):
        yield "the contest was closed in the copy, with another secret or at another time"
    keys, old_keys = set(ledger.keys()), copy.keys()
    if before.closed:
        added = sorted(keys.difference(old_keys))
        yield from (f"entry {key} was added after the contest was closed" for key in added)
    for key in old_keys:
        old = copy.by_key(key)
        label = f"entry {visible(old.id, 20)} {visible(old.name, 60)!r}"
        if key not in keys:
            yield f"{label} is not there any more"
            continue
        new = ledger.by_key(key)
        other = [
            name.replace("_", " ")
            for name, value in vars(old).items()
            if value != getattr(new, name)
            and not (old.running and name in _UNTIL_THE_END)
            and not (name == "cleared" and not value)
        ]
        if not old.running and list(ledger.stored_standings(new)) != list(copy.stored_standings(old)):
            other.append("standings")
        if other:
            yield f"{label} is not as it was: another {', '.join(other)}"
        rows = () if old.running else zip_longest(copy.stored(old), ledger.stored(new))
        for row, stored in rows:
            if row != stored:
                yield f"{label} has other games, from trial {visible(str((row or stored)[0]), 20)} on"
                break
