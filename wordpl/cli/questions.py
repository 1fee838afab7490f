"""The small questions: `wordpl clue`, `wordpl entropy`, `wordpl rank`, `wordpl list`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.displays import json_epsilon
from wordpl.reporting.tables import number, numbers, print_json, print_table, print_text

if TYPE_CHECKING:
    from wordpl.model.posterior import Posterior

Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="Budget of the clue; inf for no noise.", metavar="E")]
After = Annotated[
    list[str] | None,
    typer.Option(
        "--after", help="A clue already seen, as crate=..icc@13 (by default @inf); repeatable.", metavar="GUESS=CLUE"
    ),
]

_SHOWN = ("clue_entropy", "information_gain", "expected_top", "expected_remaining")


def register(app: typer.Typer, section: str) -> None:
    add(app, rank, section)
    add(app, entropy, section)
    add(app, clue, section)


def register_list(app: typer.Typer, section: str) -> None:
    add(app, list_strategies, section, name="list")


def clue(
    guess: Annotated[str, typer.Argument(help="The word asked.", metavar="GUESS")],
    answer: Annotated[str, typer.Argument(help="The answer, of the same length.", metavar="ANSWER")],
    *,
    rule: opt.Rule = "letterwise",
    notation: Annotated[str, opt.choice(opt.NOTATIONS, "--notation", summary="How to write the clue")] = "ci.",
    json: opt.Json = False,
) -> None:
    """True clue for a guess and an answer."""
    from wordpl.assistant.reading import check_word
    from wordpl.model.clues import clue as clue_of

    guess, answer = check_word(guess), check_word(answer)
    found = clue_of(guess, answer, rule)
    shown = found.show(notation)
    if json:
        print_json({"guess": guess, "answer": answer, "rule": rule, "clue": str(found), "code": found.code})
    else:
        typer.echo(shown)


def entropy(
    asked: Annotated[list[str], typer.Argument(help="Words to ask.", metavar="WORD")],
    *,
    epsilon: Epsilon = math.inf,
    after: After = None,
    game: opt.ContestOptions,
    json: opt.Json = False,
) -> None:
    """What a clue to each word would tell, in bits.

    Also the chance to be right after that clue.
    """
    from wordpl.assistant.reading import read_word

    belief = _belief(game, after)
    _print_scores(belief, epsilon, [(read_word(word, belief.words), {}) for word in asked], json)


def rank(
    *,
    epsilon: Epsilon = math.inf,
    criterion: opt.Criterion = "clue_entropy",
    order: Annotated[float, typer.Option("--order", help="Order of the renyi criterion.", metavar="ALPHA")] = 2.0,
    count: opt.Count = 10,
    after: After = None,
    game: opt.ContestOptions,
    json: opt.Json = False,
) -> None:
    """Best next guesses by a criterion."""
    from wordpl.scoring.criteria import CRITERIA
    from wordpl.scoring.guess_scores import score_guesses

    belief = _belief(game, after)
    scores = score_guesses(belief, epsilon, criterion, order=order)
    ranked = (-scores if CRITERIA[criterion].larger_is_better else scores).argsort(kind="stable")[:count]
    chosen = [(belief.words.guesses[i], {criterion: float(scores[i])}) for i in ranked]
    _print_scores(belief, epsilon, chosen, json)


def list_strategies(*, json: opt.Json = False) -> None:
    """Strategies that a spec can name, with their parameters."""
    import inspect

    from wordpl.play.specs import strategies

    found = [(name, f"{name}{_parameters(kind)}", inspect.getdoc(kind) or "") for name, kind in strategies().items()]
    if json:
        print_json([{"name": name, "call": call, "account": account} for name, call, account in found])
        return
    for _, call, account in found:
        print_text(call, spec=True)
        print_text(f"    {account.splitlines()[0]}")
        typer.echo()


def _belief(game: opt.ContestOptions, after: list[str] | None) -> Posterior:
    from wordpl.assistant.reading import read_turn
    from wordpl.model.posterior import Posterior

    belief = Posterior(game.load(), game.rule)
    for text in after or []:
        belief = belief.update(*read_turn(text, belief.words))
    return belief


def _print_scores(belief: Posterior, epsilon: float, chosen: list[tuple[str, dict[str, float]]], json: bool) -> None:
    """Show words; `chosen` has them with the scores that are known already, by criterion."""
    from wordpl.scoring.criteria import CRITERIA
    from wordpl.scoring.guess_figures import score_word

    known = {name for _, scores in chosen for name in scores}
    shown = [*sorted(known.difference(_SHOWN)), *_SHOWN]
    found = [(word, score_word(belief, epsilon, word) | scores) for word, scores in chosen]
    if json:
        records = [{"word": word} | {name: scores[name] for name in shown} for word, scores in found]
        where = {"words": belief.words.name, "rule": belief.rule, "epsilon": json_epsilon(epsilon)}
        print_json(where | {"guesses": records})
        return
    columns = ["word", *(f"{name.replace('_', ' ')} ({CRITERIA[name].unit})" for name in shown)]
    texts = [numbers([scores[name] for _, scores in found]) for name in shown]
    rows = [*zip([word for word, _ in found], *texts, strict=True)]
    print_table(f"epsilon {number(epsilon)}, {belief.words.name}, {belief.rule}", columns, rows)


def _parameters(kind: type) -> str:
    """The parameters of a strategy, with their types as they are written and without the quotes around them."""
    import inspect

    signature = str(inspect.signature(kind, eval_str=False)).removesuffix(" -> None")
    return re.sub(r": '([^']*)'", r": \1", signature)
