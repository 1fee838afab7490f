"""`wordpl clue`, `explain` and `rank`."""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, Any, NotRequired, cast

import typer
from typer import Argument, Option
from typing_extensions import TypedDict

import wordpl
from wordpl.base import checks
from wordpl.base.checks import clue_epsilon
from wordpl.base.defaults import BEST_GUESSES, NOISY_CLUES, RENYI_ORDER, SEED
from wordpl.base.displays import counted, finite, json_epsilon, percent
from wordpl.base.errors import WordplError
from wordpl.base.json_types import ChannelName, Doc, JsonEpsilon, Rule, Words
from wordpl.cli import options as opt
from wordpl.cli.terminal import screen, tiles
from wordpl.model.names import NOTATIONS
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import TABLE, TableStyle, number, numbers, print_json, print_table, print_text

_EPSILONS = "Epsilons of the clue, such as 6,9,12. inf: no noise, or the channel's own epsilon."


class ClueRecord(TypedDict):
    """The true clue for a guess and an answer."""

    guess: Annotated[str, Doc("The guess.")]
    answer: Annotated[str, Doc("The answer.")]
    rule: Rule
    clue: Annotated[str, Doc("The true clue.")]
    code: Annotated[int, Doc("Its code: the marks as a number in base 3.")]
    channel: NotRequired[ChannelName]
    epsilon: NotRequired[Annotated[JsonEpsilon, Doc("Budget of a noisy clue; only with `--epsilon` or `--channel`.")]]
    seed: NotRequired[Annotated[str, Doc("Root seed of the noise: digits, as text.")]]
    noisy_clues: NotRequired[Annotated[list[str], Doc("The noisy clues.")]]


class GuessScores(TypedDict):
    """Show what a clue to a word would tell."""

    word: Annotated[str, Doc("The guess.")]
    epsilon: Annotated[JsonEpsilon, Doc("Budget of the clue.")]
    odds: Annotated[float | None, Doc("Largest factor a clue can put on the odds of two answers; null above e^700.")]
    clue_entropy: Annotated[float, Doc("Bits.")]
    information_gain: Annotated[float, Doc("Bits.")]
    expected_top: Annotated[float, Doc("Chance of naming the answer after the clue.")]
    expected_remaining: Annotated[float, Doc("Effective number of answers left after the clue.")]
    largest_part: NotRequired[Annotated[float, Doc("Answers with the commonest true clue; only if ranked by it.")]]
    parts: NotRequired[Annotated[float, Doc("Different true clues; only if ranked by it.")]]
    renyi: NotRequired[Annotated[float, Doc("Bits; only if ranked by it.")]]


class Ranking(TypedDict):
    """Words with what a clue to each would tell."""

    words: Words
    rule: Rule
    channel: Annotated[str, Doc("Name of the channel.")]
    guesses: Annotated[list[GuessScores], Doc("One object for each epsilon and word, the best word first.")]


class ClueChance(TypedDict):
    """A clue that a guess can get."""

    word: Annotated[str, Doc("The guess.")]
    epsilon: Annotated[JsonEpsilon, Doc("Budget of the clue.")]
    clue: Annotated[str, Doc("The clue.")]
    probability: Annotated[float, Doc("Its probability.")]


def clue(
    guess: Annotated[str, Argument(help="The guess.")],
    answer: Annotated[str, Argument(help="The answer, of the same length.")],
    *,
    rule: opt.Rule = "letterwise",
    notation: Annotated[str, opt.choice(tuple(NOTATIONS), "How to write the clue")] = "ci.",
    epsilon: Annotated[float | None, opt.epsilon("Also draw noisy clues, each at this epsilon.")] = None,
    channel: Annotated[
        str | None,
        opt.channel_option("randomized_response (default), fibble:2, ball:1 or any other that explain takes."),
    ] = None,
    count: Annotated[int | None, opt.count(f"Draw N noisy clues. Default: {NOISY_CLUES}.")] = None,
    seed: Annotated[
        int | None, Option(help=f"Draw the noise from this seed. Default: {SEED}.", parser=opt.SEED)
    ] = None,
    json: opt.Json = False,
) -> None:
    """Show the true clue for a guess and an answer, and noisy ones.

    A game of wordpl play with the same seed and answer shows the same noisy clues.
    """
    from wordpl.wordle.reading import check_word

    guess, answer = check_word(guess), check_word(answer)
    true = wordpl.clue(guess, answer, rule)
    record = ClueRecord(guess=guess, answer=answer, rule=rule, clue=str(true), code=true.code)
    lines = [f"{true.show(notation)}  {rule}"]
    if epsilon is not None or channel is not None:
        family, many, root = channel or "randomized_response", count or NOISY_CLUES, SEED if seed is None else seed
        drawn = wordpl.limits.explain(epsilon, family, guess=guess, answer=answer, rule=rule, count=many, seed=root)
        lines += [f"{noisy.show(notation)}  {_false_marks(noisy, true)}" for noisy in drawn.noisy_clues]
        facts = drawn.summary()
        record["channel"], record["epsilon"] = facts["channel"], facts["epsilon"]
        record["seed"], record["noisy_clues"] = facts["seed"], facts["noisy_clues"]
    elif count is not None or seed is not None:
        raise WordplError("--count and --seed are for noisy clues; add --epsilon, such as --epsilon 13")
    if json:
        print_json(record)
    else:
        typer.echo("\n".join(lines))


