"""Proof that no first guess does better: a bound or a total for each, in a certificate that can be checked.

A certificate is a text file. Its first line states the claim, as

    # wordpl proof 1; words <digest>; rule counted; hard 0; best 7920

and each line after it is `opener,total,7920` (the optimum of that opener) or `opener,bound,7921` (no tree
that starts with it has a smaller total). Lines are appended as openers are settled, so a run that was
killed resumes; a finished file has a line for every guess.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from wordpl.base.checks import instance, whole_number
from wordpl.base.errors import OtherFormatError, WordplError
from wordpl.base.files import StrPath, read_text, write_text
from wordpl.base.progress import Progress
from wordpl.base.workers import Call, run_calls
from wordpl.model.clues import check_rule
from wordpl.model.words import WordList, as_words
from wordpl.wordle.trees.names import CERTIFICATE_FORMAT
from wordpl.wordle.trees.optimal.solve import rank_openers, solve_tree
from wordpl.wordle.trees.optimal.solver import TotalSolver, TreeProblem
from wordpl.wordle.trees.tree import Tree
from wordpl.wordle.trees.verify import verify

_HEADER = re.compile(r"# wordpl proof (\d{1,9}); words (\w+); rule (\w+); hard ([01]); best (\d{1,9})")
_VERDICT = re.compile("([^,]*),(total|bound),([0-9]{1,9})")
_BATCH = 40  # openers: about a second's work, so that little is lost to a kill


@dataclass(frozen=True)
class Claim:
    """The claim of a certificate: no tree of this list has a smaller total than `best`."""

    words: WordList
    best: int
    rule: str = "counted"
    hard: bool = False

    @property
    def header(self) -> str:
        words, hard = self.words.digest, int(self.hard)
        return f"# wordpl proof {CERTIFICATE_FORMAT}; words {words}; rule {self.rule}; hard {hard}; best {self.best}"


@dataclass
class Certificate:
    """The verdicts on openers so far: exact totals, and lower bounds of the others."""

    claim: Claim
    totals: dict[str, int] = field(default_factory=dict)
    bounds: dict[str, int] = field(default_factory=dict)

    @property
    def open(self) -> set[str]:
        """Openers without a verdict."""
        return set(self.claim.words.guesses) - self.totals.keys() - self.bounds.keys()

    def add(self, opener: str, kind: str, value: int) -> None:
        """Take a verdict: a `total` or a `bound`."""
        (self.totals if kind == "total" else self.bounds)[opener] = value

    def rows(self) -> list[str]:
        """The lines of the verdicts, in order of opener."""
        kinds = {"total": self.totals, "bound": self.bounds}
        return sorted(f"{opener},{kind},{value}" for kind, values in kinds.items() for opener, value in values.items())


def prove(
    words: WordList | str,
    path: StrPath,
    *,
    rule: str = "counted",
    hard: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Tree, Certificate]:
    """Find the best first guess and prove that no other has a smaller total; write the certificate to `path`.

    `solve_tree` gives a total to beat; then each first guess gets its exact total or a lower bound above that. If one
    does better, the proof starts again from its total. One that was interrupted continues from the file at `path`.
    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`; `hard` keeps to official hard mode.
    `jobs` is the number of worker processes; `progress` is called after each first guess.

    Returns an optimal tree and the finished certificate. Raises `WordplError` if the file at `path` is no certificate
    of these words, or claims a total that no first guess reaches, for another rule, and for `hard` with the letterwise.
    """
    words = as_words(words)
    path = Path(path)
    best = read_certificate(path, words).claim.best if _has_content(path) else None
    path.open("a").close()  # a file that cannot be written is an error now, not after the search

    def searching(what: object, new: int, done: int, total: int) -> None:
        if progress is not None:  # no piece of the proof is done yet
            progress(f"quick search: {what}", 0, 0, len(words.guesses))

    tree = solve_tree(words, rule=check_rule(rule), hard=hard, progress=searching).tree
    assert tree is not None  # noqa: S101 - without a worst case there is always one
    # An earlier run may have found a better opener than the quick search did.
    claim = Claim(words, tree.total if best is None else min(tree.total, best), rule, hard)
    while True:
        certificate = _settle(claim, path, jobs, progress)
        if not certificate.totals:
            raise WordplError(f"{path} claims {claim.best}, which no opener reaches; name another file")
        better = min(certificate.totals, key=certificate.totals.__getitem__)
        if certificate.totals[better] < tree.total:
            better_tree = solve_tree(words, better, rule=rule, hard=hard).tree
            assert better_tree is not None  # noqa: S101 - without a worst case there is always one
            if better_tree.total != certificate.totals[better]:
                raise WordplError(f"{path} is wrong about {better}: searched again, its total is {better_tree.total}")
            tree = better_tree
        if tree.total == claim.best:
            write_text(path, "\n".join([claim.header, *certificate.rows()]) + "\n")
            return tree, certificate
        claim = replace(claim, best=tree.total)
        path.unlink()


def _has_content(path: Path) -> bool:
    """Return whether a certificate was begun there; a run killed before its first verdicts leaves an empty file."""
    if path.exists() and not path.is_file():  # opening a pipe would wait for ever
        raise WordplError(f"cannot write certificate {path}: it is a folder, a pipe or a device, not a file")
    return path.exists() and path.stat().st_size > 0


def _settle(claim: Claim, path: Path, jobs: int, progress: Progress | None) -> Certificate:
    """Bring the certificate at `path` to its end."""
    if not _has_content(path):
        write_text(path, claim.header + "\n")  # whole, or not there: of a part nobody could tell what it claims
    certificate = read_certificate(path, claim.words)
    if certificate.claim != claim:
        raise WordplError(f"{path} is a certificate of another claim; move it away, or name another file")
    problem = TreeProblem(claim.words, claim.rule)
    still_open = certificate.open
    ranked = [g for g in rank_openers(problem).tolist() if claim.words.guesses[g] in still_open]
    # Dealt out in turn, so that each batch holds promising and hopeless openers alike.
    step = max(1, -(-len(ranked) // _BATCH))
    calls: Iterator[Call] = ((_verdicts, (claim, ranked[i::step]), {}) for i in range(step if ranked else 0))
    total = len(claim.words.guesses)
    with path.open("a", encoding="utf-8") as file:
        for batch in run_calls(jobs, calls):
            for verdict in batch:
                certificate.add(*verdict)
            file.writelines(f"{opener},{kind},{value}\n" for opener, kind, value in batch)
            file.flush()
            os.fsync(file.fileno())
            if progress is not None:
                progress(batch[-1][0], len(batch), total - len(certificate.open), total)
    return certificate


def _verdicts(claim: Claim, openers: list[int]) -> list[tuple[str, str, int]]:
    """In a worker: `total` or `bound` for each opener."""
    results = ((guess, _solver(claim).opener(guess, claim.best + 1)) for guess in openers)
    words = claim.words.guesses
    return [(words[guess], "total" if result.exact else "bound", int(result.total)) for guess, result in results]


@lru_cache(maxsize=1)
def _solver(claim: Claim) -> TotalSolver:
    """The solver of this process; its caches serve all openers."""
    return TotalSolver(TreeProblem(claim.words, claim.rule, claim.hard))


def read_certificate(path: StrPath, words: WordList) -> Certificate:
    """Read a certificate, finished or not. A last line that was cut off by a kill is removed from the file.

    Raises `WordplError`, with the line, if the file is not a certificate or was made for another word list.
    """
    text = read_text(path, "certificate")
    lines = text.split("\n")
    header = _HEADER.fullmatch(lines[0])
    if header is None:
        raise WordplError(f"{path} is not a certificate: its first line should state the claim")
    if int(header[1]) != CERTIFICATE_FORMAT:
        raise OtherFormatError(path, "a certificate", int(header[1]), CERTIFICATE_FORMAT)
    if header[2] != words.digest:
        raise WordplError(f"{path} was made for another word list than {words.name}")
    claim = Claim(words, int(header[5]), check_rule(header[3]), header[4] == "1")
    certificate = Certificate(claim)
    still_open = certificate.open
    for number, line in enumerate(lines[1:-1], start=2):  # what follows the last newline is not whole
        where = f"{path}, line {number}"
        verdict = _VERDICT.fullmatch(line)
        # A larger total is never searched for, and a smaller bound proves nothing.
        if (
            verdict is None
            or verdict[1] not in still_open
            or (verdict[2] == "total") != (int(verdict[3]) <= claim.best)
        ):
            expected = f"opener,total,NUMBER up to {claim.best} or opener,bound,NUMBER above is expected"
            raise WordplError(f"{where}: {line[:40]!r} is not a verdict; {expected}, once for each guess")
        still_open.remove(verdict[1])
        certificate.add(verdict[1], verdict[2], int(verdict[3]))
    if not text.endswith("\n"):
        write_text(path, "\n".join(lines[:-1]) + "\n")
    return certificate


def check_certificate(path: StrPath, words: WordList | str, tree: Tree, sample: int = 25, seed: int = 1) -> Certificate:
    """Check the finished certificate at `path` against its word list, `words`, and `tree`, which it calls optimal.

    Every guess has to have one verdict, none below the claim; `tree` the claimed total when each answer is replayed;
    and `sample` first guesses (drawn with `seed`; both from 0 up) the stated verdicts when they are searched again.
    Returns the certificate. Raises `WordplError` that names the first fault.
    """
    tree, words = instance("tree", tree, Tree), as_words(words)
    sample, seed = whole_number("sample", sample, minimum=0), whole_number("seed", seed, minimum=0)
    certificate = read_certificate(path, words)
    claim = certificate.claim
    if certificate.open:
        raise WordplError(f"{path} is not finished: {len(certificate.open)} openers have no verdict")
    low = {opener: total for opener, total in certificate.totals.items() if total < claim.best}
    if low:
        raise WordplError(f"{path} proves too little: {min(low)} is proved from {low[min(low)]} only, not {claim.best}")
    verify(tree, words, hard=claim.hard)
    if tree.total != claim.best:
        raise WordplError(f"{path} claims {claim.best}, but the tree takes {tree.total}")
    rng = np.random.default_rng(seed)
    problem = TreeProblem(words, claim.rule, claim.hard)
    for guess in rng.choice(len(words.guesses), min(sample, len(words.guesses)), replace=False):
        opener = words.guesses[int(guess)]
        stated = certificate.totals.get(opener)
        result = TotalSolver(problem).opener(int(guess), certificate.bounds[opener] if stated is None else stated + 1)
        if (result.total if result.exact else None) != stated:
            least = "" if result.exact else "at least "
            raise WordplError(f"{path} is wrong about {opener}: searched again, its total is {least}{result.total}")
    return certificate
