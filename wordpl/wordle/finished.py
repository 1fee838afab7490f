"""A finished game as players have it: guesses with clues, guesses with the answer, or the text that is shared of it.

A text is read line by line. A line has guesses, each with its clue or alone, or a row of squares; only headings are
passed over. `@13` after a clue is the epsilon of a noisy one. In a game of WORDPL the guess after the last clue is the
proposal.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from wordpl.base.checks import clue_epsilon, several
from wordpl.base.displays import counted, cut
from wordpl.base.errors import WordplError
from wordpl.model.channel import RandomizedResponse, channel_name
from wordpl.model.clues import SQUARES, Clue, clue, plain_squares
from wordpl.model.names import BUNDLED
from wordpl.model.words import WordList, as_words, fold_word
from wordpl.play.setting import History, Setting, Turn
from wordpl.wordle.reading import read_any_word, read_epsilon, written_epsilon
from wordpl.wordle.rules import HardMode, game_name

_END = re.compile(r"^WORDPL .*: (?:(?P<right>right\b)|not found)", re.MULTILINE)
_GAMES = (
    re.compile(
        r"^WORDPL (?P<words>[^\s,]+), (?P<rule>letterwise|counted)(?:, (?P<channel>\S+))?"
        r": (?:right\b|not found).*?(?P<unlimited> \(unlimited\))?$",
        re.MULTILINE,
    ),
    re.compile(
        r"^(?:Wordle|Fibble, (?P<lies>\d) lies?,)(?:, adversary,)? (?P<words>[^\s,]+)(?:, (?P<rule>letterwise))?"
        r"(?:, (?P<channel>\S+))?(?: \d{4}-\d\d-\d\d)? (?:\d+|X)/(?P<rows>\d+)\*?$",
        re.MULTILINE,
    ),
)
"""Headings of share texts (`share_heading`)."""
_STAR = re.compile(r"[\dX]/\d+\*", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_RESULT = re.compile(r"(?<!\S)(?P<rows>\d+|X)/(?P<most>\d+|∞)\*?(?=[\s,.;:!?)]|$)", re.IGNORECASE)
_HEADING = re.compile(rf"WORDPL\b|#|.*{_RESULT.pattern}", re.IGNORECASE)
_COUNT = re.compile(r"(?![012]{3,8}$)\d[\d,.]*")
_REVIEW = re.compile(r"(?:skill|luck) \d+/99", re.IGNORECASE)
_CLUE = rf"[.cigybx012{SQUARES}]{{3,8}}"
_COLON = re.compile(rf"^([^\W\d_]{{3,8}}!?) ?: ?(?={_CLUE}(?:[\s:,@]|$))", re.IGNORECASE)
_SPENT = re.compile(rf"(?<![^\s=:])({_CLUE})(?: ?[:,] ?| )(?![012]{{3,8}}$)(\d+(?:[.,]\d+)?|inf|∞)$", re.IGNORECASE)
_JSON = re.compile(r'\s*[\[{]\s*["\[{]')
_NUMBER = re.compile(r"^(?:\d{1,2}[.):\N{COMBINING ENCLOSING KEYCAP}]|[-*•]|>[> ]*)(?:\s+|$)")


class _Entry(NamedTuple):
    """A guess, a clue with the epsilon that it names, or both."""

    guess: str | None
    clue: Clue | None = None
    epsilon: float | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that is over: its `turns`, its `answer` and the word `proposed`, each None if it is not known."""

    turns: History
    hard: bool
    """True if its share text says that it was played in hard mode."""
    answer: str | None
    proposed: str | None = None
    right: bool | None = None
    """True if the share text says that the proposal was right, False if it says wrong, None if it does not say."""
    remark: str = ""
    """What its text tells: a result that does not fit its rows, or an adversary. Empty if there is neither."""