def _false_marks(noisy: wordpl.Clue, true: wordpl.Clue) -> str:
    return counted(sum(a != b for a, b in zip(noisy.marks, true.marks, strict=True)), "false mark")


def explain(
    epsilon: Annotated[
        float | None,
        Argument(help="Budget of the clue. Leave it out if the channel has one.", parser=opt.number(clue_epsilon)),
    ] = None,
    *,
    channel: opt.Channel = "randomized_response",
    seed: Annotated[int, Option(help="Draw the noise from this seed.", parser=opt.SEED)] = 1,
    table: opt.FormatOptions,
) -> None:
    """Explain what a clue at an epsilon tells, with five examples.

    You see how often a mark is true, how much a clue can tell, what epsilon promises, and how far several clues exceed
    the promise of one (delta). The examples are clues to CRATE for the answer HASTE.
    """
    found = wordpl.limits.explain(epsilon, channel, seed=seed)
    table.show(lambda: found, partial(_print_explanation, found))


def _print_explanation(found: wordpl.limits.Explanation, style: TableStyle) -> None:
    columns = ["clues", "budget", f"delta at epsilon {number(found.epsilon)}"]
    rows = [(str(k), number(k * found.epsilon), text) for k, text in enumerate(numbers(found.deltas), start=1)]
    if style.format != TABLE:
        print_table("", columns, rows, style=style)
        return
    print_text(f"One clue at epsilon {number(found.epsilon)} (channel {found.channel})")
    typer.echo()
    true, false = percent(found.mark_is_true, 4), percent(found.false_marks / len(found.guess), 4)
    none, mean = percent(found.clue_is_true, 4), number(found.false_marks)
    bits, most = number(found.capacity), number(found.exact_capacity)
    for line in (
        f"A mark is true with probability {true}, and false with {false}.",
        f"Of {len(found.guess)} marks, {mean} are false on average. With probability {none}, none is.",
        f"A clue tells at most {bits} bits about the answer. A clue without noise tells at most {most}.",
        *_promise(found),
    ):
        print_text(line)
    if found.deltas:
        power = f"e^{number(found.epsilon)}"
        typer.echo()
        note = (
            "Delta says how far several clues exceed the limit of one: the probability of any event is at most"
            f" {power} times as large for one word as for another, plus delta."
        )
        print_table("Several such clues together", columns, rows, [note])
    typer.echo()
    from wordpl.model.words import capitals

    guess, true_clue = found.guess, found.true_clue
    print_text(
        f"{capitals(guess)} for the answer {capitals(found.answer)}: the true clue, and noisy ones (seed {found.seed})"
    )
    screen().print(tiles(guess, str(true_clue)).append("  true"))
    for noisy in found.noisy_clues:
        screen().print(tiles(guess, str(noisy)).append(f"  {_false_marks(noisy, true_clue)}"))


def _promise(found: wordpl.limits.Explanation) -> tuple[str, str]:
    """The meaning of an epsilon for a guesser, of a clue and of one mark."""
    from wordpl.model.distance_channel import LARGEST_LOG_ODDS

    def can(odds: float, epsilon: float) -> str:
        if odds == math.inf and not LARGEST_LOG_ODDS < found.epsilon < math.inf:
            return "rule one of them out for certain."
        value = f" = {odds:,.0f}" if 1e4 <= odds < 1e12 else "" if odds == math.inf else f" = {number(odds)}"
        power = number(epsilon if odds == math.inf else math.log(odds))
        return f"make one of them at most e^{power}{value} times as likely as the other."

    start = "If two words seem equally likely, one clue can"
    return (
        f"{start} {can(found.odds, found.epsilon)}",
        f"One mark alone can {can(found.mark_odds, found.epsilon / len(found.guess))}",
    )


