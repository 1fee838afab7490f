"""Proofs over all openers, right, and refused by the checker when anything is off; and the trees that are kept.
`tests/chaos` kills proofs."""

from functools import cache
from pathlib import Path

import pytest

import wordpl
from tests.support.helpers import ORIGINAL, list_of
from tests.support.refusals import refusal
from tests.wordle.trees.brute import Brute, random_words
from wordpl import RULES, WordList, WordplError, load_words
from wordpl.wordle import Heuristic, Solution, Tree, build_tree, check_certificate, optimal_tree, prove, solve_tree
from wordpl.wordle.trees import optimal_trees
from wordpl.wordle.trees import prove as module
from wordpl.wordle.trees.optimal import solve
from wordpl.wordle.trees.optimal.solver import OpenerResult
from wordpl.wordle.trees.prove import Certificate, read_certificate

WORDS = random_words(11, most=8)
COMMITTED = Path(__file__).parents[3] / "experiments" / "tables" / "optimum_original.txt"


@pytest.fixture
def proven(tmp_path):
    """A finished certificate of WORDS, and its tree."""
    path = tmp_path / "proof.txt"
    tree, _ = prove(WORDS, path)
    return path, tree


@cache
def least_totals(words: WordList, rule: str = "counted", hard: bool = False) -> dict[str, float]:
    """The least total of each opener, by brute force."""
    brute = Brute(words, rule, hard)
    return {opener: brute.opener(opener, brute.enough) for opener in words.guesses}


def assert_true(certificate: Certificate, words: WordList, rule: str = "counted", hard: bool = False) -> None:
    """Every verdict agrees with brute force."""
    least = least_totals(words, rule, hard)
    best = min(least.values())
    assert certificate.claim.best == best and not certificate.open
    assert certificate.totals == {opener: total for opener, total in least.items() if total == best}
    assert certificate.bounds.keys() == least.keys() - certificate.totals.keys()
    assert all(best < bound <= least[opener] for opener, bound in certificate.bounds.items())


@pytest.mark.parametrize(("rule", "hard"), [("counted", False), ("letterwise", False), ("counted", True)])
@pytest.mark.parametrize("seed", range(2))
def test_agrees_with_brute_force(seed, rule, hard, tmp_path):
    words = random_words(seed + 300)
    tree, certificate = prove(words, tmp_path / "proof.txt", rule=rule, hard=hard)
    assert_true(certificate, words, rule, hard)
    turns = wordpl.wordle.verify(tree, words, hard=hard)
    assert sum(turn * n for turn, n in turns.items()) == certificate.claim.best
    checked = check_certificate(tmp_path / "proof.txt", words, tree, sample=len(words.guesses))
    assert checked == certificate


def test_kept_verdicts_are_not_searched_again(proven, monkeypatch):
    path, _ = proven
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    searched: list[int] = []
    found = module._verdicts

    def counting(claim: module.Claim, openers: list[int]) -> list[tuple[str, str, int]]:
        assert path.read_bytes().endswith(b"\n"), "a line that was cut is gone before another follows it"
        searched.extend(openers)
        return found(claim, openers)

    monkeypatch.setattr(module, "_verdicts", counting)
    path.write_bytes(b"".join(lines[:6]) + lines[6][:4])
    prove(WORDS, path)
    assert sorted(WORDS.guesses[guess] for guess in searched) == list(WORDS.guesses[5:])
    searched.clear()
    prove(WORDS, path)
    assert searched == []


