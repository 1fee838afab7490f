"""`wordpl tree build|optimal|prove|check`: decision trees of an ordinary Wordle player."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.defaults import OPENERS
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.cli import execution
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import TREE
from wordpl.reporting.tables import print_json, print_table
from wordpl.wordle.trees.names import FORMS, HEURISTICS, OBJECTIVES, TIE_BREAK_GROUPS, TIE_BREAKS

if TYPE_CHECKING:
    from wordpl.wordle.trees.tree import FoundTree, SearchFacts

_TIE_BREAKS = {**TIE_BREAKS, **{name: ", ".join(group) or "the alphabet" for name, group in TIE_BREAK_GROUPS.items()}}
First = Annotated[str | None, Option(help="Start with WORD. Default: the best opener.", metavar="WORD")]


@dataclass(frozen=True)
class TreeOptions(opt.WordOptions):
    """Options of the problem that a tree solves."""

    rule: opt.Rule = "counted"
    every_guess: Annotated[bool, Option("--every-guess", help="Let every guess be a possible answer.")] = False

    def load(self) -> wordpl.WordList:
        """The word list, with every guess an answer if that is asked for."""
        words = super().load()
        return words.with_every_guess() if self.every_guess else words


@dataclass(frozen=True)
class ResultOptions:
    """Options of the search for a tree, and of its file."""

    hard: Annotated[bool, Option("--hard", help="Obey official hard mode.")] = False
    out: Annotated[Path | None, opt.out("Write the tree as JSON or text", TREE)] = None
    format: Annotated[str, opt.choice(FORMS, "How to write the file of --out")] = "wordpl"
    worst_words: Annotated[bool, Option("--worst-words", help="Show which answers take the most guesses.")] = False
    json: opt.Json = False

    def __post_init__(self) -> None:
        if self.format != "wordpl" and self.out is None:
            raise WordplError("--format is for a file; name it with --out")


def build(
    *,
    heuristic: Annotated[
        str, opt.choice({name: rule.account for name, rule in HEURISTICS.items()}, "How to choose a guess")
    ] = "entropy",
    tie_break: Annotated[list[str] | None, opt.choice(_TIE_BREAKS, "How to settle ties", "Default: answer.")] = None,
    answers_only: Annotated[bool, Option("--answers-only", help="Guess only possible answers.")] = False,
    priority: Annotated[bool, Option("--priority", help="Multiply scores by word frequency (wordfreq).")] = False,
    first: First = None,
    game: TreeOptions,
    result: ResultOptions,
) -> None:
    """Build a decision tree with a heuristic."""
    build_tree, words = wordpl.wordle.build_tree, game.load()
    start = time.perf_counter()  # after what is imported
    choice = wordpl.wordle.Heuristic(
        heuristic,
        wordpl.wordle.tie_breaks(tie_break or ["answer"]),
        answers_only=answers_only,
        hard=result.hard,
        priority=wordpl.wordle.word_priority(words) if priority else None,
    )
    tree = build_tree(words, choice, _first_word(first, words), game.rule)
    _finish(tree, words, result, start)


def optimal(
    *,
    first: First = None,
    minimize: Annotated[str, opt.choice(OBJECTIVES, "What to minimize")] = "total",
    worst: Annotated[int | None, Option(min=1, max=1_000_000, help="Find every answer within N guesses.")] = None,
    openers: Annotated[
        int | None, Option(min=0, max=10**9, help=f"Without --first: try N openers (0: all). Default: {OPENERS}.")
    ] = None,
    game: TreeOptions,
    result: ResultOptions,
) -> None:
    """Find the best tree by branch and bound.

    For the words of 2021 it takes one second of CPU time with --first, and six for the 30 promising openers.
    Exit code 1: no tree finds every answer within --worst guesses.
    """

    words, start = game.load(), time.perf_counter()
    first = _first_word(first, words)
    with wordpl.show_progress("openers") as progress:
        solution = wordpl.wordle.solve_tree(
            words,
            first,
            rule=game.rule,
            objective=minimize,
            hard=result.hard,
            worst=worst,
            openers=OPENERS if openers is None else openers or None,
            progress=progress,
        )
    opener = f"that starts with {first}" if first else f"of {'any opener' if solution.proven else 'the openers tried'}"
    none = f"No tree {opener} finds every answer of {words.name} within {counted(worst or 0, 'guess', 'guesses')}"
    _finish(solution.tree, words, result, start, solution.proven, none)


def prove(
    *,
    certificate: Annotated[Path | None, Option(help="Keep verdicts in this file. Default: one in results/.")] = None,
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    game: TreeOptions,
    result: ResultOptions,
) -> None:
    """Find the best tree, and prove that no opener beats it.

    For the words of 2021 it takes four minutes of CPU time; tree optimal finds the same tree in seconds. To resume a
    run that was stopped, give the same command again.
    """
    prove_all, words, workers = wordpl.wordle.prove, game.load(), execution.number_of_jobs(jobs)
    start = time.perf_counter()
    path = certificate or Path("results") / f"proof-{words.name}-{'hard' if result.hard else 'easy'}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        execution.stopping(f"the verdicts so far are in {path}"),
        execution.on_cluster(cluster),
        wordpl.show_progress("openers") as progress,
    ):
        tree, _ = prove_all(words, path, rule=game.rule, hard=result.hard, jobs=workers, progress=progress)
    wordpl.wordle.check_certificate(path, words, tree)
    NOTES.info("certificate, checked: %s", path)
    _finish(tree, words, result, start, True)


def check(
    file: Annotated[Path, Argument(help="A tree file, in any of the forms of --format.")],
    *,
    game: TreeOptions,
    result: ResultOptions,
) -> None:
    """Replay every answer through the tree in a file.

    --rule is for a file that names no repeat rule.
    """
    load_tree, words, start = wordpl.wordle.load_tree, game.load(), time.perf_counter()
    _finish(load_tree(file, game.rule), words, result, start)


def _first_word(typed: str | None, words: wordpl.WordList) -> str | None:
    from wordpl.wordle.reading import read_word

    return None if typed is None else read_word(typed, words)


def _finish(
    tree: wordpl.wordle.Tree | None,
    words: wordpl.WordList,
    result: ResultOptions,
    start: float,
    proven: bool | None = None,
    none: str = "",
) -> None:
    """Replay every answer, write the tree, and show how it does; or say that there is `none`, with exit code 1."""
    seconds = time.perf_counter() - start
    facts: SearchFacts = {"words": words.name, "feasible": tree is not None, "proven": proven, "seconds": seconds}
    if tree is None:
        if result.json:
            print_json(facts)
        else:
            typer.echo(f"{none} ({seconds:.1f} s).")
        raise typer.Exit(1)
    wordpl.wordle.verify(tree, words, hard=result.hard)
    if result.out is not None:
        tree.save(result.out, result.format)
    if result.json:
        record: FoundTree = {**tree.summary(), **facts, "worst_words": tree.worst_words if result.worst_words else None}
        print_json(record)
        return
    rows = [
        ["total", str(tree.total)],
        ["mean", f"{tree.mean:.5f}"],
        ["worst", str(tree.worst)],
        *([f"found on turn {turn}", str(n)] for turn, n in tree.distribution.items()),
        *([] if proven is None else [["nothing is better", "yes" if proven else "no: not all openers were tried"]]),
        ["seconds", f"{seconds:.2f}"],
    ]
    notes = [f"Found on turn {tree.worst}: {' '.join(tree.worst_words)}"] if result.worst_words else []
    title = f"{tree.root.guess}: {counted(tree.answers, 'answer')} of {words.name}, {tree.rule}, replayed"
    print_table(title, ["", ""], rows, notes)
