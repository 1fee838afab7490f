"""The commands for whoever hosts the contest: tokens, and what came in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from wordpl.contest.uploads.queue import Queue, TokenError, Upload

LEDGER = ("--ledger", "contest.sqlite")


def test_a_token_alone_is_on_stdout_and_can_be_revoked(cli: Cli) -> None:
    made = cli("serve", "token", "Ann", *LEDGER, "--per-day", "5")
    assert made.code == 0 and made.out.startswith("wordpl-") and made.out.count("\n") == 1
    with Queue("contest.sqlite") as queue:
        assert (queue.tokens.find(made.out.strip()).name, queue.tokens.find(made.out.strip()).per_day) == ("Ann", 5)
    assert "there is a token for 'Ann'" in refused(cli, "serve", "token", "Ann", *LEDGER)
    (told,) = json.loads(cli("serve", "tokens", *LEDGER, "--json").out)
    assert (told["name"], told["per_day"], told["today"], told["revoked"]) == ("Ann", 5, 0, None)
    assert "digest" not in told and "Ann" in cli("serve", "tokens", *LEDGER).out
    assert cli("serve", "revoke", "Ann", *LEDGER).code == 0
    assert json.loads(cli("serve", "tokens", *LEDGER, "--json").out)[0]["revoked"] is not None
    refused(cli, "serve", "revoke", "Ann", *LEDGER)
    with Queue("contest.sqlite") as queue, pytest.raises(TokenError):
        queue.tokens.find(made.out.strip())


@pytest.mark.parametrize(
    "command", [("tokens",), ("revoke", "Ann"), ("uploads",), ("fetch", "x", "--out", "x.py")], ids=" ".join
)
def test_only_the_first_token_makes_a_ledger(cli: Cli, command: tuple[str, ...]) -> None:
    assert "no contest file" in refused(cli, "serve", *command, *LEDGER) and not Path("contest.sqlite").exists()


def test_what_came_in_is_listed_and_can_be_had(cli: Cli) -> None:
    with Queue("contest.sqlite") as queue:
        token = queue.tokens.make("Ann")
        kept, given_back = (queue.enqueue(token, Upload("mine.py", content)) for content in (b"x = 1\n", b"x = 2\n"))
        queue.refuse(given_back, "it failed")
    listed = json.loads(cli("serve", "uploads", *LEDGER, "--json").out)
    assert [(one["id"], one["state"], one["entry"]) for one in listed] == [
        (given_back.id, "refused", None),
        (kept.id, "waiting", None),
    ]
    shown = cli("serve", "uploads", *LEDGER).out
    assert kept.id in shown and "it failed" in shown
    assert cli("serve", "fetch", kept.id, "--out", "theirs.py", *LEDGER).code == 0
    assert Path("theirs.py").read_bytes() == b"x = 1\n"
    for wrong, name, said in (
        (given_back.id, "new.py", "not kept"),
        ("unknown", "new.py", "no upload 'unknown'"),
        (kept.id, "theirs.py", "is there already"),
    ):
        assert said in refused(cli, "serve", "fetch", wrong, "--out", name, *LEDGER)
