"""Values kept in memory: which ones, how many, and by several threads at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from wordpl.base.lru_cache import LruCache

USES = ("look", "make", "put")


def of(size: int) -> np.ndarray:
    return np.zeros(size, dtype=np.uint8)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(USES))), st.integers(0, 30), st.integers(1, 4))
@example([(0, "make"), (1, "make"), (0, "look"), (2, "make"), (0, "look")], 30, 2)  # used, so not the first to go
@example([(5, "put"), (5, "put"), (1, "put")], 45, 2)  # a value in place of another takes its room
def test_the_arrays_used_last_are_kept_as_far_as_there_is_room(uses, room, places):
    recent: LruCache[int, np.ndarray] = LruCache(places, room, size=len)
    sizes = [0, 3, 5, 7, 11, 40]
    kept: list[int] = []  # the least recently used first
    for key, use in uses:
        if use == "put":
            recent.put(key, of(sizes[key]))
        elif use == "make":
            assert recent.get_or_make(key, lambda key=key: of(sizes[key])).size == sizes[key]
        assert (recent.get(key) is not None) == (use != "look" or key in kept)
        if use != "look" or key in kept:
            kept = [*(other for other in kept if other != key), key]
        while len(kept) > 1 and (sum(sizes[other] for other in kept) > room or len(kept) > places):
            kept.pop(0)
    assert [key for key in range(len(sizes)) if recent.get(key) is not None] == sorted(kept)


def test_threads_make_a_value_once_and_what_is_kept_is_had_meanwhile():
    recent: LruCache[str, np.ndarray] = LruCache(4, 10, size=len)
    recent.put("a", of(1))
    begun, done, made = Event(), Event(), []

    def make() -> np.ndarray:
        made.append(of(2))
        begun.set()
        assert done.wait(60)
        return made[-1]

    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(recent.get_or_make, "b", make) for _ in range(3)]
        assert begun.wait(60)
        kept = threads.submit(recent.get_or_make, "a", lambda: of(3)).result(60)
        done.set()
        assert all(one.result(60) is made[0] for one in found) and len(made) == len(kept) == 1
