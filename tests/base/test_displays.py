"""How objects show themselves: what people look at on one short line, some as HTML."""

import pytest

import wordpl
from tests.support.helpers import SMALL, TINY
from tests.support.ledgers import enter, finish, started
from wordpl import Setting, WordList, make_task
from wordpl.base.displays import LONGEST, counted, cut
from wordpl.library.greedy import Greedy
from wordpl.wordle.session import Assistant

# A name that would break a line, a terminal and a page.
HOSTILE = '<script>alert("1")</script>\x1b[2J\n' + 9 * "long "
BAD_WORDS = WordList(HOSTILE + 300 * "x", TINY.answers, TINY.guesses)
TASKS = [make_task(Greedy(epsilon), 1, words=SMALL) for epsilon in (10.0, 40.0)]


@pytest.fixture(scope="module")
def displayed(tmp_path_factory):
    """What people look at in a notebook, with names that would break a line where there is a name."""
    folder = tmp_path_factory.mktemp("displayed") / ("long" * 50)
    folder.mkdir()
    tree = wordpl.wordle.build_tree(SMALL, wordpl.wordle.Heuristic())
    run = wordpl.sweep(TASKS, 4)
    comparison = wordpl.compare([(TASKS[0], TASKS[1])], trials=4)
    strategy = wordpl.parse_strategy("NGuess(1, 9.0)")
    policy = wordpl.limits.Policy(9.0, 1, {(): ("crate", 9.0)}, made_by=HOSTILE)
    analysis = wordpl.wordle.analyze(
        Setting(SMALL, "counted"),
        wordpl.wordle.read_finished([f"{word}!" for word in SMALL.answers[:3]], SMALL, answer=SMALL.answers[2]).turns,
    )
    with wordpl.Store(folder / "run.sqlite") as store, started(folder / "contest.sqlite") as ledger:
        wordpl.sweep(TASKS, 4, store=store)
        yield [
            *(Setting(BAD_WORDS), BAD_WORDS, wordpl.Posterior(BAD_WORDS), wordpl.Clue(17), wordpl.Fibble(lies=2)),
            *(wordpl.RandomizedResponse(13.0), tree, tree.root, run, *run),
            *(comparison, *wordpl.simulation.read_outcomes(store), policy),
            *(wordpl.limits.compute_win_rate(strategy, Setting(TINY)), wordpl.watch(Greedy(10.0), 0, words=SMALL)),
            *(
                Assistant(Setting(SMALL)),
                *Assistant(Setting(SMALL)).suggestions(1),
                analysis,
                wordpl.contest.Limits(),
                ledger,
                ledger.contest,
            ),
            finish(ledger, enter(ledger, "A name")),
        ]


def test_what_people_look_at_says_in_a_short_line_what_it_is(displayed):
    for thing in displayed:
        line = repr(thing)
        assert len(line) <= LONGEST and line.isprintable(), line
        assert type(thing).__name__ in line
        assert " object at 0x" not in line and "array(" not in line, line
    lines = [repr(thing) for thing in displayed]
    assert "<Clue ..icc>" in lines
    assert any(line.startswith("<Evaluation Greedy(epsilon=10.0): 4 trials, win rate ") for line in lines)


def test_parts_of_a_line():
    assert [cut("clues", most) for most in (4, 5)] == ["clu…", "clues"]
    assert [counted(n, "ask") for n in (0, 1, 2)] == ["0 asks", "1 ask", "2 asks"]
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]


def test_no_line_tells_a_seed_or_a_secret_that_a_referee_keeps(displayed, tmp_path):
    (tmp_path / "mine.py").write_text("class Mine:\n    pass\n")
    submission = wordpl.contest.load_submission(f"{tmp_path / 'mine.py'}:Mine(epsilon=18)")
    referee = wordpl.Referee(Setting(SMALL), 98765432109)
    contest = wordpl.contest.ContestRun(
        submission, Setting(SMALL), 98765432109, wordpl.contest.Limits(), wordpl.contest.Trusted()
    )
    game = referee.open(0)
    assert "98765432109" not in f"{referee!r}{contest!r}{game!r}"
    assert game.game.answer not in repr(game)
    seeds = displayed[-2]
    assert not [
        seed for seed in (seeds.provisional_seed, seeds.final_seed) for thing in displayed if seed in repr(thing)
    ]