def rank(
    asked: Annotated[list[str] | None, Argument(help="Rank only these words.", metavar="WORD")] = None,
    *,
    epsilon: Annotated[str, Option("--epsilon", "-e", help=_EPSILONS)] = "inf",
    criterion: Annotated[
        str,
        opt.choice(
            tuple(wordpl.CRITERIA), "How to rank guesses", "Or FILE.py:Name.", "--criterion", "-c", from_file=True
        ),
    ] = "clue_entropy",
    order: Annotated[
        float | None,
        Option(help=f"Order of renyi. Default: {RENYI_ORDER:g}.", metavar="ALPHA", parser=opt.number(checks.number)),
    ] = None,
    count: Annotated[
        int | None, opt.count(f"Show N lines (--clues: for each WORD). Default: {BEST_GUESSES}, or all WORDs.")
    ] = None,
    clues: Annotated[bool, Option("--clues", help="Show the clues to each WORD, the likeliest first.")] = False,
    after: Annotated[list[str] | None, Option(help="Rank after this clue, such as crate=..icc@13 (or @inf).")] = None,
    game: opt.ChannelOptions,
    table: opt.FormatOptions,
) -> None:
    """Rank guesses by a criterion, all of them or some words, at one epsilon or more.

    You also see the chance of naming the answer after the clue, and the privacy guarantee of the clue. By
    default, words and rule are those of the contest. (solve uses those of ordinary Wordle.)
    """
    from wordpl.play.grids import epsilon_grid
    from wordpl.wordle.reading import read_word

    if clues and not asked:
        raise WordplError("--clues is for words; name one, as in wordpl rank crate --clues")
    if order is not None and criterion != "renyi":
        raise WordplError("--order is for --criterion renyi; add that, or leave out --order")
    belief = wordpl.Posterior(**game.terms())
    for text in after or []:
        belief = belief.update(*wordpl.wordle.read_turn(text, belief.words))
    epsilons = [wordpl.row_epsilon(belief.channel) if one == math.inf else one for one in epsilon_grid(epsilon)]
    words = [read_word(word, belief.words) for word in dict.fromkeys(asked or ())]
    if clues:
        chances = [chance for one in epsilons for word in words for chance in _clue_chances(belief, word, one)[:count]]
        table.show(lambda: chances, partial(_print_clues, chances, belief))
        return
    frame = wordpl.scoring.rank_guesses(
        belief, epsilons, criterion, count, order=RENYI_ORDER if order is None else order, guesses=words
    )
    rows = frame.to_dict("records")
    table.show(partial(_ranking, rows, belief), partial(_print_ranking, rows, belief))


def _clue_chances(belief: wordpl.Posterior, word: str, epsilon: float) -> list[ClueChance]:
    """The clues to a word that are possible, the likeliest first."""
    chances = belief.clue_probabilities(word, epsilon)
    order = [code for code in (-chances).argsort(kind="stable").tolist() if chances[code] > 0]
    spellings = ((str(wordpl.Clue(code, belief.words.length)), float(chances[code])) for code in order)
    return [ClueChance(word=word, epsilon=json_epsilon(epsilon), clue=clue, probability=p) for clue, p in spellings]


def _print_clues(chances: list[ClueChance], belief: wordpl.Posterior, style: TableStyle) -> None:
    columns = [TableColumn("word", kind="text"), TableColumn("epsilon"), TableColumn("clue", kind="text")]
    cells = ([row["word"], number(float(row["epsilon"])), row["clue"]] for row in chances)
    rows = [[*row, text] for row, text in zip(cells, numbers([row["probability"] for row in chances]), strict=True)]
    title = f"Clues: {belief.words.name}, {belief.rule}, {wordpl.channel_name(belief.channel)}"
    print_table(title, [*columns, TableColumn("probability")], rows, style=style)


def _ranking(rows: list[dict[Any, Any]], belief: wordpl.Posterior) -> Ranking:
    records = [row | {"epsilon": json_epsilon(row["epsilon"]), "odds": finite(row["odds"])} for row in rows]
    guesses = cast(list[GuessScores], records)  # the criteria are names that the user has chosen
    channel = wordpl.channel_name(belief.channel)
    return Ranking(words=belief.words.name, rule=belief.rule, channel=channel, guesses=guesses)


def _print_ranking(rows: list[dict[Any, Any]], belief: wordpl.Posterior, style: TableStyle) -> None:
    criteria, epsilons = list(rows[0])[3:], list(dict.fromkeys(row["epsilon"] for row in rows))
    columns = [TableColumn("word", kind="text")]
    columns += [
        TableColumn(f"{name.replace('_', ' ')} ({wordpl.CRITERIA[name].unit})" if name in wordpl.CRITERIA else name, at)
        for at, name in enumerate(criteria)
    ]
    texts = [[row["word"] for row in rows], *(numbers([row[name] for row in rows]) for name in criteria)]
    title, notes = f"{belief.words.name}, {belief.rule}, {wordpl.channel_name(belief.channel)}", []
    if len(epsilons) > 1 or style.format != TABLE:
        columns.insert(1, TableColumn("epsilon"))
        texts.insert(1, [number(row["epsilon"], 6) for row in rows])
        columns.append(TableColumn("odds", len(columns)))
        texts.append([number(row["odds"]) for row in rows])
        notes = ["odds: the largest factor by which the clue can change the odds of two answers."]
    else:
        title, odds = f"epsilon {number(epsilons[0])}, {title}", rows[0]["odds"]
        if math.isfinite(odds):
            notes = [f"A clue changes the odds between two answers by a factor of at most {odds:,.4g}."]
    print_table(title, columns, list(zip(*texts, strict=True)), notes, style)
