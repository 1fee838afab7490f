"""The posteriors of one setting, of which the last used are kept: most are one turn away from one that was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordpl.model.posterior import Posterior
from wordpl.storage.lru_cache import LruCache

if TYPE_CHECKING:
    from wordpl.play.strategy import History


class Beliefs:
    """Posteriors by history, computed once as long as they are among the `size` used last.

    Threads may share it. What it returns does not depend on what it holds: a posterior is always the result of the
    same updates in the same order.
    """

    def __init__(self, prior: Posterior, size: int = 64) -> None:
        self._prior = prior
        self._posteriors: LruCache[History, Posterior] = LruCache(size)

    def __len__(self) -> int:
        return len(self._posteriors)

    def after(self, history: History) -> Posterior:
        """Return the posterior after these turns."""
        belief = self._posteriors.get(history)
        if belief is None:
            # One more turn than before is the common case: then a single update does.
            belief, rest = self._posteriors.get(history[:-1]), history[-1:]
            if belief is None:
                belief, rest = self._prior, history
            for turn in rest:
                belief = belief.update(*turn)
            self._posteriors.put(history, belief)
        return belief
