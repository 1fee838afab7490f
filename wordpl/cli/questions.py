"""The small questions: `wordpl clue`, `wordpl entropy`, `wordpl top`, `wordpl list`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError
from wordpl.reporting.tables import number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.model.posterior import Posterior

Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="Budget of the clue; inf for no noise.")]
After = Annotated[
    list[str] | None,
    typer.Option("--after", help="A clue already seen, as crate=..icc@13 (@inf if left out); repeatable."),
]


def register(app: typer.Typer) -> None:
    app.command()(clue)
    app.command()(entropy)
    app.command()(top)
    app.command(name="list")(list_strategies)


def clue(
    guess: str,
    answer: str,
    rule: opt.Rule = "letterwise",
    notation: Annotated[str, typer.Option("--notation", help="ci., 210, gyb or emoji.")] = "ci.",
    json: opt.Json = False,
) -> None:
    """The true clue for a guess and an answer, any two words of one length."""
    from wordpl.model.clues import clue as clue_of

    found = clue_of(_letters(guess), _letters(answer), rule)
    shown = found.show(notation)
    if json:
        print_json({"guess": guess, "answer": answer, "rule": rule, "clue": str(found), "code": found.code})
    else:
        typer.echo(shown)


def entropy(
    guesses: Annotated[list[str], typer.Argument(help="Words to ask.", metavar="WORD…")],
    epsilon: Epsilon = math.inf,
    after: After = None,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guess_file: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    json: opt.Json = False,
) -> None:
    """How much a clue to each word would tell, in bits, and the chance to be right after it."""
    belief = _belief(words, answers, guess_file, rule, after)
    index = belief.words.guess_index
    for word in guesses:
        if word not in index:
            raise WordplError(f"{word!r} is not among the guesses of {belief.words.name}")
    _print_scores(belief, epsilon, guesses, "", json)


def top(
    epsilon: Epsilon = math.inf,
    criterion: Annotated[str, typer.Option("--criterion", "-c", help="How to rank; see the README.")] = "clue_entropy",
    n: Annotated[int, typer.Option("-n", help="How many words.", min=1)] = 10,
    after: After = None,
    words: opt.Words = "original",
    answers: opt.Answers = None,
    guess_file: opt.Guesses = None,
    rule: opt.Rule = "letterwise",
    order: Annotated[float, typer.Option("--order", help="Order of the renyi criterion.")] = 2.0,
    json: opt.Json = False,
) -> None:
    """The best next guesses by a criterion."""
    from wordpl.scoring.guess_scores import CRITERIA, score_guesses

    belief = _belief(words, answers, guess_file, rule, after)
    scores = score_guesses(belief, epsilon, criterion, order=order)
    ranked = (-scores if CRITERIA[criterion].larger_is_better else scores).argsort(kind="stable")[:n]
    _print_scores(belief, epsilon, [belief.words.guesses[i] for i in ranked], criterion, json, order)


def list_strategies(json: opt.Json = False) -> None:
    """The strategies that can be named in a spec, with their parameters."""
    import inspect

    from wordpl.play.specs import strategies

    found = [
        (name, f"{name}{inspect.signature(kind, eval_str=False)}".replace(" -> None", ""), inspect.getdoc(kind) or "")
        for name, kind in strategies().items()
    ]
    if json:
        print_json([{"name": name, "call": call, "account": account} for name, call, account in found])
        return
    for _, call, account in found:
        typer.echo(f"{call}\n    {account.splitlines()[0]}\n")


def _letters(word: str) -> str:
    folded = word.strip().lower()
    if not folded.isalpha():
        raise WordplError(f"{word!r} has characters that are not letters")
    return folded


def _belief(words: str, answers: Path | None, guesses: Path | None, rule: str, after: list[str] | None) -> Posterior:
    from wordpl.model.posterior import Posterior

    belief = Posterior(opt.word_list(words, answers, guesses), rule)
    for text in after or []:
        guess, _, rest = text.partition("=")
        marks, _, epsilon = rest.partition("@")
        try:
            budget = float(epsilon or math.inf)
        except ValueError:
            raise WordplError(f"{epsilon!r} in {text!r} is no epsilon; write crate=..icc@13") from None
        if not marks:
            raise WordplError(f"{text!r} is no clue; write crate=..icc@13")
        belief = belief.update(_letters(guess), budget, marks)
    return belief


def _print_scores(
    belief: Posterior, epsilon: float, chosen: list[str], criterion: str, json: bool, order: float = 2.0
) -> None:
    from wordpl.scoring.guess_scores import CRITERIA, score_guesses

    shown = ["clue_entropy", "information_gain", "expected_top", "expected_remaining"]
    if criterion and criterion not in shown:
        shown.insert(0, criterion)
    at = [belief.words.guess_index[word] for word in chosen]
    scores = {name: score_guesses(belief, epsilon, name, guesses=at, order=order) for name in shown}
    if json:
        records = [{"word": word} | {name: float(scores[name][i]) for name in shown} for i, word in enumerate(chosen)]
        print_json({"epsilon": None if math.isinf(epsilon) else epsilon, "words": records})
        return
    columns = ["word", *(f"{name.replace('_', ' ')} ({CRITERIA[name].unit})" for name in shown)]
    rows = [[word, *(number(float(scores[name][i]), 7) for name in shown)] for i, word in enumerate(chosen)]
    print_table(f"epsilon {number(epsilon)}, {belief.words.name}, {belief.rule}", columns, rows)