def read_finished(
    game: Sequence[str],
    words: WordList | str,
    rule: str = "counted",
    *,
    answer: str | None = None,
    share: str | None = None,
    epsilon: float = math.inf,
    lies: bool = False,
) -> Finished:
    """The `game` of guesses with their clues (`crate=..c..`), or of guesses alone with the answer or a share text.

    `share` is a text in any of these forms, which is read as `docs/how-to/wordle.md` says. `epsilon` is that of clues
    that name none; `lies` says that they have false marks. `words` is a word list or the name of one; `rule` is
    `letterwise` or `counted`. An `answer` beside clues is for a game that was lost. Raises `WordplError` for a line
    that cannot be read, missing clues or guesses, and an answer from which clues do not follow: they may be false.
    """
    game, words = several("game", game), as_words(words)
    known = None if answer is None else read_any_word(answer, words)
    text = "\n".join([share or "", *game])
    with_epsilons = _result(text) is None
    entries = [entry for part in (share or "", " ".join(game)) for entry in _entries(part, words, with_epsilons)]
    alone, ends = _without_clue(entries), _END.search(text)
    if not any(entry.clue for entry in entries):
        if known is None:
            raise WordplError("the clues are missing; give them as crate=..c.., or give the answer or the share text")
        if lies or epsilon != math.inf:
            raise WordplError("false clues do not follow from the answer; give them as crate=..c.. or a share text")
        turns = tuple(Turn(guess, math.inf, clue(guess, known, rule).code) for guess in alone)
        return Finished(turns, False, known)
    right = ends and bool(ends["right"])
    proposed = known if right else None
    may_propose = ends or finished_is_noisy(text, epsilon)
    if may_propose and len(alone) == _without_guess(entries) + 1:
        proposed = alone[-1]
        entries.remove(_Entry(proposed))
    turns, hard = _turns(entries, epsilon), _STAR.search(text) is not None
    answer = known or (proposed if right else None)
    return Finished(turns, hard, answer, proposed, right, _remark(text, turns, words))


def _result(text: str) -> re.Match[str] | None:
    """The first result of ordinary Wordle in a text, such as 4/6. In such a text a number after a row is no epsilon,
    but often the number of words left."""
    lines = (line for line in text.splitlines() if not any(square in line for square in SQUARES))
    results = (_RESULT.search(line) for line in lines if not line.upper().startswith("WORDPL"))
    result = next(filter(None, results), None)
    return None if result is None or result["most"] == "99" else result  # skill and luck


def _remark(text: str, turns: History, words: WordList) -> str:
    """Return what is to be said of a game by its text: a result that does not fit the rows, or an adversary."""
    result = _result(text)
    if result is None:
        return ""
    lost, solved = result["rows"].upper() == "X", turns[-1].clue == words.n_clues - 1
    rows = result["most"] if lost else result["rows"]
    if rows.isdigit() and int(rows) != len(turns):
        return f"the text says {result[0]}, but has {counted(len(turns), 'row')}; a row may be missing"
    if lost == solved:
        end = "is all correct" if solved else "is not all correct"
        return f"the text says {result[0]}, but its last row {end}; a row may be missing"
    return "an adversary chose the clues, so luck says nothing" if ", adversary, " in text else ""


def finished_is_noisy(text: str, epsilon: float = math.inf) -> bool:
    """Return whether a text for `read_finished` has a clue with a finite epsilon."""
    spent = (_SPENT.search(line.strip()) for line in text.splitlines() if _result(text) is None)
    return (
        epsilon < math.inf
        or re.search(r"@[ \t]*[\d.]", text) is not None
        or any(found and found[2][0].isdigit() for found in spent)
    )


def are_words(game: Sequence[str]) -> bool:
    """Return whether a game is given as guesses alone, without clues."""
    return all(text.removesuffix("!").isalpha() for text in game)


def _turns(entries: Sequence[_Entry], epsilon: float) -> History:
    """The turns; rows without a guess take the guesses without a clue, in their order."""
    alone, rows = _without_clue(entries), _without_guess(entries)
    if len(alone) > rows == 0:
        raise WordplError(f"there is no clue to {alone[0]}; write {alone[0]}=..c..")
    if rows > len(alone) == 0:
        raise WordplError("the share text has only squares; give the guesses, too")
    if rows != len(alone):
        guesses = counted(len(alone), "guess", "guesses")
        raise WordplError(f"the share text has {counted(rows, 'row')} of squares for {guesses}")
    own, rest, turns = clue_epsilon("epsilon", epsilon), iter(alone), []
    for entry in entries:
        if entry.clue is not None:
            spent = own if entry.epsilon is None else entry.epsilon
            turns.append(Turn(entry.guess or next(rest), spent, entry.clue.code))
    return tuple(turns)


