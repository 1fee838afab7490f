"""Audits of entries that visitors ask for: one at a time, in a thread of their own, since one takes minutes.

A result is kept as long as there is room for it. It is used again until the ledger has another event.
"""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wordpl.contest.audit import audit_entry
from wordpl.contest.audit_chain import audit_chain, audit_receipt
from wordpl.contest.ledger import Ledger
from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError
from wordpl.model.words import BUNDLED, WordList, load_words
from wordpl.play.strategy import Setting
from wordpl.storage.lru_cache import LruCache
from wordpl.web.pool import BusyError

LOG = logging.getLogger("wordpl.web")
_WAITING = 8
_KEPT = 200


@dataclass(frozen=True)
class AuditResult:
    """What an audit has found; faults are one line each, none if all fits."""

    head: str
    """The last event of the ledger that was audited."""
    at: str
    """UTC, ISO 8601."""
    ledger: tuple[str, ...]
    entry: tuple[str, ...]
    only_terms: bool
    """Whether the run was not over, so that there were no games to replay."""


@dataclass
class Running:
    """How far an audit is: it waits until `trials` is above 0."""

    trials: int = 0
    of: int = 0


class _EndedError(Exception):
    """The server ends."""


class Audits:
    """The audits of one server."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="audit")
        self._running: dict[str, Running] = {}
        self._results: LruCache[str, AuditResult] = LruCache(_KEPT)
        self._lock = threading.Lock()
        self._ends = threading.Event()

    def find(self, entry: str) -> tuple[Running | None, AuditResult | None]:
        """Return how far the audit of an entry is, None if none runs; and what the last one found."""
        with self._lock:
            return self._running.get(entry), self._results.get(entry)

    def start(self, path: Path, entry: str) -> None:
        """Audit an entry unless that is being done. Raises `BusyError` if too many audits wait."""
        with self._lock:
            if entry in self._running:
                return
            if len(self._running) > _WAITING:
                raise BusyError
            self._running[entry] = Running()
            self._executor.submit(self._run, path, entry)

    def close(self) -> None:
        """Give up what runs and what waits."""
        self._ends.set()
        self._executor.shutdown(cancel_futures=True)

    def _run(self, path: Path, identity: str) -> None:
        progress = self._running[identity]

        def step(what: object, new: int, done: int, total: int) -> None:
            progress.trials, progress.of = done, total
            if self._ends.is_set():
                raise _EndedError

        try:
            with Ledger(path, read_only=True) as book, book.copied():
                entry = book.entry(identity)
                whole = audit_chain(book) + audit_receipt(book, book.receipt(entry))
                own = audit_entry(book, entry, Setting(_words(entry.words_digest)), progress=step)
                result = _result(book.head, whole, own, entry.running)
            self._results.put(identity, result)
        except _EndedError:
            pass
        except WordplError as error:
            self._results.put(identity, _result("", [str(error)], [], False))
        except Exception:
            LOG.exception("a defect of wordpl, in the audit of an entry")
            self._results.put(identity, _result("", ["The audit has failed; the fault is the server's."], [], False))
        finally:
            with self._lock:
                del self._running[identity]


def _result(head: str, ledger: list[str], entry: list[str], only_terms: bool) -> AuditResult:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return AuditResult(head, at, _shown(ledger), _shown(entry), only_terms)


def _shown(faults: list[str]) -> tuple[str, ...]:
    return tuple(visible(" ".join(fault.split()), 600) for fault in faults)


def _words(digest: str) -> WordList:
    """The bundled list with this digest; if there is none, any, and the audit says that it does not fit."""
    lists = [load_words(name) for name in BUNDLED]
    return next((words for words in lists if words.digest == digest), lists[0])