@pytest.mark.parametrize("hard", [False, True])
def test_a_better_opener_than_the_quick_search_found(hard, proven, tmp_path, monkeypatch):
    """A quick search that comes back with a bad opener: the proof finds the best one all the same."""
    bad = max(proven[0].read_text().splitlines()[1:], key=lambda row: int(row.split(",")[2])).split(",")[0]

    asked: list[object] = []

    def quick(words: WordList, first: str | None = None, **given: object) -> Solution:
        asked.append((given["rule"], given["hard"]))
        return solve_tree(words, first or bad, **given)

    monkeypatch.setattr(module, "solve_tree", quick)
    path = tmp_path / "again.txt"
    tree, certificate = prove(WORDS, path, hard=hard)
    assert_true(certificate, WORDS, hard=hard)
    assert set(asked) == {("counted", hard)}
    assert tree.total == certificate.claim.best < solve_tree(WORDS, bad, hard=hard).tree.total
    whole = path.read_bytes()
    for size in (len(whole), len(whole) - 3, whole.index(b"\n") + 1):  # killed after the better opener was found
        path.write_bytes(whole[:size])
        again, certificate = prove(WORDS, path, hard=hard)
        assert again.total == tree.total
        assert_true(certificate, WORDS, hard=hard)
    replayed: list[object] = []
    monkeypatch.setattr(module, "verify", lambda *given, **mode: replayed.append(mode))
    check_certificate(path, WORDS, tree)
    assert replayed == [{"hard": hard}]  # a tree of that total may break hard mode


def test_a_certificate_that_cannot_be_used_is_an_error_before_the_search(tmp_path, monkeypatch):
    (tmp_path / "other.txt").write_text("no certificate\n")
    monkeypatch.setattr(module, "solve_tree", None)
    for bad, said in (("", "is a folder"), ("missing/a.txt", "No such file"), ("other.txt", "should state the claim")):
        with pytest.raises((WordplError, OSError), match=said):
            prove(WORDS, tmp_path / bad)


def test_another_claim_is_not_touched(proven):
    path, tree = proven
    whole = path.read_text()
    header, *rows = whole.splitlines()
    assert header == f"# wordpl proof 1; words {WORDS.digest}; rule counted; hard 0; best {tree.total}"
    assert [row.split(",")[0] for row in rows] == list(WORDS.guesses)
    for given in ({"rule": "letterwise"}, {"hard": True}):
        assert "is a certificate of another claim; move it away" in refusal(prove, WORDS, path, **given)
        assert path.read_text() == whole
    path.write_text(f"{header[: -len(str(tree.total))]}{tree.total + 1}\n")  # a tree that is known takes less
    assert "of another claim" in refusal(prove, WORDS, path)
    low = "\n".join([header, rows[0].replace(rows[0].partition(",")[2], f"total,{tree.total - 1}"), *rows[1:]])
    path.write_text(low + "\n")
    assert f"is wrong about {WORDS.guesses[0]}: searched again, its total is" in refusal(prove, WORDS, path)
    forged = whole.replace(f"best {tree.total}", f"best {tree.total - 1}").replace(",total,", ",bound,")
    path.write_text(forged)
    assert f"claims {tree.total - 1}, which no opener reaches" in refusal(prove, WORDS, path)


def refused(path: Path, text: str, message: str, tree: Tree, words: WordList = WORDS) -> None:
    path.write_text(text)
    with pytest.raises(WordplError, match=message):
        check_certificate(path, words, tree, sample=len(words.guesses))


def test_the_checker_refuses(proven):
    path, tree = proven
    whole, best = path.read_text(), tree.total
    lines = whole.splitlines(keepends=True)
    refused(path, whole[:-4], "is not finished: 1 openers have no verdict", tree)
    refused(path, whole + lines[3], "is not a verdict; .* once for each guess", tree)
    refused(path, whole + "zzz,bound,99\n", f"line {len(lines) + 1}: 'zzz,bound,99' is not a verdict", tree)
    refused(path, "", "is not a certificate", tree)
    for other in (0, 2):
        message = f"format {other}, and this wordpl reads format 1: make it anew"
        refused(path, whole.replace("proof 1", f"proof {other}"), message, tree)
    refused(path, whole, "was made for another word list", tree, random_words(12))
    other = build_tree(WORDS, Heuristic("greedy"), first=min(read_certificate(path, WORDS).bounds))
    refused(path, whole, f"claims {best}, but the tree takes {other.total}", other)
    with pytest.raises(WordplError, match=r"not in the list|misses|letters|no path|is for another list"):
        check_certificate(path, WORDS, build_tree(random_words(12), Heuristic()))
    path.write_text(whole)
    certificate = read_certificate(path, WORDS)  # its verdicts are forged, one after the other
    bound, exact = min(certificate.bounds), min(certificate.totals)
    row = f"{bound},bound,{certificate.bounds[bound]}\n"
    refused(path, whole.replace(row, f"{bound},bound,{best}\n"), f"'{bound},bound,{best}' is not a verdict", tree)
    low = f"proves too little: {bound} is proved from {best - 1} only, not {best}$"
    refused(path, whole.replace(row, f"{bound},total,{best - 1}\n"), low, tree)
    refused(path, whole.replace(row, f"{bound},total,{best}\n"), f"is wrong about {bound}: searched again", tree)
    forged = whole.replace(f"{exact},total,{best}\n", f"{exact},bound,{best + 1}\n")
    refused(path, forged, f"is wrong about {exact}: searched again, its total is {best}", tree)
    refused(path, whole.replace(f"{exact},total,{best}\n", f"{exact},total,{best + 5}\n"), "is not a verdict", tree)
    for beyond in (int(least_totals(WORDS)[bound]) + 1, 123_456_789):
        refused(path, whole.replace(row, f"{bound},bound,{beyond}\n"), f"is wrong about {bound}", tree)


