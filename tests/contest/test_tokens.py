"""Tokens: shown once, kept as a hash, one for a name, refused when revoked; and a ledger before and after them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contest.test_ledger import enter, finish, sql
from wordpl.contest.audit.chain import audit_chain
from wordpl.contest.ledger.schema import SCHEMA
from wordpl.contest.ledger.writer import Ledger
from wordpl.contest.uploads import queue as queue_module
from wordpl.contest.uploads.queue import PER_DAY, Queue, TokenError, Tokens, Upload
from wordpl.errors import WordplError


@pytest.fixture
def tokens(tmp_path: Path) -> Iterator[Tokens]:
    with Ledger(tmp_path / "contest.sqlite") as ledger:
        yield Tokens(ledger)


def test_a_token_is_its_name_s_and_is_nowhere_in_the_file(tokens: Tokens) -> None:
    one, other = tokens.make("Ann"), tokens.make("Bob", 7)
    assert one != other and len(one) > 40
    assert [(t.name, t.per_day, t.revoked, t.uploads, t.today) for t in tokens.all()] == [
        ("Ann", PER_DAY, None, 0, 0),
        ("Bob", 7, None, 0, 0),
    ]
    assert tokens.find(one).name == "Ann" and tokens.find(other).name == "Bob"
    kept = tokens._ledger.path.read_bytes()
    assert one.encode() not in kept and one.removeprefix("wordpl-").encode() not in kept
    assert hashlib.sha256(one.encode()).hexdigest().encode() in kept


def test_every_token_is_compared_whether_one_fits_or_not(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [tokens.make(f"Name {i}") for i in range(5)]
    compared: list[str] = []
    plain = hmac.compare_digest

    def compare(one: str, other: str) -> bool:
        compared.append(other)
        return plain(one, other)

    monkeypatch.setattr(queue_module.hmac, "compare_digest", compare)
    reads: list[str] = []
    tokens._ledger._db.set_trace_callback(reads.append)
    seen = []
    for text in (made[0], made[4], "wordpl-x"):
        compared.clear(), reads.clear()
        try:
            tokens.find(text)
        except TokenError:
            assert text == "wordpl-x"
        seen.append((len(compared), len(reads)))
    assert seen == [(5, 2)] * 3


def test_a_revoked_token_is_refused_and_its_name_is_free(tokens: Tokens) -> None:
    old = tokens.make("Ann")
    with pytest.raises(WordplError, match="there is a token for 'ann'"):
        tokens.make("ann")
    with pytest.raises(WordplError, match=r"no token for 'Bob'; wordpl serve tokens"):
        tokens.revoke("Bob")
    tokens.revoke("Ann")
    with pytest.raises(TokenError):
        tokens.find(old)
    with pytest.raises(WordplError, match="no token"):
        tokens.revoke("Ann")
    new = tokens.make("Ann")
    assert tokens.find(new).name == "Ann"
    assert [bool(token.revoked) for token in tokens.all()] == [True, False]


def test_revoking_refuses_what_waits(tmp_path: Path) -> None:
    with Queue(tmp_path / "contest.sqlite") as queue:
        ann, bob = queue.tokens.make("Ann"), queue.tokens.make("Bob")
        hers, his = (queue.enqueue(token, Upload("mine.py", b"x = 1\n")) for token in (ann, bob))
        queue.tokens.revoke("Ann")
        assert (queue.item(hers.id).state, queue.item(his.id).state) == ("refused", "waiting")
        assert queue.item(hers.id).reason == "its token was revoked"
        with pytest.raises(WordplError, match="not kept"):
            queue.upload(hers)


@pytest.mark.parametrize(("name", "per_day"), [("", 3), ("<b>", 3), ("x" * 61, 3), ("Ann", 0), ("Ann", 1001)])
def test_what_is_not_allowed_makes_no_token(name: str, per_day: int, tokens: Tokens) -> None:
    with pytest.raises(WordplError, match="is not allowed"):
        tokens.make(name, per_day)
    assert tokens.all() == []


def test_there_is_a_bound_on_tokens(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "MOST_TOKENS", 2)
    tokens.make("Ann"), tokens.make("Bob")
    with pytest.raises(WordplError, match="2 tokens, which is the most"):
        tokens.make("Cid")
    tokens.revoke("Ann")
    tokens.make("Cid")


# The file.


def test_a_ledger_of_before_is_made_ready_in_place_and_still_fits(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    with Ledger(path) as old:
        entry = finish(old, enter(old))
        before = old.events(), old.standings(entry), old.trials_digest(entry)
    with Queue(path) as now:
        token = now.tokens.make("Ann")
        assert (now.ledger.events(), now.ledger.standings(entry), now.ledger.trials_digest(entry)) == before
    for read_only in (False, True):
        with Ledger(path, must_exist=True, read_only=read_only) as found:
            assert found.entry(entry.id) == entry
            assert audit_chain(found) == [] and found.damage() == []
    with Queue(path, must_exist=True) as again:
        assert again.tokens.find(token).name == "Ann"


def test_a_file_with_half_of_the_tables_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    Queue(path).close()
    sql(path, "DROP TABLE uploads")
    for make in (Ledger, Queue):
        with pytest.raises(WordplError, match="its table 'uploads' is not"):
            make(path)
    assert "uploads" not in SCHEMA
