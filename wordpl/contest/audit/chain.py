"""Audit a ledger as a whole: the file, its chain of events, what it says of boards and entries; and receipts."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from wordpl.contest.entrant.submission import call_key
from wordpl.contest.judge.ranking import Records
from wordpl.contest.ledger import receipt as receipts
from wordpl.contest.ledger.credit import read_source
from wordpl.contest.ledger.entries import SEEDED, Entry, same_strategy
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.receipt import Event, Receipt, chain_faults, commitment, differences
from wordpl.errors import WordplError
from wordpl.text.sanitizing import visible

MOST_LINES = 10
_KINDS = ("open", "enter", "finish", "clear", "records", "close")


def audit_chain(ledger: LedgerReader) -> list[str]:
    """Return what does not fit in a ledger as a whole: the file, the chain of events, the entries they record.

    One line each, none if no faults are found; no error is raised, whatever the ledger holds.
    """
    return [*ledger.damage(), *lines(_ledger_faults(ledger), MOST_LINES)]


def check_shown(ledger: LedgerReader, with_trials: Iterable[Entry] = ()) -> None:
    """Raise `WordplError` with the first fault, unless the chain says what a leaderboard shows: all but the trials.

    Of the entries `with_trials`, the trials too. That takes a tenth of a second for 16,000 of them.
    """
    book, of_trials = _Book(ledger), {entry.key for entry in with_trials}
    of_entries = (
        f"entry {entry.id}: {fault}"
        for entry in book.entries
        for fault in recorded_faults(ledger, entry, book.events, entry.key in of_trials)
    )
    for fault in chain(chain_faults(book.links), _contest_faults(ledger, book), _board_faults(book), of_entries):
        raise WordplError(f"{str(ledger.path)!r} is damaged or was changed: {fault}; wordpl audit tells more")


def audit_receipt(ledger: LedgerReader, receipt: Receipt) -> list[str]:
    """Return the faults of a receipt, in itself and against a ledger's chain and board; one line each.

    No error is raised, whatever both hold.
    """
    return lines(chain(receipt.faults(), _seed_faults(receipt), _receipt_faults(ledger, receipt)))


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


class _Book:
    """The events of a chain by number, and the entries that can be read."""

    def __init__(self, ledger: LedgerReader) -> None:
        self.links = ledger.events()
        self.events = {number: Event(payload) for number, payload, _ in self.links}
        self.keys = ledger.keys()
        self.entries: list[Entry] = []
        for key in self.keys:
            with suppress(WordplError):  # told where the entry itself is audited
                self.entries.append(ledger.by_key(key))

    def kind(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((number, event.facts) for number, event in self.events.items() if event.facts.get("event") == kind)


def _ledger_faults(ledger: LedgerReader) -> Iterator[str]:
    book = _Book(ledger)
    yield from chain_faults(book.links)
    for number, event in book.events.items():
        kind = event.facts.get("event")
        if kind not in _KINDS or (kind == "open") != (number == 0):
            yield f"event {number} of the chain is of a kind that cannot stand there"
        elif receipts.written(event.facts) != event.payload:
            yield f"event {number} of the chain is not written as a ledger writes it"
    yield from _contest_faults(ledger, book)
    yield from _board_faults(book)
    yield from _attempt_faults(book)


def _contest_faults(ledger: LedgerReader, book: _Book) -> Iterator[str]:
    secret, committed, closed = ledger.contest
    if book.events.get(0, Event("")).facts.get("commitment") != committed:
        yield "the commitment to the contest's secret is not as the first event has it"
    if secret and (not receipts.SECRET.fullmatch(secret) or commitment(secret) != committed):
        yield "the contest's secret is not the one that was committed to"
    for number, event in book.events.items():
        if number == 0 or event.facts.get("event") == "records":
            try:
                Records.read(event.facts)
            except WordplError as error:
                yield f"event {number} of the chain: {error}"
    closes = list(book.kind("close"))
    if [number for number, _ in closes] != ([] if closed is None else [closed]):
        yield "whether the contest is closed does not agree with the chain"
    for number, facts in closes:
        if facts.get("secret") != secret:
            yield "the contest's secret is not the one that the close event published"
        if any(later > number for later, _ in book.kind("enter")):
            yield f"entries were taken after the contest was closed in event {number}"


def _board_faults(book: _Book) -> Iterator[str]:
    """Events that the board does not show."""
    keys, hashes = set(book.keys), {book.events[number].hash: number for number, _ in book.kind("enter")}
    finished = {entry.key: entry.finished for entry in book.entries}
    for number, facts in book.kind("enter"):
        if number not in keys:
            name = visible(str(facts.get("name")), 60)
            yield f"the entry of event {number}, {name!r}, was dropped from the board"
    done: set[int] = set()
    for number, facts in book.kind("finish"):
        key = hashes.get(str(facts.get("entry")), -1)
        if key in done:
            yield f"event {number} of the chain finishes entry {key} for a second time"
        elif finished.get(key, number) != number:
            yield f"event {number} of the chain finishes entry {key}, which the board does not show"
        elif not -1 < key < number:
            yield f"event {number} of the chain finishes an entry that was not entered before"
        done.add(key)
    for number, facts in book.kind("clear"):
        if hashes.get(str(facts.get("entry"))) not in done:
            yield f"event {number} of the chain clears an entry that was not finished before"


def _attempt_faults(book: _Book) -> Iterator[str]:
    """Attempts numbered wrongly, and two entries of one content on the same terms."""
    groups: dict[tuple[str, ...], list[tuple[Entry, str]]] = defaultdict(list)
    for entry in book.entries:
        try:
            key = call_key(entry.call)
        except WordplError:
            yield f"the call of entry {entry.key} cannot be read: {visible(entry.call, 60)!r}"
            continue
        earlier = groups[entry.files, entry.words_digest, entry.rule, entry.channel]
        attempt = 1 + sum(same_strategy(other.call, entry.call) for other, _ in earlier)
        if entry.attempt != attempt:
            yield f"entry {entry.id} is attempt {attempt} of its content, not attempt {entry.attempt}"
        terms = (key, entry.limits, entry.engine, entry.stop)
        if terms in [(other_key, other.limits, other.engine, other.stop) for other, other_key in earlier]:
            yield f"entry {entry.id} has the content and the terms of an earlier one"
        earlier.append((entry, key))


def recorded_faults(
    ledger: LedgerReader, entry: Entry, events: Mapping[int, Event], trials: bool = True
) -> Iterator[str]:
    """Yield what an entry has that its events in the chain do not say, one line each; `trials`: its trials too."""
    entered = events.get(entry.key, Event(""))
    if entered.facts.get("event") != "enter":
        yield f"the chain has no event {entry.key} by which it was entered"
    else:
        yield from _entered_faults(entry, entered)
    clears = [event.facts for event in events.values() if event.facts.get("event") == "clear"]
    reasons = [facts.get("reason") for facts in clears if facts.get("entry") == entered.hash]
    if entry.cleared != (reasons[-1] if reasons else ""):
        yield "what clears its flag is not as the chain has it"
    finished = Event("") if entry.finished is None else events.get(entry.finished, Event(""))
    if entry.running:
        early = [name for name in ("trials", "secret", "seed", "finished") if getattr(entry, name) is not None]
        early += [name for name in ("flag", "reason") if getattr(entry, name)]
        early += ["standings"] if ledger.standings(entry) else []
        yield from (f"it is running, but has {name}" for name in early)
    elif finished.facts.get("event") != "finish":
        yield "the chain has no event by which its run was finished"
    else:
        yield from _finished_faults(ledger, entry, finished, entered, "its finish event", trials)


def _entered_faults(entry: Entry, event: Event) -> Iterator[str]:
    yield from differences(event, entry.entered_facts, "its enter event")
    if entry.id != event.id:
        yield f"its id does not follow from its enter event; that gives {event.id}"
    if entry.entered != event.facts.get("time"):
        yield f"its date is not as its enter event has it, {visible(str(event.facts.get('time')), 40)}"
    try:
        read_source(entry.source, entry.files)
    except WordplError as error:
        yield f"its {error}"
    content = f"{entry.files} {call_key(entry.call)}".encode()
    if hashlib.sha256(content).hexdigest() != entry.digest:
        yield "its digest does not follow from its files and its call"


def _finished_faults(
    ledger: LedgerReader, entry: Entry, event: Event, entered: Event, source: str, trials: bool = True
) -> Iterator[str]:
    """What an entry has that its finish event, from `source`, does not say."""
    facts = entry.finished_facts | {"entry": entered.hash, "trials_digest": event.facts.get("trials_digest")}
    for name in ("trials", "standings") if trials else ("standings",):
        try:
            facts[f"{name}_digest"] = getattr(ledger, f"{name}_digest")(entry)
        except WordplError as error:
            yield f"its {name} have no digest: {error}"
            facts[f"{name}_digest"] = event.facts.get(f"{name}_digest")
    yield from differences(event, facts, source)


def _receipt_faults(ledger: LedgerReader, receipt: Receipt) -> Iterator[str]:
    events = {number: Event(payload) for number, payload, _ in ledger.events()}
    if events.get(0) != receipt.opened:
        yield "the receipt is of another contest: this ledger's chain begins with another event"
        return
    yield from _link_faults(events, "enter", receipt.entered)
    if receipt.finished:
        yield from _link_faults(events, "finish", receipt.finished)
    number = receipt.entered.facts.get("number")
    if not isinstance(number, int) or number not in ledger.keys():  # noqa: SIM118 - no dictionary
        yield "the receipt's entry is not on the board"
        return
    entry = ledger.by_key(number)
    yield from differences(receipt.entered, entry.entered_facts, "the receipt")
    if entry.id != receipt.id:
        yield f"the board gives the receipt's entry, {receipt.id}, the id {entry.id}"
    if receipt.finished:
        yield from _finished_faults(ledger, entry, receipt.finished, receipt.entered, "the receipt")


def _seed_faults(receipt: Receipt) -> Iterator[str]:
    if receipt.finished:
        secret, seed = (str(receipt.finished.facts.get(name)) for name in ("secret", "seed"))
        terms = {name: receipt.entered.facts.get(name) for name in SEEDED}
        if str(receipts.scoring_seed(secret, terms)) != seed:
            yield "the receipt's seed does not follow from its secret and its terms"


def _link_faults(events: dict[int, Event], kind: str, event: Event) -> Iterator[str]:
    """What does not fit if an event of a receipt is looked for in the chain."""
    number = event.facts.get("number")
    there = events.get(number) if isinstance(number, int) else None
    if there is None:
        yield f"the receipt's {kind} event, number {visible(str(number), 20)}, is not in the chain"
    elif there != event:
        names = ", ".join(visible(name.replace("_", " "), 40) for name in receipts.unequal(event.facts, there.facts))
        yield f"event {number} of the chain is not the receipt's {kind} event: it has another {names}"
