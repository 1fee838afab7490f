"""`wordpl solve`: the helper of a player who plays elsewhere, as a session or in one shot."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from threading import Thread
from typing import Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.defaults import BEST_GUESSES, FEW_ANSWERS
from wordpl.base.displays import counted, percent
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.terminal import Lines, PlayerOptions, fitting, say, screen, tiles, turn_clue
from wordpl.reporting.tables import number, print_json, print_table

_HELP = """GUESS CLUE       a guess and its clue, such as crate ..c..
                 (or 00200, bbgbb, ⬛⬛🟩⬛⬛)
GUESS! CLUE      a guess that the list does not have
undo [N]         take back the last clue, or clue N
new              start a new game
hard             hard mode on or off: take and suggest only what it allows
list             the answers that remain
?                ten of them, the likeliest first
why WORD         what a clue to WORD would tell
help, quit       (for a guess that is also a command: undo=..c.)"""
_NOISY_HELP = "\nGUESS CLUE @13   a clue at epsilon 13"
_PARTS_SHOWN = 20
_WORDS_PER_PART = 8
_NOISY_SHOWN = 50
_NOISY_LEFT = 10

_EMPTY = "Type a guess and its clue, such as crate ..c.., or help."


@dataclass(frozen=True)
class LetterOptions:
    """Letters that are known apart from guesses."""

    known: Annotated[str, Option(help="Known letters in their places, such as ..a.e.", metavar="PATTERN")] = ""
    has: Annotated[
        str, Option(help="Letters in the word: rr if it has two r, r:-4 if r is not in place 4.", metavar="LETTERS")
    ] = ""
    absent: Annotated[str, Option("--not", help="Letters that are not in the word.", metavar="LETTERS")] = ""


def solve(
    clues: Annotated[
        list[str] | None,
        Argument(help="Such as crate=..c.. or crate=..c..@13. Without any, a session starts.", metavar="GUESS=CLUE"),
    ] = None,
    *,
    epsilon: opt.NoisyEpsilon = math.inf,
    criterion: Annotated[
        str, opt.choice(tuple(wordpl.CRITERIA), "How to rank guesses", "", "--criterion", "-c")
    ] = "information_gain",
    count: Annotated[int, opt.count("Show at most N lines.")] = BEST_GUESSES,
    every: Annotated[
        bool, Option("--list", help=f"Show all answers that remain, even more than {FEW_ANSWERS}.")
    ] = False,
    letters: LetterOptions,
    game: PlayerOptions,
    json: opt.Json = False,
) -> None:
    """Suggest the next guess in a game that you play elsewhere.

    The game is ordinary Wordle, or WORDPL if its clues have an epsilon. Words and rule follow from that: the New York
    Times's for ordinary Wordle, the contest's for noisy clues. With --lies the game is Fibble, with the answers of
    fibble.xyz: enter the given first row, too, and you also see how likely each mark is false.

    With clues as arguments, or with known letters, it answers once; without, it reads clues and commands line by line.
    Exit code 1: the clues contradict each other, and the closest words are shown.
    """
    from wordpl.wordle.finished import finished_is_noisy
    from wordpl.wordle.reading import read_turns

    setting = game.setting(finished_is_noisy("\n".join(clues or []), epsilon), epsilon)
    if setting.format.first_guess is not None:
        raise WordplError("leave the first guess out of --game; enter it with its clue, as the first row")
    if known := letters != LetterOptions():
        if game.hard_mode:
            raise WordplError("hard mode needs your guesses with their clues; leave out --known, --has and --not")
        setting = replace(setting, words=setting.words.with_letters(letters.known, letters.has, letters.absent))
    assistant = wordpl.wordle.Assistant(setting, epsilon, criterion, game.hard_mode)
    assistant.take(read_turns(clues or [], assistant.words, assistant.epsilon))
    if json:
        print_json(assistant.record(count, *([None] if every else [])))
    elif clues or known:
        _show(assistant, count, every)
        if known and assistant.contradiction:
            say("Words that are only among the guesses may have other letters.")
    else:
        Session(assistant, count, every).run()
    if clues and assistant.contradiction and not assistant.solved:
        raise typer.Exit(1)


class Session:
    """A conversation, a line at a time."""

    def __init__(self, assistant: wordpl.wordle.Assistant, n: int, every: bool = False) -> None:
        self._assistant, self._n, self._every, self._lines = assistant, n, every, Lines()
        self._hard = assistant.hard or True  # the mode that `hard` turns off and on

    def run(self) -> None:
        """Reply to lines until the player leaves; once the word is found, an empty line is enough."""
        words = self._assistant.words
        size = counted(len(words.answers), "word")
        say(f"One of {size} of {words.length} letters ({words.name}, {self._assistant.rule}).")
        if most := self._assistant.setting.format.guesses:  # the right guess ends the game
            rows, lies, epsilon = counted(most, "row"), self._assistant.lies, self._assistant.epsilon
            if lies:
                rows = f"{counted(lies, 'mark')} of each row {'is' if lies == 1 else 'are'} false; {rows}"
            elif self._assistant.noisy:
                rows = f"Clues are at epsilon {epsilon:g}; {rows}"
            say(f"{rows}.")
        say("Type a guess and its clue, or help.")
        _show(self._assistant, self._n, self._every)
        if self._lines.terminal:  # load what the next screen needs while the player reads this one
            Thread(target=self._assistant.prepare).start()
        while (line := self._lines.read("> ")) is not None:
            if line.lower() in ("quit", "exit") or (not line and self._assistant.solved):
                break
            self.reply(line)

    def reply(self, line: str) -> None:
        """Do what a line says, then show the game and what to guess next. A mistake is shown; the session goes on."""
        try:
            if not self._changed(line):
                return
            for turn in self._assistant.turns if self._lines.terminal else ():
                screen().print(tiles(turn.guess, turn_clue(turn)))
            _show(self._assistant, self._n, self._every)
            if self._assistant.solved:
                goes_on = ", or the next row if the game went on" if self._assistant.noisy else ""
                say(f"Type undo or new{goes_on}; an empty line ends.")
        except WordplError as error:
            say(str(error))

    def _changed(self, line: str) -> bool:
        """Do what a line says, and return whether it has changed the game or how guesses are ranked."""
        from wordpl.wordle.reading import read_any_word, write_turn

        assistant = self._assistant
        command, _, rest = line.partition(" ")
        command, rest = command.lower(), rest.strip()
        if command == "undo":
            if rest and not rest.isdecimal():
                raise WordplError("undo takes the number of a clue, or nothing for the last one")
            say(f"Took back `{write_turn(assistant.undo(int(rest[:9]) if rest else None))}`.")
        elif command == "new":
            assistant.take(())
            say("A new game.")
        elif command == "hard":
            assistant.hard = False if assistant.hard else self._hard
            say(f"{'Extra hard' if self._hard == 'extra' else 'Hard'} mode is {'on' if assistant.hard else 'off'}.")
        elif command == "why" and rest:
            _show_reasons(assistant, read_any_word(rest, assistant.words))
            return False
        elif command == "list":
            exact = " ".join(word for word, _ in assistant.answers()) or "No answer fits the clues."
            say(_left(assistant, _NOISY_SHOWN) if assistant.noisy and not assistant.contradiction else exact)
            return False
        elif line == "?":
            say("No answer fits the clues." if assistant.contradiction else fitting(assistant.belief))
            return False
        elif command == "help" or not line:
            say(_HELP + ("" if assistant.setting.format.is_wordle else _NOISY_HELP) if line else _EMPTY)
            return False
        else:
            assistant.add(assistant.read(line))
        return True


def _show(assistant: wordpl.wordle.Assistant, n: int, every: bool) -> None:
    """Show the game, the best guesses, and few answers or `every` one."""
    if assistant.solved:
        say(f"Solved: {assistant.solved}, in {counted(len(assistant.turns), 'guess', 'guesses')}. Well done.")
        if assistant.solved not in assistant.words.answer_index:
            say(f"It is not among the answers of {assistant.words.name}.")
    elif assistant.contradiction:
        explanation = assistant.contradiction["explanation"]
        say(explanation[:1].upper() + explanation[1:])
        _show_closest(assistant, n)
    elif assistant.rows_left == 0:
        say(f"No row is left. {_left(assistant, _NOISY_LEFT)}")
    elif assistant.only:
        say(f"One answer remains: {assistant.only}.")
    else:
        _show_suggestions(assistant, n, every)
    if assistant.rows_left is not None and assistant.noisy:
        _show_false_marks(assistant)


def _show_suggestions(assistant: wordpl.wordle.Assistant, n: int, every: bool) -> None:
    suggestions = assistant.suggestions(n)
    columns = {
        "word": [statistics.word for statistics in suggestions],
        "bits": [_bits(statistics.bits) for statistics in suggestions],
        "expected remaining": [f"{statistics.expected_remaining:.2f}" for statistics in suggestions],
        "chance": [percent(statistics.chance) for statistics in suggestions],
    }
    if assistant.rows_left in (1, 2):
        columns["win"] = [*map(percent, assistant.scores(suggestions))]
    elif assistant.criterion not in ("information_gain", "expected_remaining"):
        columns[assistant.criterion.replace("_", " ")] = [*map(number, assistant.scores(suggestions))]
    ranked = " in hard mode" if assistant.hard else ""
    if assistant.noisy and assistant.rows_left is None:
        ranked = f" at epsilon {number(assistant.epsilon)}"
    uneven = assistant.noisy and assistant.lies is None
    remaining = f"Effectively {number(assistant.effective)}" if uneven else f"{assistant.remaining}"
    rows = "" if assistant.rows_left is None else f", and {counted(assistant.rows_left, 'row')}"
    say(f"{remaining} answers remain{rows}. Best next guesses{ranked}:")
    print_table("", [*columns], [*zip(*columns.values(), strict=True)])
    if best := assistant.best_answer(suggestions):
        say(f"Best possible answer: {best.word}, {_bits(best.bits)} bits, chance {percent(best.chance)}.")
    if every or assistant.remaining <= FEW_ANSWERS or (assistant.noisy and assistant.turns):
        say(_left(assistant, None if every else _NOISY_LEFT))
    if assistant.turns and (advice := assistant.advice):
        say(advice.text)


def _bits(bits: float) -> str:
    return f"{bits:.3e}" if 0 < bits < 1e-3 else f"{bits:.4f}"


def _show_false_marks(assistant: wordpl.wordle.Assistant) -> None:
    """Show the probability that each mark of each row is false."""
    marked = zip(assistant.turns, assistant.false_marks(), strict=False)

    def whole_percent(chance: float) -> str:  # 0 and 100% are for what is certain
        whole = min(max(round(100 * chance), 1), 99)
        return "0" if chance < 1e-12 else "100%" if chance > 1 - 1e-12 else f"{whole}%"

    if rows := [[turn.guess, turn_clue(turn), *map(whole_percent, chances)] for turn, chances in marked]:
        places = [str(k + 1) for k in range(assistant.words.length)]
        print_table("Chance that each mark is false", ["guess", "clue", *places], rows)


def _left(assistant: wordpl.wordle.Assistant, n: int | None) -> str:
    """The answers that remain: the `n` likeliest, or all if few, with their probabilities if there is noise."""
    answers = assistant.answers(None if assistant.remaining <= FEW_ANSWERS else n)
    if assistant.lies is not None:
        share = " " if assistant.remaining == 1 else ", each "
        more = "" if len(answers) == assistant.remaining else f" and {assistant.remaining - len(answers)} more"
        return f"Most probable: {' '.join(word for word, _ in answers)}{more}{share}{percent(1 / assistant.remaining)}"
    if assistant.noisy:
        return "Most probable: " + "  ".join(f"{word} {percent(p)}" for word, p in answers)
    return "Remaining: " + " ".join(word for word, _ in answers)


def _show_reasons(assistant: wordpl.wordle.Assistant, word: str) -> None:
    reasons = assistant.why(word)
    statistics = reasons.statistics
    notes = [] if reasons.known else [f"It is not in {assistant.words.name}."]
    notes += [] if reasons.legal or not assistant.hard else ["Hard mode does not allow it."]
    say(
        f"{statistics.word}: {_bits(statistics.bits)} bits,"
        f" {number(statistics.expected_remaining)} answers expected to remain,"
        f" chance of being the answer {percent(statistics.chance)}, {counted(statistics.parts, 'part')},"
        f" the largest of {statistics.largest_part}."
    )
    rows = []
    for part in reasons.parts[:_PARTS_SHOWN]:
        more = len(part.words) - _WORDS_PER_PART
        words = " ".join(part.words[:_WORDS_PER_PART]) + (f" and {more} more" if more > 0 else "")
        rows.append([part.clue, str(len(part.words)), percent(part.chance), words])
    if len(reasons.parts) > _PARTS_SHOWN:
        notes.append(f"and {len(reasons.parts) - _PARTS_SHOWN} smaller parts")
    print_table("How its true clue splits the answers", ["clue", "answers", "chance", "words"], rows, notes)


def _show_closest(assistant: wordpl.wordle.Assistant, n: int) -> None:
    words = [(close, "yes" if close.answer else "no, but among the guesses") for close in assistant.closest(n)]
    rows = [[close.word, str(close.contradicted_marks), is_answer] for close, is_answer in words]
    print_table("Closest words", ["word", "contradicted marks", f"answer of {assistant.words.name}"], rows)
