"""A worker of a server: takes uploads from the queue of a ledger, checks them, and scores them in the sandbox.

`python -m wordpl.contest.uploads.scoring_worker LEDGER PARENT SECONDS GAME_SECONDS` works until SIGTERM, or until its
parent ends. The last two are the wall clock of a run at a time, and of a game.
"""

import os
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import LONGEST_NAME
from wordpl.base.stopping import stoppable
from wordpl.base.system import ENDINGS, die_with_parent
from wordpl.contest.check import ROUNDS, check_submission
from wordpl.contest.checkout import named_checkout
from wordpl.contest.ledger.entries import FINISHED, Entry
from wordpl.contest.ledger.writer import NameTakenError
from wordpl.contest.limits import Limits
from wordpl.contest.run.entry_run import ContestRun, OutOfTimeError, RunBudget, play_entry
from wordpl.contest.sandbox import Launcher
from wordpl.contest.sandbox import launcher as find_sandbox
from wordpl.contest.submission import Submission
from wordpl.contest.uploads.package import read_upload
from wordpl.contest.uploads.queue import CHECKING, DONE, SCORING, Item, Queue
from wordpl.model.words import load_words
from wordpl.play.setting import Setting

CHECK_GAMES = 5
"""Games in each round of the check, as `wordpl check` has it."""
MOST_CHECK_GAMES = ROUNDS * CHECK_GAMES
_LOOK_SECONDS = 0.5
_NICENESS = 10


def score_next(queue: Queue, setting: Setting, launcher: Launcher, budget: RunBudget | None = None) -> bool:
    """Check and score the next upload of the queue, or resume one that was begun; returns whether there was one.

    One that fails any finding of `wordpl check`, or that cannot be entered, is refused, and its author can read why.
    One whose run lasts longer than the budget allows is resumed once, behind what waits, and then has no rank.
    What is finished when an exception ends this is kept, and the upload stays in the queue.
    """
    item = queue.claim()
    if item is None:
        return False
    try:
        _score(queue, item, setting, launcher, budget or RunBudget())
    except WordplError as error:
        queue.refuse(item, str(error))
    finally:
        # Neither is a stop the upload's doing, nor a full disk.
        queue.release(item, blameless=isinstance(sys.exception(), (KeyboardInterrupt, sqlite3.OperationalError)))
    return True


def _score(queue: Queue, item: Item, setting: Setting, launcher: Launcher, budget: RunBudget) -> None:
    submission = read_upload(queue.content(item), item.file, item.call, checkout=named_checkout())
    if item.entry is not None:
        entry = queue.ledger.entry(item.entry)
    else:
        queue.report(item, CHECKING, games=0)

        def progress(_what: object, _new: int, count: int, _total: int) -> None:
            queue.report(item, CHECKING, games=count)

        run = ContestRun(submission, setting, 1, budget.bounded(Limits()), launcher)
        findings = check_submission(run, CHECK_GAMES, progress)
        failed = next((finding for finding in findings if not finding.passed), None)
        if failed is not None:
            queue.refuse(item, f"the check failed at {failed.check!r}: {failed.message}", findings)
            return
        entry = _entered(queue, item, submission, setting, launcher)
        queue.report(item, SCORING, entry=entry.key, findings=findings, games=0)
    try:
        result = play_entry(queue.ledger, entry, submission, setting, launcher=launcher, budget=budget)
    except OutOfTimeError:
        if not item.reason:
            reason = f"its run has lasted {budget.seconds:g} s; it is resumed once, after what waits"
            queue.report(item, SCORING, reason=reason)
            return
        reason = f"its run lasted more than {budget.seconds:g} s, twice"
        result = queue.ledger.finish(entry, queue.ledger.played(entry), ended=reason)
    remark = ""
    if result.state != FINISHED:
        remark = f"it has no rank: {result.reason}"
    elif result.entered < item.received:
        remark = f"these files were entered before, as {result.name!r}; that entry stands"
    queue.report(item, DONE, reason=remark)


def _entered(queue: Queue, item: Item, submission: Submission, setting: Setting, launcher: Launcher) -> Entry:
    """The entry of an upload: under the token's name, with the next free number if that is another submission's."""
    terms = submission, setting, Limits(), launcher.describe()
    number, ending = 1, ""
    while True:
        name = item.name[: LONGEST_NAME - len(ending)].rstrip() + ending
        with suppress(NameTakenError):
            return queue.ledger.enter(Entry.draft(name, *terms, nonce=item.nonce, credit=item.credit), submission)
        number += 1
        ending = f" {number}"


def work(ledger: Path, budget: RunBudget) -> None:
    """Score uploads until SIGTERM, SIGHUP or Ctrl-C, also if another ledger takes the place of this one."""
    with suppress(KeyboardInterrupt), stoppable(signals=ENDINGS):
        launcher, setting = find_sandbox(), Setting(load_words())
        while True:
            scored = False
            if ledger.exists():
                with Queue(ledger, must_exist=True) as queue:
                    scored = score_next(queue, setting, launcher, budget)
            if not scored:
                time.sleep(_LOOK_SECONDS)


if __name__ == "__main__":
    die_with_parent(int(sys.argv[2]))
    os.nice(_NICENESS)
    try:
        work(Path(sys.argv[1]), RunBudget(seconds=float(sys.argv[3]), game_seconds=float(sys.argv[4])))
    except WordplError as error:  # as of a full disk; the server starts another worker
        sys.exit(f"wordpl: {error}")
