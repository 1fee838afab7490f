"""`wordpl tree build|optimal|prove|check`: decision trees of an ordinary Wordle player."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add, make_app
from wordpl.cli.logs import NOTES
from wordpl.errors import WordplError
from wordpl.progress import show_progress
from wordpl.reporting.tables import print_json, print_table

if TYPE_CHECKING:
    from wordpl.model.words import WordList
    from wordpl.trees.tree import Tree

First = Annotated[str | None, typer.Option("--first", help="First word; chosen if not given.", metavar="WORD")]
Hard = Annotated[bool, typer.Option("--hard", help="Keep to official hard mode.")]
TreeFile = Annotated[Path | None, opt.out("Write the tree: as JSON if the name ends in .json, else as text.")]


@dataclass(frozen=True)
class TreeOptions(opt.WordleOptions):
    """What a tree is for."""

    every_guess: Annotated[
        bool,
        typer.Option("--every-guess", help="Every guess can be the answer.", rich_help_panel=opt.SHARED),
    ] = False

    def load(self) -> WordList:
        """The word list, with every guess an answer if that is asked for."""
        words = super().load()
        return words.with_every_guess() if self.every_guess else words


def register(app: typer.Typer, section: str) -> None:
    trees = make_app("tree", "Decision trees of ordinary Wordle, by heuristics or exact.")
    add(trees, build)
    add(trees, optimal)
    add(trees, prove)
    add(trees, check)
    app.add_typer(trees, rich_help_panel=section)


def build(
    *,
    heuristic: Annotated[str, opt.choice(opt.HEURISTICS, "--heuristic", summary="How to choose a guess")] = "entropy",
    tie_break: Annotated[
        list[str] | None,
        opt.choice(opt.TIE_BREAKS, "--tie-break", summary="How to settle ties", note="Repeatable; by default answer."),
    ] = None,
    answers_only: Annotated[bool, typer.Option("--answers-only", help="Guess only possible answers.")] = False,
    priority: Annotated[bool, typer.Option("--priority", help="Multiply scores by word frequency (wordfreq).")] = False,
    first: First = None,
    hard: Hard = False,
    out: TreeFile = None,
    given: TreeOptions,
    json: opt.Json = False,
) -> None:
    """Build a decision tree by a heuristic."""
    from wordpl.trees.heuristic import Heuristic, build_tree, tie_breaks
    from wordpl.trees.priority import word_priority

    words, begun = given.load(), time.perf_counter()
    chosen = Heuristic(
        heuristic,
        tie_breaks(tie_break or ["answer"]),
        answers_only=answers_only,
        hard=hard,
        priority=word_priority(words) if priority else None,
    )
    tree = build_tree(words, chosen, _first_word(first, words), given.rule)
    _finish(tree, words, hard, out, _Figures(None, time.perf_counter() - begun, json))


def optimal(
    *,
    first: First = None,
    minimize: Annotated[
        str,
        opt.choice(
            opt.OBJECTIVES, "--minimize", summary="What to minimize", note="any is any tree that keeps to --worst."
        ),
    ] = "total",
    worst: Annotated[
        int | None,
        typer.Option("--worst", max=1_000_000, help="No answer may take more guesses than this.", metavar="N"),
    ] = None,
    openers: Annotated[
        int | None,
        typer.Option(
            "--openers",
            min=0,
            max=1_000_000_000,
            help="Openers to try without --first; by default 30; 0: all.",
            metavar="N",
        ),
    ] = None,
    hard: Hard = False,
    out: TreeFile = None,
    given: TreeOptions,
    json: opt.Json = False,
) -> None:
    """Find the exact optimum by branch and bound.

    Exit code 1 says that no tree keeps to --worst.
    """
    from wordpl.trees.optimal.solve import QUICK_OPENERS, solve_tree

    words, begun = given.load(), time.perf_counter()
    first = _first_word(first, words)
    tried = QUICK_OPENERS if openers is None else openers or None
    with show_progress("openers") as shown:
        solution = solve_tree(
            words,
            first,
            rule=given.rule,
            objective=minimize,
            hard=hard,
            worst=worst,
            openers=tried,
            progress=shown,
        )
    figures = _Figures(solution.proven, time.perf_counter() - begun, json)
    if solution.tree is None:
        _print_none(words, first, worst, figures)
        raise typer.Exit(1)
    _finish(solution.tree, words, hard, out, figures)


def prove(
    *,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", help="File of the verdicts so far; by default in results/.", metavar="FILE"),
    ] = None,
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    hard: Hard = False,
    out: TreeFile = None,
    given: TreeOptions,
    json: opt.Json = False,
) -> None:
    """Prove that no opener does better.

    Run the same command again to resume.
    """
    words, begun = given.load(), time.perf_counter()
    path = certificate or Path("results") / f"proof-{words.name}-{'hard' if hard else 'easy'}.txt"
    claim = _Sought(words, given.rule, hard, cluster)
    tree = _prove(claim, path, opt.number_of_jobs(jobs, cluster))
    NOTES.info("certificate, checked: %s", path)
    _finish(tree, words, hard, out, _Figures(True, time.perf_counter() - begun, json))


def check(
    file: Annotated[Path, typer.Argument(help="A tree file, .json or text.", metavar="FILE")],
    *,
    hard: Hard = False,
    out: TreeFile = None,
    given: TreeOptions,
    json: opt.Json = False,
) -> None:
    """Replay every answer through the tree in a file."""
    from wordpl.trees.tree import load_tree

    words, begun = given.load(), time.perf_counter()
    tree = load_tree(file)
    _finish(tree, words, hard, out, _Figures(None, time.perf_counter() - begun, json))


@dataclass(frozen=True)
class _Sought:
    """What is to be proved, and where."""

    words: WordList
    rule: str
    hard: bool
    cluster: str | None


def _prove(sought: _Sought, path: Path, jobs: int) -> Tree:
    from wordpl.cli.stopping import stopping
    from wordpl.trees.prove import check_certificate
    from wordpl.trees.prove import prove as prove_all

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = f"the verdicts so far are in {path}; the same command goes on from there"
        with (
            stopping(lambda: kept, at_once=True),
            opt.on_cluster(sought.cluster),
            show_progress("openers") as shown,
        ):
            tree, _ = prove_all(sought.words, path, rule=sought.rule, hard=sought.hard, jobs=jobs, progress=shown)
    except OSError as error:
        raise WordplError(f"cannot write certificate {path}: {error.strerror}") from None
    check_certificate(path, sought.words, tree)
    return tree


@dataclass(frozen=True)
class _Figures:
    """What is shown beside a tree."""

    proven: bool | None
    seconds: float
    json: bool

    def beside(self, words: WordList, feasible: bool) -> dict[str, Any]:
        """What JSON has beside the figures of a tree."""
        return {"words": words.name, "feasible": feasible, "proven": self.proven, "seconds": self.seconds}


def _finish(tree: Tree, words: WordList, hard: bool, out: Path | None, figures: _Figures) -> None:
    """Replay every answer, write the tree, and show how it does."""
    from wordpl.trees.verify import verify

    verify(tree, words, hard=hard)
    if out is not None:
        tree.save(out)
    _print(tree, words, figures)


def _first_word(typed: str | None, words: WordList) -> str | None:
    from wordpl.assistant.reading import read_word

    return None if typed is None else read_word(typed, words)


def _print_none(words: WordList, first: str | None, worst: int | None, figures: _Figures) -> None:
    if figures.json:
        print_json(figures.beside(words, feasible=False))
        return
    opener = f"that starts with {first}" if first else "of any opener" if figures.proven else "of the openers tried"
    typer.echo(f"No tree {opener} finds every answer of {words.name} within {worst} guesses ({figures.seconds:.1f} s).")


def _print(tree: Tree, words: WordList, figures: _Figures) -> None:
    if figures.json:
        print_json(tree.summary() | figures.beside(words, feasible=True))
        return
    sure = {None: "", True: "yes", False: "no: not all openers were tried"}[figures.proven]
    rows = [
        ["total", str(tree.total)],
        ["mean", f"{tree.mean:.5f}"],
        ["worst", str(tree.worst)],
        *([f"found on turn {turn}", str(n)] for turn, n in tree.distribution.items()),
        *([["nothing is better", sure]] if sure else []),
        ["seconds", f"{figures.seconds:.2f}"],
    ]
    print_table(f"{tree.root.guess}: {tree.answers} answers of {words.name}, {tree.rule}, replayed", ["", ""], rows)
