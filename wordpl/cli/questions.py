"""The small questions: `wordpl clue`, `wordpl entropy`, `wordpl rank`, `wordpl list`."""

from __future__ import annotations

import math
import re
from typing import Annotated, NotRequired, cast

import typer
from typing_extensions import TypedDict

import wordpl
from wordpl.cli import options as opt
from wordpl.records import Doc, JsonEpsilon, Rule, Words
from wordpl.reporting.tables import number, numbers, print_json, print_table, print_text
from wordpl.text.displays import json_epsilon

Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="Budget of the clue; inf for no noise.", metavar="E")]
After = Annotated[
    list[str] | None,
    typer.Option(
        "--after", help="A clue already seen, as crate=..icc@13 (by default @inf); repeatable.", metavar="GUESS=CLUE"
    ),
]

_SHOWN = ("clue_entropy", "information_gain", "expected_top", "expected_remaining")


class ClueRecord(TypedDict):
    """The true clue for a guess and an answer."""

    guess: Annotated[str, Doc("The guess.")]
    answer: Annotated[str, Doc("The answer.")]
    rule: Rule
    clue: Annotated[str, Doc("The true clue.")]
    code: Annotated[int, Doc("Its code: the marks as a number in base 3.")]


class GuessScores(TypedDict):
    """What a clue to a word would tell."""

    word: Annotated[str, Doc("The guess.")]
    clue_entropy: Annotated[float, Doc("Bits.")]
    information_gain: Annotated[float, Doc("Bits.")]
    expected_top: Annotated[float, Doc("Chance to be right after the clue.")]
    expected_remaining: Annotated[float, Doc("Effective number of answers left after the clue.")]
    largest_part: NotRequired[
        Annotated[float, Doc("Answers that share the commonest true clue; only if ranked by it.")]
    ]
    parts: NotRequired[Annotated[float, Doc("Different true clues; only if ranked by it.")]]
    renyi: NotRequired[Annotated[float, Doc("Bits; only if ranked by it.")]]


class Ranking(TypedDict):
    """Words with what a clue to each would tell."""

    words: Words
    rule: Rule
    epsilon: Annotated[JsonEpsilon, Doc("Budget of the clue.")]
    guesses: Annotated[list[GuessScores], Doc("The words, in the order asked or ranked.")]


class StrategyRecord(TypedDict):
    """A strategy that a spec can name."""

    name: Annotated[str, Doc("Name of the strategy.")]
    call: Annotated[str, Doc("Name and parameters, with types and defaults.")]
    account: Annotated[str, Doc("Its docstring.")]


def clue(
    guess: Annotated[str, typer.Argument(help="The word asked.")],
    answer: Annotated[str, typer.Argument(help="The answer, of the same length.")],
    *,
    rule: opt.Rule = "letterwise",
    notation: Annotated[str, opt.choice(opt.NOTATIONS, "--notation", summary="How to write the clue")] = "ci.",
    json: opt.Json = False,
) -> None:
    """True clue for a guess and an answer."""
    from wordpl.assistant.reading import check_word

    guess, answer = check_word(guess), check_word(answer)
    found = wordpl.clue(guess, answer, rule)
    shown = found.show(notation)
    if json:
        print_json(ClueRecord(guess=guess, answer=answer, rule=rule, clue=str(found), code=found.code))
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
    order: Annotated[float, typer.Option(help="Order of the renyi criterion.", metavar="ALPHA")] = 2.0,
    count: opt.Count = 10,
    after: After = None,
    game: opt.ContestOptions,
    json: opt.Json = False,
) -> None:
    """Best next guesses by a criterion."""
    belief = _belief(game, after)
    scores = wordpl.score_guesses(belief, epsilon, criterion, order=order)
    values = scores
    if criterion == "clue_entropy" and epsilon < 1:  # the same order, where the digits of the entropy run out
        values = wordpl.score_guesses(belief, epsilon, "information_gain")
    ranked = (-values if wordpl.CRITERIA[criterion].larger_is_better else values).argsort(kind="stable")[:count]
    chosen = [(belief.words.guesses[i], {criterion: float(scores[i])}) for i in ranked]
    _print_scores(belief, epsilon, chosen, json)


def list_strategies(*, json: opt.Json = False) -> None:
    """Strategies that a spec can name, with their parameters."""
    import inspect

    found = [
        (name, f"{name}{_parameters(kind)}", inspect.getdoc(kind) or "") for name, kind in wordpl.strategies().items()
    ]
    if json:
        print_json([StrategyRecord(name=name, call=call, account=account) for name, call, account in found])
        return
    for _, call, account in found:
        print_text(call)
        print_text(f"    {account.splitlines()[0]}")
        typer.echo()


def _belief(game: opt.ContestOptions, after: list[str] | None) -> wordpl.Posterior:
    belief = wordpl.Posterior(game.load(), game.rule)
    for text in after or []:
        belief = belief.update(*wordpl.read_turn(text, belief.words))
    return belief


def _print_scores(
    belief: wordpl.Posterior, epsilon: float, chosen: list[tuple[str, dict[str, float]]], json: bool
) -> None:
    """Show words; `chosen` has them with the scores that are known already, by criterion."""
    known = {name for _, scores in chosen for name in scores}
    shown = [*sorted(known.difference(_SHOWN)), *_SHOWN]
    found = [(word, wordpl.score_word(belief, epsilon, word) | scores) for word, scores in chosen]
    if json:
        records = [{"word": word} | {name: scores[name] for name in shown} for word, scores in found]
        ranking: Ranking = {
            "words": belief.words.name,
            "rule": belief.rule,
            "epsilon": json_epsilon(epsilon),
            "guesses": cast(list[GuessScores], records),  # the criteria are names that the user has chosen
        }
        print_json(ranking)
        return
    columns = ["word", *(f"{name.replace('_', ' ')} ({wordpl.CRITERIA[name].unit})" for name in shown)]
    texts = [numbers([scores[name] for _, scores in found]) for name in shown]
    rows = [*zip([word for word, _ in found], *texts, strict=True)]
    print_table(f"epsilon {number(epsilon)}, {belief.words.name}, {belief.rule}", columns, rows)


def _parameters(kind: type) -> str:
    """The parameters of a strategy, with their types as they are written and without the quotes around them."""
    import inspect

    signature = str(inspect.signature(kind, eval_str=False)).removesuffix(" -> None")
    return re.sub(r": '([^']*)'", r": \1", signature)
