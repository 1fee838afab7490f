"""A user's mistake: exit code 2, one line on stderr that says what is allowed, nothing on stdout."""

import os
import shlex

import pytest

from tests.cli.conftest import refused
from tests.support.helpers import ASKS_ONCE
from wordpl.cli.execution import number_of_jobs

MISTAKES = """
score TwoGuess(18) --channel fibble | each clue of channel fibble has epsilon inf; write epsilon=inf
sweep TwoGuess() --game unlimited | unlimited games are for people, since a strategy would ask every word at epsilon 0
score TwoGuess() --epsilon 5 | stands in the strategy, as in "Greedy(epsilon=5)"; leave out --epsilon
watch TwoGuess(12) --game-seconds 3 | --game-seconds goes with --sandbox
watch TwoGuess(12) --lost --trial 0-5 | --lost shows one game
score Greedy(10) --trial 5 | --trials); see wordpl score --help
sweep Greedy(10) NGuess(2,3) -e 5 | Greedy(10) already has epsilon; remove it there, or give no other values of it
sweep NGuess() --grid n_guesses=2 --grid n_guesses=3 | n_guesses has two grids
sweep NGuess() --grid epsilon=2 | use --epsilon for epsilon
rank --criterion renyi --order 0 | order 0.0 is not allowed; 0.1 to 20, or inf, is expected
rank --after crate=..icc@nan | epsilon 'nan' is not allowed; a number from 0 to 1,000,000, or inf, is expected
score Greedy(10) -n 1e3 | a whole number from 1 to 100,000,000 is expected
contest start --record 6=3 | a record is a number above 0 at percentile 5, 50 or 95
contest start --margin=100 | a number from 0 to less than 100 is expected
contest start --start-seconds=inf | it must be finite
contest start --channel fibble | whose clues have a finite epsilon
contest submit mine.py --name X --ledger none.sqlite | wordpl contest start makes one
score Greedy(10) --first-trial 5 --until-width 0.1 | use either first_trial 5 or until_width
score Greedy(10) --words nyt2022 --answers guesses.txt | either the name of a bundled list or files
compare Greedy(9) Greedy(8) --game "contest (every answer)" | use wordpl score --game contest --every-answer
score Greedy(10) --every-answer -n 5 | --every-answer plays each answer once; leave out --trials, --first-trial and
score Greedy(10) --every-answer --until-width 0.1 | and --until-width
score mine.py --sandbox --until-width 0.1 | does not go with --until-width
compare TwoGuess(5) | give at least two strategies
compare TwoGuess() NGuess(2) --budget 12 -e 5 | use either --epsilon or --budget
compare TwoGuess(5) NGuess(2,4) --budget 9 | TwoGuess(5) already has epsilon
results guesses.txt --margin 0.1 | go with --compare
results guesses.txt --out t.parquet | t.parquet is for a row of each trial; add --games
results guesses.txt --out t.png | a picture go with --compare
score TwoGuess(18) --json --sort p50 | --json prints no table
score TwoGuess(18) --format latex --out t.csv | one table cannot be csv and latex
frontier --seed 2 | --seed go with --measure
rank --order 3 | --criterion renyi
rank --clues | name one
play --channel fibble --epsilon 3 | inf
play --game wordle:6 --channel ball:1 --hard | hard mode needs true clues
play --adversarial --epsilon 13 | exact clues
play --hard | add --epsilon inf
play --daily --date 2026-11-22 | use either --daily or --date
play --adversarial --daily | --adversarial, and a word of the day
solve --lies 1 --game wordle:9:crate | first row
solve --lies 1 --channel fibble:2 | --lies 1 and --channel fibble:2 both name the channel; leave out one
solve --channel randomized_response:12 --game contest | all clues of channel randomized_response:12 have one epsilon
clue crate haste --count 3 | are for noisy clues; add --epsilon
list NGuess --words nyt2023 | --words lists words, not strategies
list --every-guess | --every-guess is for words; add --words
tree build --format maps | --format is for a file; name it with --out
solve --lies 1 --epsilon 13 | leave out --epsilon 13, or --lies 1
solve --known ..a.e --has r --hard | hard mode needs your guesses
list -q -v | use either --quiet or --verbose
win-rate --records TwoGuess(5) | or --records
score mine.py --sandbox -o r.sqlite | does not go with --out
"""
"""Command | a part of what it says. What a room refuses in its own words is in its tests."""
ROWS = [row.split(" | ") for row in MISTAKES.strip().splitlines()]


@pytest.mark.parametrize("command", sorted({row.split()[0] for row, _ in ROWS}))
def test_one_line_and_exit_code_2(cli, tmp_path, command, subtests):
    """And no results file or ledger is left."""
    (tmp_path / "guesses.txt").write_text("crate\nhaste\n")
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    for row, said in ROWS:
        if row.split()[0] == command:
            with subtests.test(row):
                assert said in refused(cli, *shlex.split(row))
    assert [*tmp_path.rglob("*.sqlite")] == []


WORDS = ["--answers", "words.txt"]
FILES = ["/dev/zero", "pipe", "folder", "huge", "bytes", "deep", "n" * 5000]
READERS = [
    ["frontier", "--measure", "--family", "1 clue", "--points"],
    ["rank", "--answers"],
    ["tree", "check", *WORDS],
    ["tree", "prove", *WORDS, "-j", "1", "--certificate"],
    ["analyze", "crate", "haste", "--share"],
    ["check"],
    ["results"],
    ["contest", "board", "--ledger"],
]


@pytest.mark.heavy
@pytest.mark.parametrize("before", READERS, ids=" ".join)
def test_a_file_that_cannot_be_read(cli, tmp_path, before, subtests):
    (tmp_path / "words.txt").write_text("bread\ncrate\nhaste\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "bytes").write_bytes(bytes(range(255, 0, -1)) * 40)
    (tmp_path / "deep").write_text("[" * 100_000)
    for file in FILES:
        with subtests.test(file[:12]):
            refused(cli, *before, file)


def test_no_more_workers_than_cores():
    cores = len(os.sched_getaffinity(0))
    assert [number_of_jobs(jobs) for jobs in (0, 1, cores, 100_000)] == [cores, 1, cores, cores]
