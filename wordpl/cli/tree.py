"""`wordpl tree`: build a decision tree by a heuristic or exactly, prove it optimal, check a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError
from wordpl.reporting.tables import print_json, print_table

if TYPE_CHECKING:
    from wordpl.model.words import WordList
    from wordpl.trees.tree import Tree

EveryGuess = Annotated[bool, typer.Option("--every-guess", help="Every guess can be the answer.")]


def register(app: typer.Typer) -> None:
    app.command()(tree)


def tree(
    optimal: Annotated[bool, typer.Option("--optimal", help="The exact optimum, by branch and bound.")] = False,
    heuristic: Annotated[
        str, typer.Option("--heuristic", help="entropy, expected_size, parts, minimax or greedy.", metavar="NAME")
    ] = "entropy",
    tie_break: Annotated[
        list[str] | None,
        typer.Option(
            "--tie-break",
            help="answer (unless told), all_absent, letter_entropy, positional, published, none; in turn.",
            metavar="NAME",
        ),
    ] = None,
    answers_only: Annotated[bool, typer.Option("--answers-only", help="Guess only possible answers.")] = False,
    priority: Annotated[bool, typer.Option("--priority", help="Multiply scores by word frequency (wordfreq).")] = False,
    first: Annotated[
        str | None, typer.Option("--first", help="First word; chosen unless told.", metavar="WORD")
    ] = None,
    hard: Annotated[bool, typer.Option("--hard", help="Official hard mode.")] = False,
    minimize: Annotated[
        str | None,
        typer.Option(
            "--minimize", help="With --optimal: total, worst (the worst case), or any (within --worst).", metavar="WHAT"
        ),
    ] = None,
    worst: Annotated[
        int | None, typer.Option("--worst", help="With --optimal: no answer may take more guesses.", metavar="N")
    ] = None,
    openers: Annotated[
        int | None,
        typer.Option(
            "--openers", min=0, help="With --optimal and no --first: try so many (30); 0 for all.", metavar="N"
        ),
    ] = None,
    prove: Annotated[bool, typer.Option("--prove", help="Prove that no opener does better; resumes.")] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", help="Where --prove keeps its verdicts; in results/ unless told.", metavar="FILE"
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Replay the tree in this file instead of building one.", metavar="FILE"),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the tree: .json, or else text.")] = None,
    jobs: opt.Jobs = 0,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guesses: opt.Guesses = None,
    every_guess: EveryGuess = False,
    rule: Annotated[str, typer.Option("--rule", help="counted, or letterwise.", metavar="RULE")] = "counted",
    json: opt.Json = False,
) -> None:
    """Build the decision tree of an ordinary Wordle player, replay every answer, and say how it does."""
    for option, value in {"--minimize": minimize, "--worst": worst, "--openers": openers}.items():
        if value is not None and (not optimal or prove or check is not None):
            raise WordplError(f"{option} goes with --optimal, and not with --prove or --check")
    if first is not None and (prove or check is not None):
        raise WordplError("--first does not go with --prove, which is about all openers, or --check")
    word_list = opt.word_list(words, answers, guesses)
    if every_guess:
        word_list = word_list.with_every_guess()
    begun = time.perf_counter()
    proven: bool | None = None
    if check is not None:
        found: Tree | None = _load(check)
    elif prove:
        kept = certificate or Path("results") / f"proof-{word_list.name}-{'hard' if hard else 'easy'}.txt"
        found, proven = _prove(word_list, kept, rule, hard, opt.number_of_jobs(jobs)), True
        typer.echo(f"certificate, checked: {kept}", err=True)
    elif optimal:
        found, proven = _solve(word_list, first, rule, minimize or "total", hard, worst, openers)
    else:
        found = _build(word_list, heuristic, tie_break, answers_only, priority, first, hard, rule)
    seconds = time.perf_counter() - begun
    if found is None:
        _print_none(word_list, first, worst, proven, seconds, json)
        raise typer.Exit(1)
    _verify(found, word_list, hard)
    if out is not None:
        found.save(out)
    _print(found, word_list, proven, seconds, json)


def _load(path: Path) -> Tree:
    from wordpl.trees.tree import load_tree

    return load_tree(path)


def _prove(words: WordList, path: Path, rule: str, hard: bool, jobs: int) -> Tree:
    from wordpl.progress import show_progress
    from wordpl.trees.prove import check_certificate
    from wordpl.trees.prove import prove as prove_all

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with show_progress("openers") as shown:
            found, _ = prove_all(words, path, rule=rule, hard=hard, jobs=jobs, progress=shown)
    except OSError as error:
        raise WordplError(f"cannot write certificate {path}: {error.strerror}") from None
    check_certificate(path, words, found)
    return found


def _solve(
    words: WordList, first: str | None, rule: str, minimize: str, hard: bool, worst: int | None, openers: int | None
) -> tuple[Tree | None, bool]:
    from wordpl.trees.optimal.solve import QUICK_OPENERS, solve_tree

    tried = QUICK_OPENERS if openers is None else openers or None
    solution = solve_tree(words, first, rule=rule, objective=minimize, hard=hard, worst=worst, openers=tried)
    return solution.tree, solution.proven


def _build(
    words: WordList,
    heuristic: str,
    tie_break: list[str] | None,
    answers_only: bool,
    priority: bool,
    first: str | None,
    hard: bool,
    rule: str,
) -> Tree:
    from wordpl.trees.heuristic import Heuristic, build_tree, tie_breaks
    from wordpl.trees.priority import word_priority

    chosen = Heuristic(
        heuristic,
        tie_breaks(tie_break or ["answer"]),
        answers_only=answers_only,
        hard=hard,
        priority=word_priority(words) if priority else None,
    )
    return build_tree(words, chosen, first, rule)


def _verify(found: Tree, words: WordList, hard: bool) -> None:
    from wordpl.trees.verify import verify

    verify(found, words, hard=hard)


def _print_none(
    words: WordList, first: str | None, worst: int | None, proven: bool | None, seconds: float, json: bool
) -> None:
    opener = f"that starts with {first}" if first else "of any opener" if proven else "of the openers tried"
    if json:
        print_json({"feasible": False, "proven": proven, "seconds": seconds})
    else:
        typer.echo(f"No tree {opener} finds every answer of {words.name} within {worst} guesses ({seconds:.1f} s).")


def _print(found: Tree, words: WordList, proven: bool | None, seconds: float, json: bool) -> None:
    figures: dict[str, Any] = found.summary() | {"words": words.name, "proven": proven, "seconds": seconds}
    if json:
        print_json(figures)
        return
    sure = {None: "", True: "yes", False: "no: not all openers were tried"}[proven]
    rows = [
        ["total", str(found.total)],
        ["mean", f"{found.mean:.5f}"],
        ["worst", str(found.worst)],
        *([f"found on turn {turn}", str(n)] for turn, n in found.distribution.items()),
        *([["nothing is better", sure]] if sure else []),
        ["seconds", f"{seconds:.2f}"],
    ]
    print_table(f"{found.root.guess}: {found.answers} answers of {words.name}, {found.rule}, replayed", ["", ""], rows)
