"""The commands for whoever hosts the contest: tokens, and what came in."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import refused
from wordpl.contest.uploads.queue import Queue, TokenError

LEDGER = ("--ledger", "contest.sqlite")


def test_a_token_alone_is_on_stdout_and_can_be_revoked(cli):
    made = cli("contest", "token", "Ann", *LEDGER, "--per-day", "5")
    assert made.code == 0 and made.out.startswith("wordpl-") and made.out.count("\n") == 1
    with Queue("contest.sqlite") as queue:
        assert (queue.tokens.find(made.out.strip()).name, queue.tokens.find(made.out.strip()).per_day) == ("Ann", 5)
    assert "there is a token for 'ann'" in refused(cli, "contest", "token", "ann", *LEDGER)
    (told,) = json.loads(cli("contest", "tokens", *LEDGER, "--json").out)
    assert (told["name"], told["per_day"], told["today"], told["revoked"]) == ("Ann", 5, 0, None)
    assert "digest" not in told and "Ann" in cli("contest", "tokens", *LEDGER).out
    assert "add --yes to confirm" in refused(cli, "contest", "revoke", "Ann", *LEDGER)
    assert cli("contest", "revoke", "Ann", *LEDGER, "--yes").code == 0
    assert json.loads(cli("contest", "tokens", *LEDGER, "--json").out)[0]["revoked"] is not None
    assert "no token for 'Ann'; wordpl contest tokens" in refused(cli, "contest", "revoke", "Ann", *LEDGER, "--yes")
    assert cli("contest", "token", "Ann", *LEDGER).code == 0
    with Queue("contest.sqlite") as queue, pytest.raises(TokenError):
        queue.tokens.find(made.out.strip())


@pytest.mark.parametrize(
    "command", ["tokens", "revoke Ann", "uploads", "fetch x --out x.py", "close", "record 5=9", "clear x --reason y"]
)
def test_only_the_first_token_makes_a_ledger(cli, command):
    assert "no contest file" in refused(cli, "contest", *command.split(), *LEDGER)
    assert not Path("contest.sqlite").exists()


def test_what_came_in_is_listed_and_can_be_had(cli):
    with Queue("contest.sqlite") as queue:
        token = queue.tokens.make("Ann")
        kept, given_back = (queue.enqueue(token, "mine.py", content) for content in (b"x = 1\n", b"x = 2\n"))
        queue.refuse(given_back, "it failed")
    listed = json.loads(cli("contest", "uploads", *LEDGER, "--json").out)
    assert [(one["id"], one["state"], one["entry"]) for one in listed] == [
        (given_back.id, "refused", None),
        (kept.id, "waiting", None),
    ]
    assert cli("contest", "fetch", kept.id, "--out", "theirs.py", *LEDGER).code == 0
    assert Path("theirs.py").read_bytes() == b"x = 1\n"
    for wrong, name, said in ((given_back.id, "new.py", "not kept"), (kept.id, "theirs.py", "is there already")):
        assert said in refused(cli, "contest", "fetch", wrong, "--out", name, *LEDGER)
