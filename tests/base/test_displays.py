"""How objects show themselves: what people look at on one short line, some as HTML."""

import wordpl
from tests.support.helpers import SMALL, TINY
from wordpl import Setting, WordList
from wordpl.base.displays import LONGEST, counted, cut, percent
from wordpl.wordle.session import Assistant

# A name that would break a line, a terminal and a page.
HOSTILE = '<script>alert("1")</script>\x1b[2J\n' + 9 * "long "
BAD_WORDS = WordList(HOSTILE + 300 * "x", TINY.answers, TINY.guesses)


def test_what_people_look_at_says_in_a_short_line_what_it_is():
    strategy = wordpl.parse_strategy("NGuess(1, 9.0)")
    run = wordpl.sweep([strategy, "Greedy(10)"], 4, words=SMALL)
    turns = wordpl.wordle.read_finished(
        [f"{word}!" for word in SMALL.answers[:3]], SMALL, answer=SMALL.answers[2]
    ).turns
    tree = wordpl.wordle.build_tree(SMALL, wordpl.wordle.Heuristic())
    for thing in (
        *(Setting(BAD_WORDS), BAD_WORDS, wordpl.Posterior(BAD_WORDS), wordpl.Clue(17), wordpl.Fibble(lies=2)),
        *(wordpl.RandomizedResponse(13.0), tree, tree.root, run, *run, wordpl.compare(strategy, "Greedy(9)", trials=4)),
        *(wordpl.limits.Policy(9.0, 1, {(): ("crate", 9.0)}, made_by=HOSTILE), wordpl.contest.Limits()),
        *(wordpl.limits.compute_win_rate(strategy, Setting(TINY)), wordpl.watch(strategy, 0, words=SMALL)),
        *(Assistant(Setting(SMALL)), *Assistant(Setting(SMALL)).suggestions(1)),
        wordpl.wordle.analyze(Setting(SMALL, "counted"), turns),
    ):
        line = repr(thing)
        assert len(line) <= LONGEST and line.isprintable() and type(thing).__name__ in line, line
        assert " object at 0x" not in line and "array(" not in line, line
    assert repr(wordpl.Clue(17)) == "<Clue ..icc>"
    assert repr(run[1]).startswith("<Evaluation Greedy(epsilon=10.0): 4 trials, win rate ")


def test_parts_of_a_line():
    assert [cut("clues", most) for most in (4, 5)] == ["clu…", "clues"]
    assert [counted(n, "ask") for n in (0, 1, 2)] == ["0 asks", "1 ask", "2 asks"]
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]


def test_only_what_is_certain_or_cannot_be_is_0_or_100_percent():
    shown = {0: "0", 1e-6: "0.0001%", 0.1234: "12.3%", 0.9949: "99.5%", 0.9996: "99.96%", 0.9999: "99.99%"}
    shown |= {0.99991: "over 99.99%", 1 - 1e-11: "over 99.99%", 1 - 1e-13: "100%", 1: "100%"}
    assert {chance: percent(chance) for chance in shown} == shown
    assert [percent(chance, 2) for chance in (0.994, 0.996)] == ["99%", "99.6%"]
