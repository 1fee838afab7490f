"""Audit a ledger as a whole: the file, its chain of events and its boards; and receipts of its entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from wordpl.contest.audit import Lines
from wordpl.contest.entries import FINISH_FACTS, Entry, same_draws, seeded_facts
from wordpl.contest.ledger_reader import LedgerReader
from wordpl.contest.machines import read_played
from wordpl.contest.ranking import Records
from wordpl.contest.receipt import (
    SECRET,
    Event,
    Receipt,
    chain_faults,
    commitment,
    differences,
    scoring_seed,
    unequal,
    written,
)
from wordpl.contest.sanitizing import visible
from wordpl.contest.submission import call_key
from wordpl.errors import WordplError

_KINDS = ("open", "enter", "played", "finish", "clear", "records", "close")


def audit_chain(ledger: LedgerReader) -> list[str]:
    """Return what does not fit in a ledger as a whole: the file, the chain of events, the entries they record.

    One line each, none if no faults are found; no error is raised, whatever the ledger holds.
    """
    found = ledger.damage()
    try:
        return [*found, *_chain_faults(ledger)]
    except WordplError as error:
        return [*found, str(error)]


def audit_receipt(ledger: LedgerReader, receipt: Receipt) -> list[str]:
    """Return the faults of a receipt, in itself and against a ledger's chain and board; one line each.

    No error is raised, whatever both hold.
    """
    found = [*receipt.faults(), *_seed_faults(receipt)]
    try:
        return [*found, *_receipt_faults(ledger, receipt)]
    except WordplError as error:
        return [*found, str(error)]


class _Book:
    """The events of a chain by kind, and the entries that can be read."""

    def __init__(self, ledger: LedgerReader) -> None:
        self.links = ledger.events()
        self.events = {number: Event(payload) for number, payload, _ in self.links}
        self.keys = ledger.keys()
        self.entries: list[Entry] = []
        for key in self.keys:
            try:
                self.entries.append(ledger.by_key(key))
            except WordplError:  # told where the entry itself is audited
                continue

    def kind(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((number, facts) for number, facts in self.facts.items() if facts.get("event") == kind)

    @cached_property
    def facts(self) -> dict[int, dict[str, Any]]:
        return {number: event.facts for number, event in self.events.items()}


def _chain_faults(ledger: LedgerReader) -> list[str]:
    book, found = _Book(ledger), Lines()
    for fault in [
        *chain_faults(book.links),
        *_event_faults(book),
        *_contest_faults(ledger, book),
        *_board_faults(book),
        *_draw_faults(book),
    ]:
        found.add(fault)
    return found.shown


def _event_faults(book: _Book) -> Iterator[str]:
    for number, facts in book.facts.items():
        if facts.get("event") not in _KINDS or (facts.get("event") == "open") != (number == 0):
            yield f"event {number} of the chain is of a kind that cannot stand there"
        elif written(facts) != book.events[number].payload:
            yield f"event {number} of the chain is not written as a ledger writes it"


def _contest_faults(ledger: LedgerReader, book: _Book) -> Iterator[str]:
    secret, committed, closed = ledger.contest
    if book.facts.get(0, {}).get("commitment") != committed:
        yield "the commitment to the contest's secret is not as the first event has it"
    if secret and (not SECRET.fullmatch(secret) or commitment(secret) != committed):
        yield "the contest's secret is not the one that was committed to"
    for number, facts in book.facts.items():
        if number == 0 or facts.get("event") == "records":
            try:
                Records.read(facts)
            except WordplError as error:
                yield f"event {number} of the chain: {error}"
    closes = list(book.kind("close"))
    if [number for number, _ in closes] != ([] if closed is None else [closed]):
        yield "whether the contest is closed does not agree with the chain"
    for number, facts in closes:
        if facts.get("secret") != secret:
            yield "the contest's secret is not the one that the close event published"
        if number != max(book.events) and any(later > number for later, _ in book.kind("enter")):
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
    for number, facts in book.kind("played"):
        key = hashes.get(str(facts.get("entry")), -1)
        if not -1 < key < number or (finished.get(key) or number) < number:
            yield f"event {number} of the chain tells who played an entry that was not running"
        try:
            read_played(facts, f"event {number} of the chain")
        except WordplError as error:
            yield str(error)


def _draw_faults(book: _Book) -> Iterator[str]:
    """Draws numbered wrongly, and two entries of one content on the same terms."""
    groups: dict[tuple[str, ...], list[tuple[Entry, str]]] = defaultdict(list)
    for entry in book.entries:
        try:
            key = call_key(entry.call)
        except WordplError:
            yield f"the call of entry {entry.key} cannot be read: {visible(entry.call, 60)!r}"
            continue
        earlier = groups[entry.files, entry.words_digest, entry.rule, entry.channel]
        kin = [other for other, _ in earlier if same_draws(other.call, entry.call)]
        if entry.draw != len(kin) + 1:
            yield f"entry {entry.id} is draw {len(kin) + 1} of its content, not draw {entry.draw}"
        terms = (key, entry.limits, entry.engine, entry.stop)
        if terms in [(called, other.limits, other.engine, other.stop) for other, called in earlier]:
            yield f"entry {entry.id} has the content and the terms of an earlier one"
        earlier.append((entry, key))


def _receipt_faults(ledger: LedgerReader, receipt: Receipt) -> list[str]:
    events = {number: Event(payload) for number, payload, _ in ledger.events()}
    if events.get(0) != receipt.opened:
        return ["the receipt is of another contest: this ledger's chain begins with another event"]
    found = _link_faults(events, "enter", receipt.entered)
    found += _link_faults(events, "finish", receipt.finished) if receipt.finished else []
    number = receipt.entered.facts.get("number")
    if not isinstance(number, int) or number not in set(ledger.keys()):
        return [*found, "the receipt's entry is not on the board"]
    entry = ledger.by_key(number)
    found += differences(receipt.entered, entry.entered_facts, "the receipt")
    if entry.id != receipt.id:
        found.append(f"the board gives the receipt's entry, {receipt.id}, the id {entry.id}")
    if receipt.finished:
        own = {name: getattr(entry, name) for name in FINISH_FACTS}
        own |= {"trials_digest": ledger.trials_digest(entry), "standings_digest": ledger.standings_digest(entry)}
        told = {name: receipt.finished.facts.get(name) for name in own}
        found += [f"its {name.replace('_', ' ')} is not as the receipt has it" for name in unequal(own, told)]
    return found


def _seed_faults(receipt: Receipt) -> list[str]:
    if receipt.finished is None:
        return []
    secret, seed = (str(receipt.finished.facts.get(name)) for name in ("secret", "seed"))
    fits = str(scoring_seed(secret, seeded_facts(receipt.entered.facts))) == seed
    return [] if fits else ["the receipt's seed does not follow from its secret and its terms"]


def _link_faults(events: dict[int, Event], kind: str, event: Event) -> list[str]:
    """What does not fit if an event of a receipt is looked for in the chain."""
    number = event.facts.get("number")
    there = events.get(number) if isinstance(number, int) else None
    if there is None:
        return [f"the receipt's {kind} event, number {visible(str(number), 20)}, is not in the chain"]
    if there == event:
        return []
    other = ", ".join(visible(name.replace("_", " "), 40) for name in unequal(event.facts, there.facts))
    return [f"event {number} of the chain is not the receipt's {kind} event: it has another {other}"]
