"""`make bench`: measure speed and memory, and write `benchmarks/speed.json` and docs/reference/speed.md."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import typer

import wordpl
from benchmarks import alone, best_guess, channels, cluster, contest, first_run, page, plain, reports, starts
from benchmarks.timing import command, memory, once, seconds
from experiments import pages
from experiments.bounds.two_clues import TwoClues
from experiments.two_clues import recomputed
from wordpl import limits
from wordpl.model.clues import clue_rows

WORDPL = str(Path(sys.executable).with_name("wordpl"))
MCE = "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)"
MCE_EXACT = "MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=None, guesses='all')"


def main() -> None:
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""  # an installed package has its bytecode
    words = wordpl.load_words("original")
    rows = [
        *scores(words),
        *best_guess.rows(words),
        *channels.rows(words),
        *last_guess(words),
        *updates(words),
        *matrices(words),
        *starts.rows(WORDPL),
        *whole_runs(),
        *first_run.rows(),
        *trees(),
        *streams(),
        *contest.rows(),
        *page.rows(),
        *reports.rows(WORDPL),
    ]
    cores = len(os.sched_getaffinity(0))
    wordpl.print_table(f"wordpl on {cores} cores", ["what", "measured", "target", "against the plain way"], rows)
    found = [dict(zip(("what", "measured", "target", "ratio"), row, strict=True)) for row in rows]
    kept = {"date": date.today().isoformat(), "cores": cores, "rows": found}
    pages.write_text(pages.SPEED, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    pages.write(pages.SPEED)
    cluster.main()


def scores(words: wordpl.WordList) -> list[list[str]]:
    belief = wordpl.Posterior(words).update("crate", 12.3, "..icc")
    rows = []
    simple = seconds(lambda: plain.clue_entropy(belief, 12.3), repeats=3)
    assert np.allclose(plain.clue_entropy(belief, 12.3), wordpl.score_guesses(belief, 12.3), rtol=1e-12)  # noqa: S101
    size = f"{len(words.guesses):,} guesses, {len(words.answers):,}-answer posterior"
    for criterion, target in (("clue_entropy", "30 ms"), ("expected_top", ""), ("renyi", "")):
        took = seconds(partial(wordpl.score_guesses, belief, 12.3, criterion), repeats=9)
        ratio = f"{simple / took:.0f} times NumPy" if criterion == "clue_entropy" else ""
        rows.append([f"exact {criterion.replace('_', ' ')} of {size}", f"{1e3 * took:.1f} ms", target, ratio])
    return rows


def last_guess(words: wordpl.WordList) -> list[list[str]]:
    """Time the best last guess by bounds against the full scores, and the exact win rate of a policy of two clues."""
    channel, rows = wordpl.RandomizedResponse(12.3), []
    belief = wordpl.Posterior(words)
    for guess, clue in (("trace", "..icc"), ("salon", "i...."), ("unity", "..i..")):
        belief = belief.update(guess, 16.0, clue)
        found = wordpl.scoring.best_last_guess(belief.probabilities, channel, words, belief.rule)
        scores = wordpl.score_guesses(belief, 12.3, "expected_top")
        assert found is not None and found.value == scores.max()  # noqa: S101
        full = seconds(partial(wordpl.score_guesses, belief, 12.3, "expected_top"), repeats=9)
        fast = seconds(
            partial(wordpl.scoring.best_last_guess, belief.probabilities, channel, words, belief.rule), repeats=9
        )
        what = f"best last guess, one thread, {belief.entropy:.1f} bits left"
        rows.append([what, f"{1e3 * fast:.1f} ms", "", f"{full / fast:.1f} times scoring all"])
    opener = TwoClues("trace", words)
    bounding = seconds(lambda: TwoClues("trace", words).profile_bound(10.0, 4.3))
    valuing = seconds(lambda: opener.win_rate(10.0, 4.3))
    for what, exact, took in (("profile bound", False, bounding), ("exact win rate", True, valuing)):
        simple = once(partial(recomputed, "trace", 10.0, 4.3, words, exact=exact))
        what = f"{what} of a split between two clues, one first word, all second words"
        rows.append([what, f"{took:.2f} s", "", f"{simple / took:.0f} times NumPy"])
    strategy, setting = wordpl.parse_strategy("Renyi(epsilon=(9.3, 5.3))"), wordpl.Setting(words)
    took = once(lambda: limits.compute_win_rate(strategy, setting))
    rows.append(["exact win rate, two clues, one first word, one process", f"{took:.1f} s", "20 s", ""])
    return rows


def updates(words: wordpl.WordList) -> list[list[str]]:
    belief = wordpl.Posterior(words)
    took = seconds(lambda: belief.update("salet", 13.0, ".i.c.").probabilities, inner=1000)
    simple = seconds(lambda: plain.posterior_update(words, "salet", 13.0, ".i.c."))
    ratio = f"{simple / took:.0f} times pandas"
    return [["posterior update, probabilities included", f"{1e6 * took:.1f} µs", "20 µs", ratio]]


def matrices(words: wordpl.WordList) -> list[list[str]]:
    rows = []
    for rule in wordpl.RULES:
        clue_rows.cache_clear()
        made = once(partial(clue_rows(words, rule).matrix, words.guesses))
        simple = once(lambda: plain.clue_matrix_rows(words, 50)) * len(words.guesses) / 50
        ratio = f"{simple / made:.0f} times Python"
        rows.append([f"clue matrix, {rule}, one core", f"{made:.2f} s", "2 s", ratio])
    return rows


def whole_runs() -> list[list[str]]:
    rows = []
    for name, spec, target in (("200 draws", MCE, "10 s"), ("exact, full list", MCE_EXACT, "60 s")):
        command(WORDPL, "score", spec, "--trials", "4", "--jobs", "2", "--json")
        took = command(WORDPL, "score", spec, "--trials", "1001", "--jobs", "2", "--json")
        rows.append([f"1,001 trials of MaxClueEntropy(3, 13), {name}, whole process", f"{took:.1f} s", target, ""])
    return rows


def trees() -> list[list[str]]:
    rows = []
    for what, first, target in (("SALET", "salet", "3 s"), ("the best of 30 openers", None, "15 s")):
        arguments = ["tree", "optimal", "--json", *(["--first", "salet"] if first else [])]
        took = seconds(partial(command, WORDPL, *arguments), repeats=3)
        most = memory(alone.solve_tree, first)
        rows.append([f"optimal tree of {what}, whole process, one core", f"{took:.1f} s", target, ""])
        rows.append([f"optimal tree of {what}, largest memory", f"{most:.0f} MiB", "300 MB" if first else "", ""])
    return rows


def streams() -> list[list[str]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for trials in (10**4, 10**5, 10**6):
            begun = time.perf_counter()
            most = memory(alone.play, trials, f"{folder}/{trials}.sqlite")
            took = time.perf_counter() - begun
            what = f"{trials:,} trials of TwoGuess into a store"
            rows.append([what, f"{took:.1f} s", "linear", ""])
            rows.append([f"{what}, largest process", f"{most:.0f} MiB", "600 MiB", ""])
    return rows


if __name__ == "__main__":
    typer.run(main)
