"""The posteriors of one setting, of which the last used are kept: most are one turn away from one that was."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from wordpl.model.posterior import Posterior

if TYPE_CHECKING:
    from wordpl.play.strategy import History


class Beliefs:
    """Posteriors by history, computed once as long as they are among the `size` used last.

    Threads may share it. What it returns does not depend on what it holds: a posterior is always the result of the
    same updates in the same order.
    """

    def __init__(self, prior: Posterior, size: int = 64) -> None:
        self._prior, self._size = prior, size
        self._kept: OrderedDict[History, Posterior] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def after(self, history: History) -> Posterior:
        """The posterior after these turns."""
        belief = self._get(history)
        if belief is None:
            # One more turn than before is the common case: then a single update does.
            belief, rest = self._get(history[:-1]), history[-1:]
            if belief is None:
                belief, rest = self._prior, history
            for turn in rest:
                belief = belief.update(*turn)
            self._keep(history, belief)
        return belief

    def _get(self, history: History) -> Posterior | None:
        with self._lock:
            belief = self._kept.get(history)
            if belief is not None:
                self._kept.move_to_end(history)
            return belief

    def _keep(self, history: History, belief: Posterior) -> None:
        with self._lock:
            self._kept[history] = belief
            self._kept.move_to_end(history)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
