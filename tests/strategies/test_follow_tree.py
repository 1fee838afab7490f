"""FollowTree plays its tree turn by turn; NGuess follows that of greedy entropy, and names what contradicts least."""

import math
from collections import Counter
from pathlib import Path

import pytest

import wordpl
from tests.support.helpers import ORIGINAL, SIX, SMALL, marks_of
from wordpl import Answer, Ask, Setting, Turn, WordList, WordplError, clue, evaluate, parse_strategy
from wordpl.library.follow_tree import FollowTree
from wordpl.library.n_guess import entropy_guess
from wordpl.wordle import Heuristic, Tree, optimal_tree


def saved(tmp_path: Path, words: WordList, rule: str = "counted", name: str = "minimax") -> tuple[str, Tree]:
    tree = wordpl.wordle.build_tree(words, Heuristic(name), rule=rule)
    tree.save(tmp_path / f"{name}.tree")
    return str(tmp_path / f"{name}.tree"), tree


@pytest.mark.parametrize("rule", ["counted", "letterwise"])
@pytest.mark.parametrize("words", [SMALL, SIX], ids=lambda words: words.name)
def test_turns_are_the_depths_of_the_tree(words, rule, tmp_path):
    file, tree = saved(tmp_path, words, rule)
    strategy, depth = FollowTree(file), {path[-1][0]: len(path) for path in tree.paths()}
    setting = Setting(words, rule, noiseless=True)
    referee, maker = wordpl.Referee(setting, seed=3), strategy.players(setting)
    turns = {}
    for trial in range(600):
        game = referee.play(trial, maker(trial))
        assert game.won and game.turns == depth[game.answer]
        assert all(turn.epsilon == math.inf for turn in game.history)
        turns[game.answer] = game.turns
    assert turns == depth  # every answer was met
    counted = {turn: list(turns.values()).count(turn) for turn in sorted(set(turns.values()))}
    assert counted == tree.distribution
    for format in ("contest", "wordle:20"):
        every = evaluate(strategy, words=words, rule=rule, format=format, every_answer=True)
        assert list(every.frame.answer) == list(words.answers) and every.turns == tree.distribution


def test_a_clue_of_present_letters_alone_is_no_win():
    words = WordList("anagrams", ("abc", "bca", "cab"), ("abc", "bca", "cab"))
    belief, history = wordpl.Posterior(words, "counted"), (Turn("abc", math.inf, 13),)
    assert wordpl.clue("abc", "bca", "counted").show() == "iii"
    assert belief.update("abc", math.inf, "iii").possible.tolist() == [1, 2]
    move = FollowTree(first_guess="abc").decide(Setting(words, "counted", noiseless=True), history)
    assert isinstance(move, wordpl.Ask) and move.guess in ("bca", "cab")


def test_the_optimal_tree_unless_told():
    tree = optimal_tree(SMALL, None, "counted")
    for strategy in (FollowTree(), FollowTree(first_guess="salet")):
        every = evaluate(strategy, words=SMALL, rule="counted", jobs=1, every_answer=True)
        assert every.turns == tree.distribution
    word = SMALL.guesses[3]
    move = FollowTree(first_guess=word).decide(Setting(SMALL, "counted", noiseless=True), ())
    assert move.guess == word


def test_another_tree_in_the_file_is_another_strategy_and_what_it_cannot_play_is_refused(tmp_path):
    file, tree = saved(tmp_path, SMALL)
    identity = FollowTree(file).identity
    optimal_tree(SMALL, SMALL.guesses[3]).save(file)
    assert FollowTree(file).identity != identity
    tree.save(file)
    assert FollowTree(file).identity == identity
    fewer = WordList("fewer", SMALL.answers[1:], SMALL.guesses)
    for strategy, words, rule, said in (
        (file, SMALL, "letterwise", "made under rule counted; the game has letterwise"),
        (file, fewer, "counted", "is for another list"),
        (str(tmp_path / "missing"), SMALL, "counted", r"cannot read tree .*missing"),
    ):
        with pytest.raises(WordplError, match=said):
            evaluate(FollowTree(strategy), 5, words=words, rule=rule, jobs=1)
    FollowTree(file, epsilon=9.0).check(Setting(SMALL))  # noisy clues it believes under any rule
    unseen = next(code for code in range(242) if code not in tree.root.children)
    with pytest.raises(WordplError, match="no answer fits"):
        FollowTree(file).decide(Setting(SMALL, "counted", noiseless=True), (Turn(tree.root.guess, math.inf, unseen),))


