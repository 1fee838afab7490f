"""`wordpl play`, by what is typed and what is shown."""

from __future__ import annotations

import sys

import pexpect
import pytest

from tests.cli.conftest import Cli, Run
from wordpl.model.words import load_words
from wordpl.play.seeds import Seeds


@pytest.fixture
def play(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    def run(lines: list[str], *arguments: str) -> Run:
        typed = iter(lines)

        def read(prompt: str = "") -> str:
            try:
                return next(typed)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)
        return cli("play", *arguments)

    return run


ANSWER = load_words().answers[Seeds(5).answer(0, 2315)]


def test_asking_and_proposing_the_answer_wins_with_what_was_spent(play) -> None:
    run = play(["crate", "salet 7.5", f"={ANSWER}"], "--seed", "5")
    assert run.code == 0
    assert "Right. Your score is 20.5." in run.out


def test_a_wrong_proposal_loses_and_shows_the_answer(play) -> None:
    run = play(["=aback"], "--seed", "5")
    assert "infinite" in run.out
    assert ANSWER in run.out


def test_at_infinity_asking_the_answer_ends_the_game(play) -> None:
    run = play(["crate", ANSWER], "--seed", "5", "--epsilon", "inf")
    assert "Right, in 2 turns." in run.out


def test_mistakes_are_told_and_the_game_goes_on(play) -> None:
    run = play(["qqqqq", "crate x", "crate 1 2", "crate -3", "=zzzzz", "", "help", "?", f"={ANSWER}"], "--seed", "5")
    assert run.code == 0
    assert "Right. Your score is 0." in run.out
    for told in ("'qqqqq' is not in the list of guesses", "is no move", "negative", "not in the list of answers"):
        assert told in run.out


def test_the_end_of_input_ends_the_game_with_the_answer(play) -> None:
    run = play(["crate"], "--seed", "5")
    assert run.code == 0
    assert f"The answer was {ANSWER}" in run.out


def test_the_same_seed_and_trial_are_the_same_game(play) -> None:
    first, again, other = (
        play(["crate", "salet", "quit"], "--seed", "5", "--trial", trial).out for trial in ("1", "1", "2")
    )
    assert first == again != other


def test_in_a_real_terminal() -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-c", "from wordpl.cli import main; main()", "play", "--seed", "5", "--epsilon", "inf"],
        encoding="utf-8",
        timeout=60,
    )
    child.expect("> ")
    child.sendline("crate")
    child.expect("spent inf")
    assert "\x1b[" in child.before  # colours
    child.expect("> ")
    # One that arrives between the prompt and the read is kept by Python until the next key, so it is pressed again.
    child.sendcontrol("c")
    while child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=2):
        child.sendcontrol("c")
    child.close()
    assert "Traceback" not in child.before
    assert child.exitstatus == 130


def test_the_adversarial_host_stays_alive_as_long_as_it_can(play) -> None:
    run = play(["salet", "courd", "nymph", "=brown", "never read"], "--adversarial")
    assert run.code == 0
    assert "Wrong: it could still be" in run.out
    assert ".i.i." in run.out


def test_the_adversarial_host_is_beaten_when_one_answer_is_left(play, tmp_path) -> None:
    (tmp_path / "two.txt").write_text("crate\nhaste\n")
    common = ["--adversarial", "--answers", "two.txt"]
    assert "Right, in 2 turns." in play(["crate", "haste"], *common).out
    assert "Right, in 2 turns." in play(["crate", "=haste"], *common).out
    assert "Right, in 2 turns." in play(["haste 3", "crate"], *common, "--epsilon", "inf").out


def test_leaving_the_adversarial_host_shows_what_is_left(play) -> None:
    assert "It could have been biddy or 220 others." in play(["salet", "quit"], "--adversarial").out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--epsilon", "13"], "exact clues"),
        (["--seed", "1"], "--seed"),
        (["--trial", "1"], "--trial"),
        (["--channel", "fibble"], "--channel"),
        (["--rule", "count"], "'counted'"),
    ],
)
def test_what_the_adversarial_host_has_no_use_for(play, arguments: list[str], named: str) -> None:
    run = play([], "--adversarial", *arguments)
    assert (run.code, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert named in run.err