@pytest.mark.published
def test_verdicts_of_the_committed_certificate(original):
    check_certificate(COMMITTED, original, optimal_tree(original, "salet"), sample=12, seed=5)


def test_of_the_committed_certificate_25_openers_are_searched_again(original, monkeypatch):
    """Others with another seed, and none twice. The tree that is shipped takes what it claims."""
    before, searched = COMMITTED.read_bytes(), list[int]()

    def opener(self: object, guess: int, limit: int) -> OpenerResult:
        searched.append(guess)
        return OpenerResult(limit, False)

    monkeypatch.setattr(module.TotalSolver, "opener", opener)
    for more in ({}, {"seed": 2}):
        certificate = check_certificate(COMMITTED, original, optimal_tree(original, "salet"), **more)
    one, two = set(searched[:25]), set(searched[25:])
    assert (len(searched), len(one), len(two)) == (50, 25, 25) and one != two
    assert certificate.claim.best == 7920 and certificate.totals == {"salet": 7920}
    assert len(certificate.bounds) == len(original.guesses) - 1
    assert COMMITTED.read_bytes() == before


FAMILY = list_of("family", tuple(f"{letter}igh" for letter in "bdfklmnrstw"), ("bdfk", "lmnr", "stwb"))


def test_a_kept_tree_is_taken_by_the_version_that_made_it_and_for_no_other_game(tmp_path, monkeypatch):
    """A valid tree with a larger total stands for the one that was made."""
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "cache"))
    first = FAMILY.answers[0]
    worse = build_tree(FAMILY, Heuristic("greedy"), first)

    def total() -> int:
        return optimal_tree.__wrapped__(FAMILY, first).total

    assert total() < worse.total
    (kept,) = (tmp_path / "cache").glob("*.tree")
    worse.save(kept)
    assert total() == worse.total
    monkeypatch.setattr(optimal_trees, "kernel_folder", lambda: tmp_path / "of another version")
    assert total() < worse.total
    for _ in range(2):
        for words in (FAMILY, list_of("half", FAMILY.answers[::2], FAMILY.guesses)):
            for first in (*FAMILY.guesses[:2], None):
                for rule in RULES:
                    tree = optimal_tree.__wrapped__(words, first, rule)
                    assert (tree.answers, tree.rule) == (len(words.answers), rule)
                    assert first in (None, tree.root.guess)


def test_the_tree_that_ships_is_taken_for_its_list_opener_and_rule_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path))
    other = Solution(build_tree(FAMILY, Heuristic("greedy")), proven=True)
    monkeypatch.setattr(solve, "solve_tree", lambda *given, **more: other)
    own = (ORIGINAL, "salet", "counted")
    others = (load_words("nyt2022"), *own[1:]), (ORIGINAL, "crate", "counted"), (ORIGINAL, "salet", "letterwise")
    totals = [optimal_tree.__wrapped__(*given).total for given in (own, *others)]
    assert totals == [7920, *[other.tree.total] * 3]
