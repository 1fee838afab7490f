"""A user's mistake: exit code 2, one line on stderr that says what is allowed, nothing on stdout."""

import os
import shlex

import pytest

from tests.cli.conftest import refused
from tests.support.helpers import ASKS_ONCE
from wordpl.base import clusters
from wordpl.cli.execution import number_of_jobs

MISTAKES = """
scor Greedy(10) | Did you mean 'score'
score | Missing argument 'STRATEGY'; see wordpl score --help
score "TwoGuess(18, first_guess=crate)" | first_guess: crate is no number; write 'crate', with quotes
score TwoGuess(18) --channel fibble | each clue of channel fibble has epsilon inf; write epsilon=inf
score TwoGuess(18) --game wordle | '--game': 'wordle' is not a game; write contest, unlimited, wordle:N with N
sweep TwoGuess() --game unlimited | unlimited games are for people, since a strategy would ask every word at epsilon 0
score TwoGuess(.6931) --channel levels:2,1,1,1,1,1 | write epsilon=0.6931471805599453 in the strategy
score TwoGuess() --epsilon 5 | stands in the strategy, as in "Greedy(epsilon=5)"; leave out --epsilon
watch NGuess(2,18) -e 5 | as in "Greedy(epsilon=5)"
watch TwoGuess(12) --game-seconds 3 | --game-seconds goes with --sandbox
watch TwoGuess(12) --lost --trial 0-5 | --lost shows one game
help play | No such command 'help'; see wordpl --help
score Greedy(10) --trial 5 | --trials); see wordpl score --help
clue crate haste salet | unexpected extra argument(s) (salet)
sweep Greedy(10) NGuess(2,3) -e 5 | Greedy(10) already has epsilon; remove it there, or give no other values of it
sweep NGuess() --grid n_guesses | grid 'n_guesses' is not NAME=GRID
sweep NGuess() --grid n_guesses=2 --grid n_guesses=3 | n_guesses has two grids
sweep NGuess() --grid epsilon=2 | use --epsilon for epsilon
sweep NGuess() --grid n_guesses=1:1e9:1 | has 1000000000 values; at most 10000 are allowed
sweep Greedy() --epsilon 1:1e9:0.001 | has 999999999002 values; at most 10000 are allowed
rank --epsilon -inf | has an epsilon that is not above 0
rank --criterion renyi --order 0 | order 0.0 is not allowed; 0.1 to 20, or inf, is expected
rank --after crate=..icc@nan | epsilon 'nan' is not allowed; a number from 0 to 1,000,000, or inf, is expected
score Greedy(10) -n 100000001 | '--trials' / '-n': a whole number from 1 to 100,000,000 is expected
score Greedy(10) -n 1e3 | a whole number from 1 to 100,000,000 is expected
score Greedy(10) -j -1 | '--jobs' / '-j': a whole number from 0 up is expected
score Greedy(10) --until-width nan | a number between 0 and 1 is expected
score Greedy(10) --game-seconds nan | '--game-seconds': a number above 0, or inf, is expected
win-rate NGuess(2,7) --sample --standard-error 1e-300 | 1e-07 is the least
win-rate NGuess(2,7) --sample --standard-error nan | a number between 0 and 1 is expected
contest start --record 6=3 | a record is a number above 0 at percentile 5, 50 or 95
contest start --record 5=-1 | a record is a number above 0
contest start --record 5=x | '--record': '5=x' is not PERCENTILE=BUDGET
contest start --margin=100 | a number from 0 to less than 100 is expected
contest start --start-seconds=inf | it must be finite
play --trial 9223372036854775808 | a whole number from 0 to 2**63 - 1 is expected
score Greedy(10) --seed -1 | '--seed': a whole number from 0 to 2**256 - 1 is expected; see wordpl score --help
score Greedy(10) -n 0 | a whole number from 1 to 100,000,000 is expected
score Greedy(10) --first-trial -1 | a whole number from 0 up is expected
score Greedy(10) --until-width 1 | a number between 0 and 1 is expected
rank -k 0 | a whole number from 1 to 100,000 is expected
clue crate haste -e 0 | a number above 0 up to 1,000,000, or inf, is expected
check mine.py --memory 0 | a whole number from 1 to 1,048,576 is expected
contest start --channel fibble | whose clues have a finite epsilon
contest submit nowhere.py --name X | cannot read 'nowhere.py'
contest submit mine.py --name X --ledger none.sqlite | wordpl contest start makes one
contest submit mine.py --name =1+1 | name
contest start --start-seconds 0 | a number above 0, or inf, is expected
score Greedy(10) --first-trial 5 --until-width 0.1 | use either first_trial 5 or until_width
score Greedy(10) --words nyt2022 --answers guesses.txt | either the name of a bundled list or files
score Greedy(10) --words original --guesses guesses.txt | either the name of a bundled list or files
solve --words original --answers guesses.txt | either the name of a bundled list or files
plot none.sqlite --label NGuess | CURVE=LABEL
compare Greedy(9) Greedy(8) --game "contest (every answer)" | use wordpl score --game contest --every-answer
score Greedy(10) --every-answer -n 5 | --every-answer plays each answer once; leave out --trials, --first-trial and
score Greedy(10) --every-answer --first-trial 0 | leave out --trials, --first-trial
score Greedy(10) --every-answer --until-width 0.1 | and --until-width
score mine.py --sandbox --until-width 0.1 | does not go with --until-width
score mine.py --sandbox --first-trial 0 | does not go with --first-trial
score mine.py --sandbox --cluster tcp://127.0.0.1:1 | does not go with --cluster
compare TwoGuess(5) | give at least two strategies
compare TwoGuess() NGuess(2) --budget 12 -e 5 | use either --epsilon or --budget
compare TwoGuess(5) NGuess(2,4) --budget 9 | TwoGuess(5) already has epsilon
results guesses.txt --margin 0.1 | go with --compare
results guesses.txt --timings | --timings is for a row of each trial; add --games
results guesses.txt --games --out t.csv --out u.csv | to one file
results guesses.txt --out t.parquet | t.parquet is for a row of each trial; add --games
results guesses.txt --out t.png | a picture go with --compare
results guesses.txt --games --out t.csv --compare | use one of --compare, --provenance and --games
results guesses.txt --games --out t.csv --json | without --format, --json and --sort
results guesses.txt --games --out t.csv --sort p50 | and prints no table
results guesses.txt --compare --provenance | use one of --compare, --provenance and --games
results guesses.txt --statistic p50 | go with --compare
score TwoGuess(18) --json --sort p50 | --json prints no table; leave out --json or --sort
score TwoGuess(18) --format json --sort p50 | --json prints no table
score TwoGuess(18) --format latex --out t.csv | one table cannot be csv and latex
compare TwoGuess(5) TwoGuess(6) --out a.db --out b.db | give a.db or b.db
frontier --family "6 clues" | '--family': unknown name '6 clues'; did you mean '5 clues'? choose
frontier --seed 2 | --seed go with --measure
rank --order 3 | --criterion renyi
rank --clues | name one
rank --after crate=ccccc --after salet=ccccc | no answer fits
play --channel fibble --epsilon 3 | inf
play --game wordle:6 --channel ball:1 --hard | hard mode needs true clues
play --adversarial --epsilon 13 | exact clues
play --hard | add --epsilon inf
play --daily --date 2026-11-22 | use either --daily or --date
play --date 2026-02-30 | Invalid value for '--date'
play --daily --seed 3 | leave out
play --daily --epsilon 13 | leave out
play --daily --lies 2 | a word of the day, have exact clues
play --daily --answer crate | --answer, --epsilon, --channel, --lies and --game
play --adversarial --daily | --adversarial, and a word of the day
play --adversarial --game wordle:6 | leave out
play --adversarial --trial 2 | leave out
play --answer zzzzz | 'zzzzz' is not among the guesses of original
play --game wordle:6 --channel randomized_response:0 | above 0
solve --lies 1 --game wordle:9:crate | first row
solve --lies 1 --channel fibble:2 | --lies 1 and --channel fibble:2 both name the channel; leave out one
solve --lies 0 --channel fibble:2 | --lies 0 and --channel fibble:2 both name the channel
solve --channel randomized_response:12 --game contest | all clues of channel randomized_response:12 have one epsilon
clue crate haste --count 3 | are for noisy clues; add --epsilon
clue crate haste --seed 3 | are for noisy clues
list NGuess --words nyt2023 | --words lists words, not strategies
list --every-guess | --every-guess is for words; add --words
tree build --format maps | --format is for a file; name it with --out
solve --lies 1 --epsilon 13 | leave out --epsilon 13, or --lies 1
solve --channel fibble --epsilon 13 | or use --channel randomized_response:13
solve --words original crate | 'crate' is not a guess with its clue
solve --known ..q.z | no answer of nyt2023 fits ..q.z; check the letters
solve --known ..a.e --has r --hard | hard mode needs your guesses
analyze --channel ball:1 crate solar --answer solar | do not follow from the answer
analyze --answer solar '{"guess":"crate"}' | the game is given as JSON; write each guess and its clue
solve --has r:4 | or r:-4 for an r that is not in place 4
solve --not r:4 | write them together, as stn
serve --host 192.0.2.1 | 127.0.0.1 and 0.0.0.0 are common
tree prove --certificate /dev/null/proof.txt | File exists
list -q -v | use either --quiet or --verbose
win-rate --records TwoGuess(5) | or --records
win-rate TwoGuess(4) -e 4,9 | TwoGuess(4) already has epsilon
win-rate | give either strategies
check mine.py --games 10001 | from 1 to 10,000 is
frontier --points p.jsonl | go with --measure
play --lies 9 | from 0 to 8 is
play --adversarial --seed 1 | leave out
play --adversarial --channel fibble | leave out
play --daily --trial 2 | leave out
results guesses.txt --games | to one file
results guesses.txt --games --out t.csv --format csv | without --format
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


@pytest.mark.heavy
def test_a_cluster_that_is_looked_for_is_named_before_it_is_found(cli, monkeypatch):
    assert clusters._CONNECT_SECONDS == 10.0
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 0.2)
    run = cli("score", "TwoGuess(12)", "-n", "2", "--cluster", "tcp://127.0.0.1:1")
    assert run.code == 2
    looking, refusal = run.err.splitlines()
    assert looking == "looking for the cluster tcp://127.0.0.1:1, for up to 10 s, and for a worker, for up to 300 s"
    assert refusal.startswith("wordpl: the cluster tcp://127.0.0.1:1 cannot be reached")


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
