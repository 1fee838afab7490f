"""A worker of a server: takes uploads from the queue of a ledger, checks them, and scores them in the sandbox.

`python -m wordpl.contest.scoring_worker LEDGER PARENT` works until SIGTERM, or until its parent ends.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from wordpl.contest.check import check_submission
from wordpl.contest.conformance import ROUNDS
from wordpl.contest.entries import FINISHED, Entry
from wordpl.contest.ledger import NameTakenError
from wordpl.contest.limits import Limits
from wordpl.contest.queue import Item, Queue
from wordpl.contest.sandbox import Launcher
from wordpl.contest.sanitizing import LONGEST_NAME
from wordpl.contest.scoring import OutOfTimeError
from wordpl.contest.submission import Submission
from wordpl.contest.submit import launcher as find_sandbox
from wordpl.contest.submit import play_entry
from wordpl.errors import WordplError
from wordpl.model.words import load_words
from wordpl.play.strategy import Setting
from wordpl.workers import die_with_parent, stoppable

CHECK_GAMES = 5
"""Games in each round of the check, as `wordpl check` has it."""
MOST_CHECK_GAMES = ROUNDS * CHECK_GAMES
_LOOK_SECONDS = 0.5
_NICENESS = 10


def score_next(queue: Queue, setting: Setting, launcher: Launcher, limits: Limits | None = None) -> bool:
    """Check and score the next upload of the queue, or resume one that was begun; returns whether there was one.

    One that fails any finding of `wordpl check`, or that cannot be entered, is refused, and its author can read why.
    What is finished when an exception ends this is kept, and the upload stays in the queue.
    """
    item = queue.claim()
    if item is None:
        return False
    blameless = False
    try:
        _score(queue, item, setting, launcher, limits or Limits())
    except (KeyboardInterrupt, OutOfTimeError) as error:
        blameless = True
        if isinstance(error, KeyboardInterrupt):
            raise
    except WordplError as error:
        queue.refuse(item, str(error))
    finally:
        queue.release(item, blameless=blameless)
    return True


def _score(queue: Queue, item: Item, setting: Setting, launcher: Launcher, limits: Limits) -> None:
    submission = queue.upload(item).submission()
    if item.entry is not None:
        entry = queue.by_key(item.entry)
    else:
        queue.checking(item)
        findings = check_submission(
            submission,
            setting,
            limits,
            launcher,
            games=CHECK_GAMES,
            progress=lambda _what, _new, done, _total: queue.checking(item, done),
        )
        failed = [finding for finding in findings if not finding.passed]
        if failed:
            queue.refuse(item, f"the check failed at {failed[0].check!r}: {failed[0].message}", findings)
            return
        entry = _entered(queue, item, submission, setting, launcher, limits)
        queue.scoring(item, entry, findings)
    over = play_entry(queue, entry, submission, setting, launcher=launcher)
    remark = ""
    if over.state != FINISHED:
        remark = f"it has no rank: {over.reason}"
    elif over.entered < item.received:
        remark = f"these files were entered before, as {over.name!r}; that entry stands"
    queue.done(item, remark)


def _entered(
    queue: Queue, item: Item, submission: Submission, setting: Setting, launcher: Launcher, limits: Limits
) -> Entry:
    """The entry of an upload: under the token's name, with the next free number if that is another submission's."""
    name, number = item.name, 1
    while True:
        with suppress(NameTakenError):
            return queue.enter(
                name, submission, setting, limits, launcher.describe(), nonce=item.nonce, credit=item.credit
            )
        number += 1
        name = f"{item.name[: LONGEST_NAME - len(f' {number}')].rstrip()} {number}"


def work(ledger: Path) -> None:
    """Score uploads in the contest's own game until SIGTERM or Ctrl-C, which keep what is finished.

    If another ledger takes its place, work goes on in that one.
    """
    with suppress(KeyboardInterrupt), stoppable(signals=(signal.SIGINT, signal.SIGTERM), at_once=True):
        launcher, setting = find_sandbox(), Setting(load_words())
        while True:
            if not ledger.exists():
                time.sleep(_LOOK_SECONDS)
                continue
            with Queue(ledger, must_exist=True) as queue:
                while queue.is_current:
                    if not score_next(queue, setting, launcher):
                        time.sleep(_LOOK_SECONDS)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[2]))
    os.nice(_NICENESS)
    work(Path(sys.argv[1]))
