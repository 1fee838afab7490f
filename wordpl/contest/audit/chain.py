"""Audit a ledger as a whole: the file, its chain of events, what it says of boards and entries; and receipts."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible
from wordpl.contest.entrant.submission import call_key
from wordpl.contest.judge.ranking import Records
from wordpl.contest.ledger import receipt as receipts
from wordpl.contest.ledger.entries import ENDING, ENTERED, SEEDED, Entry, read_source, same_strategy
from wordpl.contest.ledger.reader import LedgerReader
from wordpl.contest.ledger.receipt import Event, Receipt, chain_faults, commitment

MOST_LINES = 10
_KINDS = ("open", "enter", "finish", "clear", "records", "close")


def audit_chain(ledger: LedgerReader) -> list[str]:
    """Return the faults of `ledger` as a whole, its file, chain and entries, one line each, whatever it holds."""
    return [*ledger.damage(), *lines(_ledger_faults(ledger), MOST_LINES)]


def check_shown(ledger: LedgerReader, with_trials: Iterable[Entry] = ()) -> None:
    """Raise `WordplError` at the first fault of what a leaderboard shows, and of the trials of some entries."""
    events, of_trials = ledger.chain(), {entry.key for entry in with_trials}
    of_entries = (
        f"entry {entry.id}: {fault}"
        for entry in ledger.entries()
        for fault in recorded_faults(ledger, entry, events, entry.key in of_trials)
    )
    for fault in chain(_ledger_faults(ledger), of_entries):
        raise WordplError(f"{str(ledger.path)!r} is damaged or was changed: {fault}; wordpl contest audit tells more")


def audit_receipt(ledger: LedgerReader, receipt: Receipt) -> list[str]:
    """Return the faults of `receipt`, in itself and against chain and board of `ledger`, one line each, whatever both
    hold."""
    return lines(_receipt_faults(ledger, receipt))


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
    yield from chain_faults(ledger.events())
    events, (secret, committed, closed) = ledger.chain(), ledger.contest
    if events.get(0, Event("")).facts.get("commitment") != committed:
        yield "the commitment to the contest's secret is not as the first event has it"
    if secret and (not receipts.SECRET.fullmatch(secret) or commitment(secret) != committed):
        yield "the contest's secret is not the one that was committed to"
    entries = []
    for key in ledger.keys():  # noqa: SIM118 - no dictionary
        with suppress(WordplError):  # told where the entry itself is audited
            entries.append(ledger.by_key(key))
    yield from _event_faults(events, ledger.keys(), entries)
    closes = [(number, event.facts) for number, event in events.items() if event.facts.get("event") == "close"]
    if [number for number, _ in closes] != ([] if closed is None else [closed]):
        yield "whether the contest is closed does not agree with the chain"
    if any(facts.get("secret") != secret for _, facts in closes):
        yield "the contest's secret is not the one that the close event published"
    yield from _attempt_faults(entries)


def _event_faults(events: Mapping[int, Event], board: list[int], entries: list[Entry]) -> Iterator[str]:
    """Events that cannot stand where they do, and those that the board does not show."""
    finished = {entry.key: entry.finished for entry in entries}
    entered: dict[str, int] = {}
    finishes: set[int] = set()
    closes: list[int] = []
    for number, event in events.items():
        facts, label = event.facts, f"event {number} of the chain"
        kind, key = facts.get("event"), entered.get(str(facts.get("entry")), -1)
        if kind not in _KINDS or (kind == "open") != (number == 0):
            yield f"{label} is of a kind that cannot stand there"
        elif receipts.written(facts) != event.payload:
            yield f"{label} is not written as a ledger writes it"
        if kind in ("open", "records"):
            try:
                Records.read(facts)
            except WordplError as error:
                yield f"{label}: {error}"
        elif kind == "enter":
            entered[event.hash] = number
            if number not in board:
                name = visible(str(facts.get("name")), 60)
                yield f"the entry of event {number}, {name!r}, was dropped from the board"
            if closes:
                yield f"entries were taken after the contest was closed in event {closes[0]}"
        elif kind == "finish":
            if key < 0:
                yield f"{label} finishes an entry that was not entered before"
            elif key in finishes:
                yield f"{label} finishes entry {key} for a second time"
            elif finished.get(key, number) != number:
                yield f"{label} finishes entry {key}, which the board does not show"
            finishes.add(key)
        elif kind == "clear" and key not in finishes:
            yield f"{label} clears an entry that was not finished before"
        elif kind == "close":
            closes.append(number)


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


def recorded_faults(
    ledger: LedgerReader, entry: Entry, events: Mapping[int, Event], trials: bool = True
) -> Iterator[str]:
    """Yield what an entry has that its events in the chain do not say, one line each; `trials`: its trials too."""
    entered = events.get(entry.key, Event(""))
    if entered.facts.get("event") != "enter":
        yield f"the chain has no event {entry.key} by which it was entered"
    of_entry = [event for event in events.values() if event.facts.get("entry") == entered.hash]
    finish = next((event for event in of_entry if event.facts.get("event") == "finish"), None)
    clears = ["", *(event.facts.get("reason") for event in of_entry if event.facts.get("event") == "clear")]
    board = entry.facts(ENTERED + ENDING) | {"id": entry.id, "date": entry.entered, "clearance": entry.cleared}
    record = entered.content | {"id": entered.id, "date": entered.facts.get("time"), "clearance": clears[-1]}
    board["finish event"], record["finish event"] = entry.finished, finish and finish.facts.get("number")
    if finish is None:  # the strategy's name is known as soon as it has started
        record |= Entry(strategy=entry.strategy, interface=entry.interface).facts(ENDING)
        board["standings"], record["standings"] = bool(ledger.standings(entry)), False
    else:
        record |= finish.content
        board["entry"] = entered.hash
        for name in ("trials", "standings"):
            board[f"{name}_digest"] = record.get(f"{name}_digest")
            try:
                if trials or name == "standings":
                    board[f"{name}_digest"] = getattr(ledger, f"{name}_digest")(entry)
            except WordplError as error:
                yield f"its {name} have no digest: {error}"
    for name in receipts.unequal(board, record):
        yield f"its {visible(name.replace('_', ' '), 40)} is not as the chain has it"
    try:
        read_source(entry.source, entry.files)
    except WordplError as error:
        yield f"its {error}"
    content = f"{entry.files} {call_key(entry.call)}".encode()
    if hashlib.sha256(content).hexdigest() != entry.digest:
        yield "its digest does not follow from its files and its call"


def _receipt_faults(ledger: LedgerReader, receipt: Receipt) -> Iterator[str]:
    """What does not fit in a receipt itself, in the chain, and on the board."""
    events, entered, finished = ledger.chain(), receipt.entered, receipt.finished
    kinds = {"open": receipt.opened, "enter": entered, "finish": finished}
    for kind, event in kinds.items():
        if event and event.facts.get("event") != kind:
            yield f"the receipt holds no {kind} event where one is expected"
    if finished:
        secret, seed = (str(finished.facts.get(name)) for name in ("secret", "seed"))
        if finished.facts.get("entry") != entered.hash:
            yield "the receipt's finish is that of another entry"
        if commitment(secret) != entered.facts.get("commitment"):
            yield "the published secret is not the one that was committed to"
        if str(receipts.scoring_seed(secret, {name: entered.facts.get(name) for name in SEEDED})) != seed:
            yield "the receipt's seed does not follow from its secret and its terms"
    if events.get(0) != receipt.opened:
        yield "the receipt is of another contest: this ledger's chain begins with another event"
        return
    for kind, event in kinds.items():
        number = event.facts.get("number") if event else None
        link = events.get(number, Event("")) if isinstance(number, int) else Event("")
        if event and link != event:
            unequal = [visible(name.replace("_", " "), 40) for name in receipts.unequal(event.facts, link.facts)]
            names = ", ".join(unequal)
            yield f"event {visible(str(number), 20)} of the chain is not the receipt's {kind} event: another {names}"
    number = entered.facts.get("number")
    if not isinstance(number, int) or number not in ledger.keys():  # noqa: SIM118 - no dictionary
        yield "the receipt's entry is not on the board"
        return
    receipt_events = [event for event in (entered, finished) if event and isinstance(event.facts.get("number"), int)]
    events |= {event.facts["number"]: event for event in receipt_events}
    yield from recorded_faults(ledger, ledger.by_key(number), events)
