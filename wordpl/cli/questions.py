"""The small questions: `wordpl clue`, `wordpl rank`, `wordpl list`."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NotRequired, cast

import typer
from typer import Argument, Option
from typing_extensions import TypedDict

import wordpl
from wordpl.base.displays import counted, json_epsilon
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc, JsonEpsilon, Rule, Words
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import WORDS
from wordpl.reporting.tables import number, numbers, print_json, print_table, print_text

Epsilon = Annotated[float, opt.epsilon("Budget of the clue; inf for no noise, or the one that the channel has.")]

_ALWAYS = ("clue_entropy", "information_gain", "expected_top", "expected_remaining")


@dataclass(frozen=True)
class BeliefOptions(opt.ChannelOptions):
    """What is known of the answer."""

    after: Annotated[list[str] | None, Option(help="A clue already seen, as crate=..icc@13 (or @inf).")] = None

    def belief(self, epsilon: float) -> tuple[wordpl.Posterior, float]:
        """The posterior, and the epsilon of the next clue: the one that the channel has, if none is named."""
        belief = wordpl.Posterior(self.load(), self.rule, wordpl.channel_family(self.channel))
        for text in self.after or []:
            belief = belief.update(*wordpl.wordle.read_turn(text, belief.words))
        return belief, wordpl.row_epsilon(belief.channel) if epsilon == math.inf else epsilon


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
    channel: Annotated[str, Doc("Name of the channel.")]
    epsilon: Annotated[JsonEpsilon, Doc("Budget of the clue.")]
    odds: Annotated[
        float | None, Doc("The largest factor by which the clue can change the odds of two answers; null for infinity.")
    ]
    guesses: Annotated[list[GuessScores], Doc("The words, the best first.")]


class StrategyRecord(TypedDict):
    """A strategy that a spec can name."""

    name: Annotated[str, Doc("Name of the strategy.")]
    call: Annotated[str, Doc("Name and parameters, with types and defaults.")]
    account: Annotated[str, Doc("Its docstring.")]


def clue(
    guess: Annotated[str, Argument(help="The word asked.")],
    answer: Annotated[str, Argument(help="The answer, of the same length.")],
    *,
    rule: opt.Rule = "letterwise",
    notation: Annotated[str, opt.choice(opt.NOTATIONS, "How to write the clue")] = "ci.",
    json: opt.Json = False,
) -> None:
    """True clue for a guess and an answer."""
    from wordpl.wordle.reading import check_word

    guess, answer = check_word(guess), check_word(answer)
    true = wordpl.clue(guess, answer, rule)
    if json:
        print_json(ClueRecord(guess=guess, answer=answer, rule=rule, clue=str(true), code=true.code))
    else:
        typer.echo(f"{true.show(notation)}  {rule}")


def rank(
    asked: Annotated[list[str] | None, Argument(help="Rank only these words.", metavar="WORD")] = None,
    *,
    epsilon: Epsilon = math.inf,
    criterion: opt.Criterion = "clue_entropy",
    order: Annotated[float | None, Option(help="Order of the renyi criterion. Default: 2.", metavar="ALPHA")] = None,
    count: Annotated[
        int | None,
        Option("--count", "-k", min=1, max=100_000, help="How many lines to show. Default: 10, or each WORD."),
    ] = None,
    game: BeliefOptions,
    json: opt.Json = False,
) -> None:
    """Best next guesses by a criterion, or the best of some words.

    Also shows the chance of naming the answer after that clue, and the privacy guarantee of the clue.
    """
    from wordpl.wordle.reading import read_word

    if order is not None and criterion != "renyi":
        raise WordplError("--order is for --criterion renyi; add that, or leave out --order")
    belief, epsilon = game.belief(epsilon)
    words = [read_word(word, belief.words) for word in dict.fromkeys(asked or ())]
    pairs = _ranked(belief, epsilon, criterion, 2.0 if order is None else order, words, count or len(words) or 10)
    _print_scores(belief, epsilon, pairs, json)


def _ranked(
    belief: wordpl.Posterior, epsilon: float, criterion: str, order: float, words: list[str], count: int
) -> list[tuple[str, dict[str, float]]]:
    """The `count` best of these words, or else of all guesses, with the scores that were computed for that."""
    if words and criterion in _ALWAYS:  # a few words wait for no kernels
        # The same order, where the digits of the entropy run out.
        by = "information_gain" if criterion == "clue_entropy" and epsilon < 1 else criterion
        larger = wordpl.CRITERIA[criterion].larger_is_better
        words = sorted(words, key=lambda word: wordpl.score_word(belief, epsilon, word)[by], reverse=larger)
        return [(word, {}) for word in words[:count]]
    some = [belief.words.guess_index[word] for word in words] or None
    best = wordpl.best_guesses(belief, epsilon, criterion, count, order=order, guesses=some)
    return [(word, {criterion: score}) for word, score in best]


def list_(
    *,
    words: Annotated[
        str | None, opt.choice(opt.WORD_LISTS, "The answers of a bundled word list, in place of the strategies")
    ] = None,
    every_guess: Annotated[bool, Option("--every-guess", help="All words of it that can be guessed.")] = False,
    out: Annotated[Path | None, opt.out("Write the words to this .txt, which --answers can read.", WORDS)] = None,
    json: opt.Json = False,
) -> None:
    """Strategies that a spec can name, or the words of a list."""
    if words is not None:
        _list_words(wordpl.load_words(words), every_guess, out, json)
        return
    if every_guess or out is not None:
        raise WordplError("--every-guess and --out are for words; give --words, too, as --words nyt2023")
    records = []
    for name, kind in wordpl.strategies().items():
        # The parameters with their types as they are written, and without the quotes around them.
        signature = str(inspect.signature(kind, eval_str=False)).removesuffix(" -> None")
        call = name + re.sub(r": '([^']*)'", r": \1", signature)
        records.append(StrategyRecord(name=name, call=call, account=inspect.getdoc(kind) or ""))
    if json:
        print_json(records)
        return
    for record in records:
        print_text(record["call"])
        print_text(f"    {record['account'].splitlines()[0]}")
        typer.echo()


def _list_words(words: wordpl.WordList, every_guess: bool, out: Path | None, json: bool) -> None:
    """Print words, or write them to a file that `load_words` reads."""
    chosen = words.guesses if every_guess else words.answers
    if out is not None:
        words.write(out, every_guess=every_guess)
        NOTES.info("%s written to %s", counted(len(chosen), "word"), out)
    elif json:
        print_json(list(chosen))
    else:
        typer.echo("\n".join(chosen))


def _print_scores(
    belief: wordpl.Posterior, epsilon: float, pairs: list[tuple[str, dict[str, float]]], json: bool
) -> None:
    """Show words; `pairs` has them with the scores that are known already, by criterion."""
    channel = wordpl.channel_name(belief.channel)
    odds = math.exp(epsilon) if epsilon < 700.0 else math.inf  # what an epsilon promises
    names = {name for _, scores in pairs for name in scores}
    criteria = [*sorted(names.difference(_ALWAYS)), *_ALWAYS]
    # Those of one word are exact where there is nothing to learn.
    table = [(word, scores | wordpl.score_word(belief, epsilon, word)) for word, scores in pairs]
    if json:
        records = [{"word": word} | {name: scores[name] for name in criteria} for word, scores in table]
        guesses = cast(list[GuessScores], records)  # the criteria are names that the user has chosen
        words, rule = belief.words.name, belief.rule
        finite = odds if math.isfinite(odds) else None
        record = Ranking(
            words=words, rule=rule, channel=channel, epsilon=json_epsilon(epsilon), odds=finite, guesses=guesses
        )
        print_json(record)
        return
    columns = ["word", *(f"{name.replace('_', ' ')} ({wordpl.CRITERIA[name].unit})" for name in criteria)]
    texts = [numbers([scores[name] for _, scores in table]) for name in criteria]
    rows = [*zip([word for word, _ in table], *texts, strict=True)]
    print_table(f"epsilon {number(epsilon)}, {belief.words.name}, {belief.rule}, {channel}", columns, rows)
    if math.isfinite(odds):
        print_text(f"A clue changes the odds of two answers by a factor of {odds:,.4g} at most.")
