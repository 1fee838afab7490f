"""What travels: everything arrives, and what calls share is pickled once and sent once."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import SMALL
from wordpl import WordList, WordplError, load_words, make_task, parse_strategy
from wordpl.workers.parcels import LARGE, Packer, Unpacker

VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@dataclass(frozen=True)
class Held:
    """Holds anything."""

    value: object


def arrive(packer, unpacker, *arguments, **named):
    """The call as it arrives, and how many bytes of parts it took."""
    parcel = packer.pack((divmod, arguments, named))
    lacking = unpacker.lacking(parcel.parts)
    function, *rest = unpacker.unpack(parcel.call, parcel.parts, {digest: parcel.parts[digest] for digest in lacking})
    assert function is divmod
    return *rest, sum(len(parcel.parts[digest]) for digest in lacking)


@given(VALUES, VALUES)
def test_what_is_sent_arrives(value, other):
    packer, unpacker = Packer(), Unpacker()
    large = bytes(LARGE) + repr(value).encode()
    sent = (value, Held(value), (Held(large), large)), {"other": Held(Held(other))}
    assert arrive(packer, unpacker, *sent[0], **sent[1])[:2] == sent
    *again, _ = arrive(packer, unpacker, *sent[0], **sent[1])
    assert tuple(again) == sent


def test_arrays_arrive_as_they_are_now():
    packer, unpacker = Packer(), Unpacker()
    array = np.arange(LARGE)
    for _ in range(3):
        (found,), _, size = arrive(packer, unpacker, array)
        assert np.array_equal(found, array)
        assert size > LARGE
        assert arrive(packer, unpacker, array)[2] == 0
        array += 1


def test_a_task_is_sent_once_and_its_batches_are_small():
    words = WordList("own", load_words().answers, load_words().guesses)
    tasks = [make_task(parse_strategy(f"TwoGuess({epsilon})"), words=words) for epsilon in (9, 12, 15)]
    packer, unpacker = Packer(), Unpacker()
    sizes = []
    for task in tasks:
        for start in range(3):
            parcel = packer.pack((divmod, (task, start, start + 10, "code"), {}))
            assert len(parcel.call) < 300
            (found, *_), _, size = arrive(packer, unpacker, task, start, start + 10, "code")
            assert found.id == task.id
            sizes.append(size)
    assert sizes[0] > 100_000  # the words, once
    assert sizes[3] < 2000 and sizes[6] < 2000
    assert [size for i, size in enumerate(sizes) if i % 3] == [0] * 6


def test_bundled_words_and_tables_travel_by_name():
    for spec in ("Median()", "NGuess(2, 9)", "Renyi((9, 9))"):
        parcel = Packer().pack((divmod, (make_task(parse_strategy(spec)),), {}))
        assert sum(map(len, parcel.parts.values())) < 2000
    assert len(Packer().pack((divmod, (SMALL,), {})).parts) == 1


def test_parts_that_are_not_kept_are_asked_for_again():
    packer, unpacker = Packer(), Unpacker()
    first = Held("first")
    arrive(packer, unpacker, first)
    for number in range(40):
        assert arrive(packer, unpacker, Held(number))[0] == (Held(number),)
    assert arrive(packer, unpacker, first)[2] > 0


def test_what_cannot_be_sent():
    with pytest.raises(WordplError, match=r"what is to run cannot travel to a worker: TypeError: cannot pickle"):
        Packer().pack((divmod, (Held(threading.Lock()),), {}))
