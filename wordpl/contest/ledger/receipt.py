"""What binds both sides of a contest: seeds that nobody can choose, a chain of events, and receipts.

The organiser draws one secret when the contest begins and publishes its hash. The secret of an entry is an HMAC
(RFC 2104) of the entry's number under it, and the seed of a run hashes that secret together with a nonce of the
participant and everything that determines the run. So neither side can try several seeds without leaving a trace.

Each event holds the hash of the event before it. A receipt is a copy of two or three events; it proves that they stood
in the chain.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from wordpl.base.errors import WordplError
from wordpl.base.files import StrPath, read_file, write_text
from wordpl.base.sanitizing import visible

LONGEST_NONCE = 200
NO_EVENT = "0" * 64
"""The hash before the first event."""
_RECEIPT_FORMAT = 1
_LARGEST_RECEIPT = 1 << 20
SECRET = re.compile("[0-9a-f]{64}")
"""The form of a secret."""
_LINKS = ("event", "number", "previous", "time")


def now() -> str:
    """The time, as the ledger has it: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def canonical(value: object) -> str:
    """`value` as JSON in one way only: sorted keys, no spaces, ASCII. Raises `ValueError` for NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(purpose: str, text: str) -> str:
    """SHA-256 of a text, as 64 hexadecimal digits. Hashes for different purposes never agree."""
    return hashlib.sha256(f"wordpl contest {purpose}\n{text}".encode()).hexdigest()


def commitment(secret: str) -> str:
    """Return the hash that is published before the secret is used."""
    return digest("commitment", secret)


def entry_secret(secret: str, number: int) -> str:
    """The secret of the entry with this number: HMAC-SHA256 under the contest's secret, as 64 hexadecimal digits."""
    return hmac.new(bytes.fromhex(secret), f"wordpl contest entry {number}".encode(), hashlib.sha256).hexdigest()


def scoring_seed(secret: str, terms: Mapping[str, object]) -> int:
    """The root seed of a run, 256 bits, from the entry's secret and everything else that determines the run."""
    return int(digest("seed", canonical({"secret": secret, "terms": dict(terms)})), 16)


def check_nonce(nonce: str) -> str:
    """`nonce` if it is 1 to 200 visible characters on one line; raises `WordplError` if not."""
    if not 0 < len(nonce) <= LONGEST_NONCE or visible(nonce, LONGEST_NONCE) != nonce:
        raise WordplError(f"nonce {nonce[:40]!a} is not allowed; 1 to {LONGEST_NONCE} visible characters are")
    return nonce


@dataclass(frozen=True)
class Event:
    """A link of the chain. `payload` is canonical JSON and holds the hash of the event before."""

    payload: str

    @classmethod
    def make(cls, kind: str, number: int, previous: str, time: str, facts: Mapping[str, object]) -> Event:
        """Event `number`; `kind` is open, enter, finish, clear, records or close; `time` is ISO 8601 in UTC."""
        return cls(canonical({**facts, "event": kind, "number": number, "previous": previous, "time": time}))

    @cached_property
    def hash(self) -> str:
        return digest("event", self.payload)

    @property
    def id(self) -> str:
        """The first digits of the hash, which are the id of the entry that the event makes."""
        return self.hash[:12]

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The content of the payload; empty if it is not a JSON object."""
        with suppress(ValueError, RecursionError):
            content = json.loads(self.payload)
            if isinstance(content, dict):
                return content
        return {}

    @property
    def content(self) -> dict[str, Any]:
        """The facts without those that make it a link of the chain."""
        return {name: value for name, value in self.facts.items() if name not in _LINKS}


def chain_faults(links: Iterable[tuple[int, str, str]]) -> list[str]:
    """Return the faults of a chain of (number, payload, stored hash) in order, one line each."""
    faults: list[str] = []
    previous, last = NO_EVENT, ""
    for expected, (number, payload, link_hash) in enumerate(links):
        event = Event(payload)
        time = str(event.facts.get("time", ""))
        if number != expected or event.facts.get("number") != expected:
            return [*faults, f"event {expected} of the chain is missing"]
        if event.hash != link_hash:
            faults.append(f"event {number} of the chain was changed: its hash does not fit")
        if event.facts.get("previous") != previous:
            faults.append(f"event {number} of the chain does not follow the event before it")
        if time < last:
            faults.append(f"event {number} of the chain is dated before the event before it")
        previous, last = event.hash, time
    return faults


def unequal(facts: Mapping[str, object], others: Mapping[str, object]) -> list[str]:
    """The names of facts that differ. 1 and 1.0 and true do, as they do to the seed."""
    return [name for name in sorted({*facts, *others}) if written(facts.get(name)) != written(others.get(name))]


def written(value: object) -> str:
    """`value` as canonical JSON, or something that none is equal to."""
    try:
        return canonical(value)
    except (ValueError, TypeError, RecursionError):
        return f"no JSON: {type(value)}"


@dataclass(frozen=True)
class Receipt:
    """A participant's proof of entry: the events that opened the contest (`opened`), made the entry (`entered`) and
    finished its run (`finished`)."""

    opened: Event
    entered: Event
    finished: Event | None = None

    @property
    def id(self) -> str:
        return self.entered.id

    def __str__(self) -> str:
        """One line to write down: the hashes."""
        finish = f"; finished {self.finished.hash}" if self.finished else ""
        return f"contest {self.opened.hash}; entered {self.entered.hash}{finish}"

    @property
    def text(self) -> str:
        """What a receipt's file holds."""
        links = {name: {"hash": event.hash, "payload": event.facts} for name, event in vars(self).items() if event}
        return json.dumps({"wordpl_receipt": _RECEIPT_FORMAT, "id": self.id, **links}, indent=2) + "\n"


def write_receipt(path: StrPath, receipt: Receipt) -> None:
    """Write `receipt` to `path`, in place of an earlier receipt of the same entry only. Raises `WordplError`
    otherwise."""
    if os.path.lexists(path) and read_receipt(path).id != receipt.id:
        raise WordplError(f"{str(path)!r} is the receipt of another entry; name another file")
    write_text(path, receipt.text)


def read_receipt(path: StrPath) -> Receipt:
    """Read a receipt from the file `path`. Raises `WordplError` if it is not a receipt or a hash does not fit."""
    raw = read_file(path, "receipt", _LARGEST_RECEIPT)
    try:
        content: Any = json.loads(raw)
        links = [content[name] for name in ("opened", "entered", *(["finished"] if "finished" in content else []))]
        events = [Event(canonical(event["payload"])) for event in links]
        fits = [bool(event.facts) and event.hash == link["hash"] for event, link in zip(events, links, strict=True)]
        if content["wordpl_receipt"] == _RECEIPT_FORMAT and all(fits):
            return Receipt(*events)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise WordplError(f"{str(path)!r} is not a receipt of wordpl contest submit")