def _without_clue(entries: Iterable[_Entry]) -> list[str]:
    return [entry.guess for entry in entries if entry.guess and entry.clue is None]


def _without_guess(entries: Iterable[_Entry]) -> int:
    return sum(entry.guess is None for entry in entries)


def _entries(text: str, words: WordList, with_epsilons: bool) -> list[_Entry]:
    """The entries of all lines of a text, in order. Raises `WordplError` for a line that cannot be read."""
    if _JSON.match(text):
        raise WordplError("the game is given as JSON; write each guess and its clue as crate=..c.. instead")
    entries, lines = [], plain_squares(text).splitlines()
    for number, line in enumerate(lines, start=1):
        tokens = _tokens(line, with_epsilons)
        if not _is_heading(line.strip(), tokens, words):
            try:
                if len(lines) > 1 and not _may_be_row(tokens, words):
                    form = f"a guess of {words.length} letters with its clue is expected, or no such line"
                    raise WordplError(f"{cut(line.strip(), 41)!r} is no row; {form}")
                entries += _entries_of_line(tokens, words)
            except WordplError as error:
                raise WordplError(f"line {number}: {error}" if len(lines) > 1 else str(error)) from None
    return entries


def _entries_of_line(tokens: Sequence[str], words: WordList) -> list[_Entry]:
    entries: list[_Entry] = []
    behind_squares = False
    for token in tokens:
        guess, _, rest = token.rpartition("=")
        if behind_squares and not guess and not _may_say_more(token, words):
            continue  # a remark
        if not guess and not _is_clue(rest.partition("@")[0], words):
            entries.append(_Entry(read_any_word(token, words)))
            continue
        marks, at, epsilon = rest.partition("@")
        row = _Entry(None, Clue.parse(marks, words.length), read_epsilon(epsilon) if at else None)
        behind_squares = any(square in marks for square in SQUARES)
        if guess:
            entries.append(row._replace(guess=read_any_word(guess, words)))
        elif not entries:
            entries.append(row)
        elif entries[-1].clue is None:
            entries[-1] = row._replace(guess=entries[-1].guess)
        else:
            raise WordplError("there are two rows side by side; write one game, with one row per line")
    if len(entries) > 1 and entries[0].guess is None:
        row, after = entries[:2]
        if len(entries) > 2 or after.clue is not None:
            raise WordplError("there is something after the row other than a guess; write one row per line")
        return [row._replace(guess=after.guess)]
    return entries


def _tokens(line: str, with_epsilons: bool) -> list[str]:
    """The words, clues and rows of a line. `=` and `@` join what is around them; single squares form one row.

    `crate: ..icc` is `crate=..icc`. `with_epsilons`, a number after a clue at the end of a line is its epsilon.
    """
    line = " ".join(_NUMBER.sub("", line.strip(), count=1).split())
    if all(len(group) == 1 for group in re.findall(f"[{SQUARES}]+", line)):
        line = re.sub(f"(?<=[{SQUARES}]) (?=[{SQUARES}])", "", line)
    line = _COLON.sub(r"\1=", line)
    line = _SPENT.sub(r"\1@\2" if with_epsilons else r"\1", line)
    line = re.sub(r"(@ ?\d+),(?!\d{3}\b)(?=\d)", r"\1.", line)  # 12,5 is a number; 1,000 may mean two
    line = " ".join(line.replace(",", " ").replace("|", " ").split())
    return re.sub(" ?([=@]) ?", r"\1", line).split()


def _is_heading(line: str, tokens: Sequence[str], words: WordList) -> bool:
    """Return whether a line is a heading, which is skipped.

    It is an address, a number, a review such as Skill 99/99, or it begins with WORDPL or #, or has a result such as
    4/6, but has no squares and no clue, and more than guesses beside the result.
    """
    if _ADDRESS.fullmatch(line) or _REVIEW.match(line) or _COUNT.fullmatch(line):
        return True
    texts = [token for token in tokens if not token[0].isdigit() and "/" not in token]
    squares = any(square in line for square in SQUARES)
    if squares or not _HEADING.match(line) or any(_reads_as_clue(text, words) for text in texts):
        return False
    return not any("=" in text for text in texts) and not (texts and all(_is_guess(text, words) for text in texts))