def entropy_of(guess, left, rule="counted"):
    sizes = Counter(int(clue(guess, answer, rule)) for answer in left).values()
    return -math.fsum(n / len(left) * math.log2(n / len(left)) for n in sizes)


# Each clue to an opener that some answers fit, and one whose first answer does not part the rest.
PATHS = sorted({((SMALL.guesses[7], int(clue(SMALL.guesses[7], answer, "counted"))),) for answer in SMALL.answers})


@pytest.mark.parametrize("path", [(), *PATHS, (("belle", 54),)], ids=str)
def test_the_tree_asks_the_largest_entropy_an_answer_that_is_left_on_a_tie(path):
    left = [a for a in SMALL.answers if all(int(clue(guess, a, "counted")) == code for guess, code in path)]
    guess = entropy_guess(SMALL, "counted", path)
    if len(left) <= 2:
        exact = Setting(SMALL, "counted", noiseless=True)
        move = parse_strategy("NGuess(3, inf)").decide(exact, tuple(Turn(word, math.inf, code) for word, code in path))
        assert guess == left[0] and (move == Answer(guess)) == (len(left) == 1)
        return
    best = max(entropy_of(word, left) for word in SMALL.guesses)
    assert entropy_of(guess, left) == pytest.approx(best, abs=1e-9)
    if any(entropy_of(word, left) >= best - 1e-9 for word in left):
        assert guess in left


def test_no_entry_gives_the_fallback():
    opener = "salet"
    impossible = (Turn(opener, 7.8, 242),)  # salet is no answer
    strategy = parse_strategy("NGuess(n_guesses=2, epsilon=7.8)")
    assert strategy.decide(Setting(ORIGINAL), impossible) == Ask("crust", 7.8)
    assert strategy.decide(Setting(ORIGINAL), ()) == Ask("salet", 7.8)
    other = parse_strategy("NGuess(2, 7.8, fallback='haste')")
    assert other.decide(Setting(ORIGINAL), impossible) == Ask("haste", 7.8)
    contradiction = (Turn(SMALL.guesses[7], 1.0, 0), Turn(SMALL.guesses[7], 1.0, 1))
    assert entropy_guess(SMALL, "counted", tuple((turn.guess, turn.clue) for turn in contradiction)) is None


def test_proposes_the_fewest_contradictions_weighted_by_budget():
    strategy = parse_strategy("NGuess(n_guesses=3, epsilon=(9, 5, 2))")
    for code in range(0, 240, 13):
        history = tuple(Turn(SMALL.guesses[code // 3 + k], (9.0, 5.0, 2.0)[k], code + k) for k in range(3))
        move = strategy.decide(Setting(SMALL), history)
        costs = {
            answer: sum(
                turn.epsilon
                * sum(a != b for a, b in zip(marks_of(turn.clue), marks_of(int(clue(turn.guess, answer))), strict=True))
                for turn in history
            )
            for answer in SMALL.answers
        }
        assert isinstance(move, Answer)
        assert costs[move.word] == min(costs.values())


def test_the_tree_rule_is_an_option():
    guess = next(word for word in SMALL.guesses if len(set(word)) < 4)
    code = next(
        code
        for code in range(243)
        if entropy_guess(SMALL, "counted", ((guess, code),)) != entropy_guess(SMALL, "letterwise", ((guess, code),))
    )
    for rule in ("counted", "letterwise"):
        strategy = parse_strategy(
            f"NGuess(2, 5, first_guess={guess!r}, tree='entropy', tree_rule={rule!r}, fallback={guess!r})"
        )
        expected = entropy_guess(SMALL, rule, ((guess, code),)) or guess
        assert strategy.decide(Setting(SMALL), (Turn(guess, 5.0, code),)) == Ask(expected, 5.0)
