"""Audits of entries that visitors ask for: one at a time, in a thread of their own, since one takes minutes.

A result is kept as long as there is room for it. It is used again until the leaderboard changes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.base.lru_cache import LruCache
from wordpl.base.sanitizing import visible
from wordpl.contest.audit.entry import audit_entry
from wordpl.contest.audit.whole import audit_ledger
from wordpl.contest.ledger.writer import Ledger
from wordpl.model.words import BUNDLED, load_words
from wordpl.play.setting import Setting
from wordpl.web.models import Model
from wordpl.web.problems import BusyError, plain

LOG = logging.getLogger("wordpl.web")
_WAITING = 8


class AuditReport(Model):
    """What an audit has found. Faults are one line each; none if all fits."""

    version: Annotated[str, Doc("Version of the leaderboard that was audited")]
    at: str
    ledger: list[str]
    entry: list[str]
    only_terms: Annotated[bool, Doc("Whether the run was not over, so that no games were replayed")]
    current: Annotated[bool, Doc("Whether the leaderboard is still the same")]


class AuditOut(Model):
    """An audit, if one runs, and the result of the last one."""

    running: bool
    trials: Annotated[int, Doc("Trials replayed; 0 while it waits")]
    of: int
    result: AuditReport | None


class Audits:
    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="audit")
        self._progress: dict[str, tuple[int, int]] = {}
        """Of each audit that runs or waits: the trials that were replayed, and of how many."""
        self._reports: LruCache[str, AuditReport] = LruCache(200)
        self._lock = threading.Lock()
        self._ends = threading.Event()

    def find(self, entry: str, version: str) -> AuditOut:
        """Return how far the audit of an entry is, and what the last one found; `version` is the ledger's."""
        with self._lock:
            progress, report = self._progress.get(entry), self._reports.get(entry)
        report = report and report.model_copy(update={"current": report.version == version})
        trials, of = progress or (0, 0)
        return AuditOut(running=progress is not None, trials=trials, of=of, result=report)

    def start(self, path: Path, entry: str) -> None:
        """Audit an entry unless that is being done. Raises `BusyError` if too many audits wait."""
        with self._lock:
            if entry in self._progress:
                return
            if len(self._progress) > _WAITING:
                raise BusyError
            self._progress[entry] = 0, 0
            self._executor.submit(self._run, path, entry)

    def close(self) -> None:
        """Give up what runs and what waits."""
        self._ends.set()
        self._executor.shutdown(cancel_futures=True)

    def _run(self, path: Path, identity: str) -> None:
        def step(subject: object, new: int, count: int, total: int) -> None:
            self._progress[identity] = count, total
            if self._ends.is_set():
                raise CancelledError

        try:
            with Ledger(path, read_only=True) as book, book.copied():
                entry = book.entry(identity)
                whole = audit_ledger(book)
                lists = [load_words(name) for name in BUNDLED]
                # Of no list with this digest, the audit says that the words do not fit.
                words = next((words for words in lists if words.digest == entry.words_digest), lists[0])
                games = audit_entry(book, entry, Setting(words), progress=step)
                report = _report(whole, games, book.version, entry.running)
            self._reports.put(identity, report)
        except CancelledError:
            pass
        except WordplError as error:
            self._reports.put(identity, _report([str(error)]))
        except Exception:
            LOG.exception("a defect of wordpl, in the audit of an entry")
            self._reports.put(identity, _report(["The audit has failed; the fault is the server's."]))
        finally:
            with self._lock:
                del self._progress[identity]


def _report(
    ledger: Sequence[str], entry: Sequence[str] = (), version: str = "", only_terms: bool = False
) -> AuditReport:
    lines = [[plain(visible(" ".join(fault.split()), 600)) for fault in faults] for faults in (ledger, entry)]
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return AuditReport(version=version, at=at, ledger=lines[0], entry=lines[1], only_terms=only_terms, current=True)