def _may_be_row(tokens: Sequence[str], words: WordList) -> bool:
    """Return whether a line has a clue or squares, or only words that could be guesses, perhaps misspelt."""
    return all(_may_say_more(token, words) for token in tokens) or any(
        "=" in token or any(square in token for square in SQUARES) or _reads_as_clue(token.partition("@")[0], words)
        for token in tokens
    )


def _may_say_more(token: str, words: WordList) -> bool:
    """Return whether a token after a row may be a guess or a clue, and not a remark."""
    has_length = len(fold_word(token.removesuffix("!"))) == words.length and not token.isdigit()
    return has_length or any(square in token for square in SQUARES) or _reads_as_clue(token.partition("@")[0], words)


def _is_clue(marks: str, words: WordList) -> bool:
    """Return whether a text is not a word. The reader of clues says what is wrong with a text that is neither."""
    return not are_words([marks]) or (_reads_as_clue(marks, words) and not _is_guess(marks, words))


def _is_guess(text: str, words: WordList) -> bool:
    return fold_word(text) in words.guess_index


def _reads_as_clue(marks: str, words: WordList) -> bool:
    try:
        Clue.parse(marks, words.length)
    except WordplError:
        return False
    return True


def shared_terms(text: str) -> dict[str, str]:
    """Return what the first heading by `share_heading` in `text` says of its game: a bundled list `words`, `rule`,
    `channel` and `game` (a format), as `play` takes them. What it does not say, or is not known here, is left out. A
    channel can be that of a file, which is not to be run because a text names it.

    >>> shared_terms("Fibble, 2 lies, nyt2023 3/9")
    {'words': 'nyt2023', 'rule': 'counted', 'channel': 'fibble:2', 'game': 'wordle:9'}
    """
    found = next(filter(None, (heading.search(text) for heading in _GAMES)), None)
    if found is None:
        return {}
    said = {"rule": "counted", **{name: value for name, value in found.groupdict().items() if value}}
    terms: dict[str, str] = {name: said[name] for name in ("words", "rule", "channel") if name in said}
    if terms["words"] not in BUNDLED:
        del terms["words"]
    if "lies" in said:
        terms["channel"] = f"fibble:{said['lies']}"
    terms["game"] = f"wordle:{said['rows']}" if "rows" in said else "unlimited" if "unlimited" in said else "contest"
    return terms


def share_heading(
    setting: Setting,
    turns: History,
    won: bool,
    rows: int | None,
    *,
    day: date | None = None,
    hard: HardMode = False,
    adversarial: bool = False,
) -> str:
    """The first line of the share text of a game of so many rows, or of one of WORDPL, which has None.

    It says all that `shared_terms` reads. What ordinary Wordle has by default is left out.
    """
    terms, channel = [setting.words.name], channel_name(setting.channel)
    if rows is None:
        terms += [setting.rule, *([] if setting.channel is RandomizedResponse else [channel])]
        spent = "" if setting.noiseless else f" with a budget of {math.fsum(turn.epsilon for turn in turns):g}"
        many = ("guess", "guesses") if setting.format.unlimited else ("ask", "asks")
        asked = counted(len(turns), *many) + (" (unlimited)" if setting.format.unlimited else "")
        return f"WORDPL {', '.join(terms)}: {f'right{spent}' if won else 'not found'}, {asked}"
    terms += [setting.rule] if setting.rule != "counted" else []
    terms += [channel] if setting.row_epsilon < math.inf else []
    name = game_name(setting) + (", adversary" if adversarial else "")
    begin = f"{name}{'' if name == 'Wordle' else ','} {', '.join(terms)}{f' {day}' if day else ''}"
    return f"{begin} {len(turns) if won else 'X'}/{rows}{'*' if hard else ''}"


def share_text(heading: str, turns: History) -> str:
    """Return `heading`, an empty line, and a line of squares for each of `turns`, with its epsilon if that is finite.

    `read_finished` reads it. The star of hard mode stands in the heading, as in `Wordle 4/6*`.

    >>> from wordpl import Turn
    >>> print(share_text("WORDPL, 13", (Turn("crate", 13.0, 17),)))
    WORDPL, 13
    <BLANKLINE>
    ⬛⬛🟨🟩🟩 @13
    """
    rows = [f"{Clue(turn.clue, len(turn.guess)).show('emoji')} {written_epsilon(turn)}".rstrip() for turn in turns]
    return "\n".join([heading, "", *rows])
