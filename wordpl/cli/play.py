"""`wordpl play`: a game in the terminal, of WORDPL against the referee, or of ordinary Wordle."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

import typer
from typer import Option

import wordpl
from wordpl.base.checks import clue_epsilon, turn_epsilon
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.logs import tell
from wordpl.cli.terminal import Lines, PlayerOptions, fitting, say, screen, tiles, turn_clue
from wordpl.model.names import CURRENT

_ASK_EPSILON = 13.0
_HELP = """WORD             get a clue to WORD at epsilon {epsilon:g}
WORD @EPSILON    get it at another epsilon
=WORD            {proposal}
?                the ten most probable answers, and any advice
help, quit
"""
_PROPOSAL = "propose WORD as the answer; the game ends"
_UNLIMITED_PROPOSAL = "guess WORD at epsilon 0: its clue tells nothing"
_WORDLE_HELP = """WORD             guess WORD
?                answers that fit the clues, or likely ones
help, quit
"""
_WORDS = """
answer           the secret word
clue             a mark for each letter of a guess
mark             c: the letter is right here; i: it is
                 elsewhere in the answer; .: it is not there"""
_NOISY_WORDS = """
false mark       any mark but the true one
epsilon          what a clue costs; the higher, the fewer
                 of its marks are false
budget           the sum of the epsilons of a game
posterior        the probability of each answer, given the
                 clues and how often marks are false"""


@dataclass(frozen=True)
class DrawOptions:
    """Which game is drawn."""

    seed: Annotated[int | None, Option(help="Seed of the game. Default: a new one.", parser=opt.SEED)] = None
    trial: Annotated[int, Option(min=0, max=2**63 - 1, help="Play game number N of that seed.")] = 0
    answer: Annotated[str | None, Option(help="Play with this answer, for example to teach.", metavar="WORD")] = None
    daily: Annotated[bool, Option("--daily", help=f"Play the page's word of the day, from {CURRENT}.")] = False
    day: Annotated[
        date | None,
        Option(
            "--date", help="Play the word of that day, such as 2026-11-24.", metavar="DAY", parser=date.fromisoformat
        ),
    ] = None

    def open(self, setting: wordpl.Setting) -> wordpl.OpenGame:
        from wordpl.wordle.reading import read_word

        root, trial = secrets.randbits(64) if self.seed is None else self.seed, self.trial
        if self.day is not None:
            root, trial = wordpl.wordle.seed_of_the_day(setting.words, setting.rule), self.day.toordinal()
        answer = None if self.answer is None else read_word(self.answer, setting.words)
        if answer is not None and answer not in setting.words.answer_index:
            tell(f"the answer is not among those of {setting.words.name}, so it is added to them")  # not which it is
            setting = replace(setting, words=setting.words.with_answer(answer))
        return wordpl.Referee(setting, root).open(trial, answer=answer)


def play(
    *,
    epsilon: Annotated[
        float | None, opt.epsilon(f"What a clue costs. Default: {_ASK_EPSILON:g}. inf plays ordinary Wordle.")
    ] = None,
    adversarial: Annotated[
        bool, Option("--adversarial", help="Play Wordle without a fixed answer: each clue leaves the most words.")
    ] = False,
    draw: DrawOptions,
    game: PlayerOptions,
) -> None:
    """Play a game in the terminal.

    In WORDPL you ask for noisy clues, each of which costs its epsilon, and then propose the answer. A wrong proposal
    loses; if you win, your score is what you spent, and a smaller score is better. At the end you see which marks were
    false, and a text to share.

    With --game unlimited each guess is also a proposal: the right one ends the game, and your score is all you spent.

    With --epsilon inf you play ordinary Wordle: exact clues and six turns. With --lies N you play Fibble: N marks of
    each clue are false, you have nine turns, and the first guess is given.
    """
    from wordpl.wordle.rules import MOST_ROWS, today

    if draw.daily and draw.day:
        raise WordplError("use either --daily or --date")
    if draw.daily:
        draw = replace(draw, daily=False, day=today())
    if adversarial or draw.day:
        others = draw.seed, draw.answer, game.channel, game.lies, game.game, None if epsilon == math.inf else epsilon
        if others != (None,) * len(others) or draw.trial or (adversarial and draw.day):
            raise WordplError(
                "--adversarial, and a word of the day, have exact clues, and take only words, rule and --hard beside"
                " them; leave out --seed, --trial, --answer, --epsilon, --channel, --lies and --game"
            )
        epsilon = math.inf
    ask_epsilon = _ASK_EPSILON if epsilon is None else epsilon
    if adversarial:
        words, rule = game.words_and_rule(noisy=False)
        setting = wordpl.Setting(words, rule, format=wordpl.GameFormat(MOST_ROWS))
        open_game = replace(draw.open(setting), opponent=wordpl.wordle.Adversary(words, rule))
    else:
        open_game = draw.open(_setting(game, epsilon, ask_epsilon))
    _play(open_game, ask_epsilon, game, draw.day)


def _setting(options: PlayerOptions, epsilon: float | None, ask_epsilon: float) -> wordpl.Setting:
    """The setting that the options name. With lies and no format, its first guess is given, as on fibble.xyz.

    `epsilon` is the one that was typed. Raises `WordplError` for a channel that has no clue at `ask_epsilon`.
    """
    from wordpl.play.formats import FIBBLE_FIRST_GUESS
    from wordpl.wordle.reading import read_word

    setting = options.setting(epsilon != math.inf, math.inf if epsilon is None else epsilon)
    words, format = setting.words, setting.format
    at = clue_epsilon("epsilon", setting.row_epsilon if format.is_wordle else ask_epsilon)
    channel = setting.channel(at, words.length)
    if not format.is_wordle:
        if options.hard_mode and not channel.exact:
            raise WordplError("--hard is for ordinary Wordle; add --epsilon inf")
        return replace(setting, noiseless=math.isinf(at))
    first = format.first_guess
    if first is None and options.game is None and channel.false_marks:
        first = FIBBLE_FIRST_GUESS
    elif first not in (None, FIBBLE_FIRST_GUESS):
        first = read_word(first, words)  # which says what was perhaps meant
    return replace(setting, format=replace(format, first_guess=first))


def _play(open_game: wordpl.OpenGame, epsilon: float, options: PlayerOptions, day: date | None) -> None:
    """Play until the game ends or the player leaves, then show what was true and what can be shared."""
    from wordpl.play.moves import InvalidMoveError
    from wordpl.wordle.finished import share_heading
    from wordpl.wordle.rules import game_name, hard_mode_fault

    setting, game, hard = open_game.rules.setting, open_game.game, options.hard_mode
    format, adversarial = setting.format, isinstance(open_game.opponent, wordpl.wordle.Adversary)
    rows = format.guesses
    channel = setting.channel(setting.row_epsilon if rows else epsilon, setting.words.length)
    most = "" if adversarial else f"/{rows}"
    epsilon_of_rows = "" if math.isinf(setting.row_epsilon) else f" at epsilon {setting.row_epsilon:g}"
    name = f"{game_name(setting)}{epsilon_of_rows}{f' of {day}' if day else ''}{', hard mode' if hard else ''}"

    def move(line: str) -> bool:
        legal = _read_move(line, setting, epsilon)
        word = legal.guess if isinstance(legal, wordpl.Ask) else legal.word
        if fault := hard_mode_fault(word, game.history, setting.rule, hard):
            raise WordplError(f"hard mode: {fault}")
        asked = len(game.history)
        over = open_game.take(legal) is None
        for turn in game.history[asked:]:
            row = tiles(turn.guess, turn_clue(turn))
            screen().print(row if rows or math.isinf(turn.epsilon) else row.append(f"  spent {game.budget:g}"))
            if format.right_ends and turn.clue == setting.words.n_clues - 1 and not game.won:
                say(f"It is not {turn.guess}: this row lies.")
        return over

    say("\n".join(_introduction(setting, channel, name, adversarial)))
    over, lines = setting.format.first_guess is not None and move(setting.format.first_guess), Lines()
    while not over:
        line = lines.read(f"{len(game.history) + 1}{most}> " if rows else "> ")
        if line is None or line.lower() in ("quit", "exit"):
            break
        try:
            if line.lower() == "help":
                proposal = _UNLIMITED_PROPOSAL if format.unlimited else _PROPOSAL
                moves = _WORDLE_HELP if rows else _HELP.format(epsilon=epsilon, proposal=proposal)
                say(moves + _WORDS + ("" if channel.exact else _NOISY_WORDS))
            elif line == "?":
                belief = setting.belief(game.history)
                say(fitting(belief))
                if game.history and not (format.right_ends or channel.exact):
                    say(wordpl.scoring.when_to_propose(belief).text)
            elif line:
                over = move(line)
        except (WordplError, InvalidMoveError) as error:
            say(str(error))
    say("The word of the day is shown only when the game is over." if day and not over else _ending(open_game, over))
    if not channel.exact:
        _show_truth(setting, game)
    if over:
        heading = share_heading(setting, game.history, game.won, rows, day=day, hard=hard, adversarial=adversarial)
        typer.echo(f"\n{wordpl.wordle.share_text(heading, game.history)}")  # as it is, to be copied


def _introduction(setting: wordpl.Setting, channel: wordpl.Channel, name: str, adversarial: bool) -> list[str]:
    """Return the lines that introduce a game: moves, false marks, and its end."""
    words, rows, lies, marks = setting.words, setting.format.guesses, channel.false_marks, channel.mark_matrix
    answer = f"one of {counted(len(words.answers), 'word')} of {words.length} letters ({words.name})"
    if lies:
        noise = f"Of the marks of each clue {lies} {'is' if lies == 1 else 'are'} false."
    elif channel.exact:
        noise = "All marks are true."
    else:
        wrong = channel.likelihood(0)[1:].sum() if marks is None else 2 * marks[1, 0]
        which = "in a clue some are" if marks is None else "each"
        noise = f"Marks may be false: at epsilon {channel.epsilon:g}, {which} with probability {100 * wrong:.3g}%."
        noise += "" if rows else " A clue costs its epsilon: the higher it is, the fewer marks are false."
    if rows is None:
        cost = "number of your turns" if setting.noiseless else "sum of the epsilons that your clues cost"
        end = "Once you are sure enough, propose the answer: =WORD. That ends the game, and a wrong word loses it."
        return [
            f"Find the answer, {answer}. Type a word to get a clue, or help.",
            noise,
            "Every guess is also a proposal. Only the right one ends the game." if setting.format.unlimited else end,
            f"Your score is the {cost}, and a smaller score is better.",
        ]
    if adversarial:
        noise += " No answer is drawn: each clue is the one that leaves the most words."
    guesses = "" if adversarial else f"; you have {counted(rows, 'guess', 'guesses')}"
    end = f"The right guess ends the game{guesses}."
    end += " The first guess is given." if setting.format.first_guess else ""
    return [f"{name}: guess the answer, {answer}. Type a word, or help.", noise, end]


def _ending(open_game: wordpl.OpenGame, over: bool) -> str:
    setting, game, host = open_game.rules.setting, open_game.game, open_game.opponent
    if isinstance(host, wordpl.wordle.Adversary) and not game.won:
        first, *others = host.left
        more = f" or {counted(len(others), 'other')}" if others else ""
        return f"It could have been {first}{more}."
    wordle = setting.format.is_wordle
    if not game.won:
        wrong, score = ("Wrong: the", " Your score is infinite.") if over and not wordle else ("The", "")
        return f"{wrong} answer was {game.answer}.{'' if setting.noiseless else score}"
    if wordle and not isinstance(host, wordpl.wordle.Adversary):
        return f"Right, in {game.turns} of {setting.format.guesses} turns."
    return f"Right, in {counted(game.turns, 'turn')}." if setting.noiseless else f"Right. Your score is {game.score:g}."


def _show_truth(setting: wordpl.Setting, game: wordpl.Game) -> None:
    """The true clue of each row, and which marks were false."""
    if game.history:
        say("The true clues:")
    for turn in game.history:
        noisy, true = turn_clue(turn), str(wordpl.clue(turn.guess, game.answer, setting.rule))
        places = [str(k) for k, (a, b) in enumerate(zip(noisy, true, strict=True), start=1) if a != b]
        note = f"  shown {noisy}, false: {' '.join(places)}" if places else ""
        screen().print(tiles(turn.guess, true).append(note))


def _read_move(line: str, setting: wordpl.Setting, epsilon: float) -> wordpl.Move:
    """The move that a line stands for; `epsilon` is that of an ask that names none."""
    from wordpl.wordle.reading import read_epsilon, read_word

    if setting.format.is_wordle:
        return wordpl.Ask(read_word(line.removeprefix("="), setting.words), setting.row_epsilon)
    if line.startswith("="):
        return wordpl.Answer(read_word(line[1:], setting.words))
    word, *rest = line.replace("@", " @ ", 1).split(maxsplit=1)
    if rest:
        check = turn_epsilon if setting.format.unlimited else clue_epsilon
        epsilon = read_epsilon(rest[0].removeprefix("@"), check)
    word = read_word(word, setting.words)
    return wordpl.Ask(word, epsilon) if epsilon else wordpl.Answer(word)
