"""Games as players have them, and turns as they are typed: every way that is allowed, every slip that is told."""

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generators import clues, epsilons
from tests.support.helpers import ORIGINAL, SMALL
from tests.support.refusals import refusal
from wordpl import GameFormat, Setting, Turn, WordList, WordplError, channel_family, load_words
from wordpl.model.clues import Clue
from wordpl.model.names import NOTATIONS
from wordpl.model.words import words_from_text
from wordpl.wordle.finished import Finished, finished_is_noisy, read_finished, share_heading, share_text, shared_terms
from wordpl.wordle.reading import check_word, did_you_mean, read_any_word, read_turn, read_turns, read_word, write_turn
from wordpl.wordle.session import Assistant

GUESSES = ["crate", "slink", "solar"]

SHARED = """Wordle 1,234 3/6*

⬛🟨🟨⬛⬛
🟩🟨⬜⬜⬜
🟩🟩🟩🟩🟩 what a day!
"""


def read_pasted(text: str, words: WordList, guesses: str = "", **options) -> Finished:
    return read_finished([guesses], words, share=text, **options)


TURNS = read_finished(GUESSES, ORIGINAL, "letterwise", answer="solar").turns
NO_MARK = (Turn("crate", math.inf, 0),)


def test_a_pasted_share_text_needs_the_guesses():
    assert read_pasted(SHARED, ORIGINAL, guesses="crate, slink\nsolar") == Finished(TURNS, True, None)
    contrast = SHARED.translate({ord("🟩"): "🟧", ord("🟨"): "🟦", ord("⬛"): "⬛\ufe0f", ord("*"): ""})
    assert read_pasted(contrast, ORIGINAL, guesses="crate slink solar") == Finished(TURNS, False, None)
    for star in ("Wordle 1,234 X/6*", "Wordle 1.234 x/6*"):
        assert read_pasted(SHARED.replace("Wordle 1,234 3/6*", star), ORIGINAL, guesses="crate slink solar").hard
    assert "only squares" in refusal(read_pasted, SHARED, ORIGINAL)
    assert "3 rows of squares for 1 guess" in refusal(read_pasted, SHARED, ORIGINAL, guesses="crate")
    assert "did you mean 'crate'" in refusal(read_pasted, SHARED, ORIGINAL, guesses="crtae slink solar")


@pytest.mark.parametrize(("end", "right"), [("right with a budget of 26", True), ("right", True), ("not found", False)])
def test_the_word_after_the_last_clue_of_a_noisy_game_is_the_proposal(end, right):
    turns = tuple(Turn(guess, 13.0, 5) for guess in GUESSES[:2])
    text = share_text(f"WORDPL original, letterwise, ball:1: {end}, 2 asks", turns)
    answer = "solar" if right else None
    game = read_pasted(text, ORIGINAL, guesses="crate slink solar")
    assert game == Finished(turns, False, answer, "solar", right)
    assert read_pasted(text, ORIGINAL, guesses="crate slink").proposed is None
    assert read_pasted("crate ..c.. @13 slink", ORIGINAL).proposed == "slink"
    assert "no clue to slink" in refusal(read_pasted, "crate ..c.. slink", ORIGINAL)


def test_guesses_with_the_answer():
    assert read_pasted("crate slink", ORIGINAL, answer=" Solar ") == Finished(TURNS[:2], False, "solar")
    assert read_pasted("", ORIGINAL, guesses="crate slink", answer="solar").turns == TURNS[:2]
    assert read_pasted("crate=.ii..", ORIGINAL, answer="solar") == Finished(TURNS[:1], False, "solar")
    with pytest.raises(WordplError, match="'zzzzz' is not in the word list original"):
        read_pasted("crate slink", ORIGINAL, answer="zzzzz")
    assert read_pasted("crate", ORIGINAL, answer="zzzzz!") == Finished(NO_MARK, False, "zzzzz")
    assert "clues are missing" in refusal(read_pasted, "crate slink", ORIGINAL)
    assert "only squares" in refusal(read_finished, ["crate=.ii.."], ORIGINAL, share=SHARED)
    assert "do not follow" in refusal(read_pasted, "crate slink", ORIGINAL, answer="solar", epsilon=13.0)
    assert "do not follow" in refusal(read_pasted, "crate slink", ORIGINAL, answer="solar", lies=True)


def test_a_row_may_have_an_epsilon_of_its_own():
    text = "WORDPL\n⬛🟨🟨⬛⬛ @13\n🟩🟨⬛⬛⬛@4.5\n🟩🟩🟩🟩🟩"
    for own in (math.inf, 7.0):
        turns = read_finished(GUESSES, ORIGINAL, share=text, epsilon=own).turns
        assert [turn.epsilon for turn in turns] == [13.0, 4.5, own]
    assert read_pasted("crate ..c.. @12,5", ORIGINAL).turns[0].epsilon == 12.5
    assert "'000'" in refusal(read_pasted, "crate ..c.. @1,000", ORIGINAL)  # which may be one number or two
    assert finished_is_noisy(text)
    assert not finished_is_noisy(SHARED.replace("\n", " @inf\n"))
    for at in ("", "@inf", "@INF", "@ ∞", " inf", ", ∞", "@13", "@ 0", " 13"):
        assert finished_is_noisy(f"crate=..c..\nslate=..c..{at}") == at.endswith(("13", "0"))
    assert finished_is_noisy("crate=..c..@inf", 13.0)
    assert "epsilon 'x' is not allowed" in refusal(read_pasted, text.replace("@13", "@x"), ORIGINAL, " ".join(GUESSES))


SHARED_TURNS = st.lists(st.tuples(st.sampled_from(SMALL.guesses), st.integers(0, 242)), min_size=1, max_size=9)


@given(SHARED_TURNS, st.sampled_from([1.0, 13.0, 0.01, float("inf")]), st.booleans())
def test_what_is_shared_can_be_read_and_has_no_word_of_the_game(turns, epsilon, hard):
    history = tuple(Turn(guess, epsilon, code) for guess, code in turns)
    text = share_text(f"Wordle {len(turns)}/6{'*' if hard else ''}", history)
    given = read_pasted(text, SMALL, " ".join(guess for guess, _ in turns), epsilon=epsilon)
    assert (given.turns, given.hard) == (history, hard)
    assert not any(guess in text.lower() for guess, _ in turns)


@pytest.mark.parametrize("words", ["original", "nyt2023"])
@pytest.mark.parametrize(
    ("rule", "channel", "game"),
    [
        ("letterwise", "whole_clue", "contest"),
        ("counted", "randomized_response", "unlimited"),
        ("letterwise", "fibble:3", "wordle:6"),
        ("counted", "randomized_response:12.34567", "wordle:6"),
        ("letterwise", "levels:9,3,1,1,1,1", "wordle:50"),
    ],
)
def test_a_share_text_says_which_game_it_is_of(words, rule, channel, game):
    setting = Setting(load_words(words), rule, channel_family(channel), format=GameFormat.parse(game))
    more = {"day": date(2026, 11, 29), "hard": "extra", "adversarial": "fibble" not in channel}
    told = shared_terms(share_text(share_heading(setting, NO_MARK, True, setting.format.guesses, **more), NO_MARK))
    assert channel_family(told.pop("channel", "randomized_response")) == setting.channel
    assert told == {"words": words, "rule": rule, "game": game}


ADVERSARY, DAY = {"hard": True, "adversarial": True}, {"day": date(2026, 11, 29)}


@pytest.mark.parametrize(
    ("channel", "game", "epsilons", "won", "more", "heading"),
    [
        ("", "contest", (13.0, 4.5), True, {}, "WORDPL {}: right with a budget of 17.5, 2 asks"),
        ("", "contest", (13.0,), False, {}, "WORDPL {}: not found, 1 ask"),
        ("", "unlimited", (13.0, 0.0), True, {}, "WORDPL {}: right with a budget of 13, 2 guesses (unlimited)"),
        ("", "wordle:6", (math.inf,) * 2, True, {}, "Wordle {} 2/6"),
        ("randomized_response:12", "wordle:9", (12.0,), True, {}, "Wordle {}, randomized_response:12 1/9"),
        ("", "wordle:9", (math.inf,), True, DAY, "Wordle small 2026-11-29 1/9"),
        ("", "wordle:9", (math.inf,), True, ADVERSARY, "Wordle, adversary, small 1/9*"),
        ("fibble:2", "wordle:9", (math.inf,), True, {}, "Fibble, 2 lies, small 1/9"),
    ],
)
def test_the_heading_of_a_share_text(channel, game, epsilons, won, more, heading):
    rule = "letterwise" if "{}" in heading else "counted"
    setting = Setting(SMALL, rule, channel_family(channel or "randomized_response"), format=GameFormat.parse(game))
    turns = tuple(Turn("crate", epsilon, 0) for epsilon in epsilons)
    expected = heading.format("small, letterwise")
    assert share_heading(setting, turns, won, setting.format.guesses, **more) == expected


def test_what_another_text_says_is_not_taken():
    for text in ("crate ⬜🟨🟨⬜⬜", "WORDPL\n⬛🟨🟨⬛⬛ @13", "Wordle 1,490 4/6*"):
        assert shared_terms(text) == {}
    assert shared_terms("Wordle 1490 4/6") == {"rule": "counted", "game": "wordle:6"}
    own = shared_terms("WORDPL mine, letterwise, cap.py:Capped: not found, 2 asks")
    assert own == {"rule": "letterwise", "channel": "cap.py:Capped", "game": "contest"}


CODES = {
    "⬛": (":black_large_square:", ":black_square:", "◼", "▪\ufe0f", "⬛\ufe0f"),
    "🟨": (":large_yellow_square:", ":yellow_square:", "🟨"),
    "🟩": (":large_green_square:", ":green_square:", "🟩"),
}
WORDPL_HEADINGS = [
    "#Wordle", "WORDPL original, letterwise: not found, 2 asks", "https://www.nytimes.com/games/wordle", "", ">",
    "14,855",
]  # fmt: skip
HEADINGS = [*WORDPL_HEADINGS, "Wordle 1,490 4/6*", "Wordle 1.490 X/6", "Absurdle 9/∞", "Daily Wordle 4/6 nice!"]

BULLETS = ("- ", "* ", "• ", "> > ")


@st.composite
def pasted(draw) -> tuple[str, str, tuple[Turn, ...]]:
    """A game as someone pastes it: the text, the guesses beside it, and the turns."""
    turns = draw(st.lists(st.tuples(st.sampled_from(ORIGINAL.guesses), st.integers(0, 242)), min_size=1, max_size=6))
    lines, guesses, spent = [], [], []
    headings = draw(st.sampled_from([HEADINGS, WORDPL_HEADINGS]))
    for number, (guess, code) in enumerate(turns, start=1):
        marks = draw(st.sampled_from(sorted(NOTATIONS)))
        typed = Clue(code).show(marks)
        if marks == "emoji":
            typed = draw(st.sampled_from(["", " "])).join(draw(st.sampled_from(CODES[square])) for square in typed)
        word = draw(st.sampled_from([guess, guess.upper()]))
        begin = draw(st.sampled_from(["", *(f"{number}{end} " for end in (".", ")", ":", "\ufe0f\u20e3")), *BULLETS]))
        form = draw(st.sampled_from(["{w} {c}", "{w}={c}", "{w}: {c}", "{w} = {c}", "{c} {w}", "||{w}|| {c}", "{c}"]))
        if marks == "gyb" and not form.startswith("{w}"):
            form = "{w} {c}"  # letters alone may be a word
        if form == "{c}":
            guesses.append(word)
        spent.append(draw(st.sampled_from([math.inf, 13.0, 2.5])) if form.endswith("{c}") else math.inf)
        ways = [f" @{spent[-1]:g}"]
        if headings is WORDPL_HEADINGS:
            ways += [f" {spent[-1]:g}", f", {spent[-1]:g}", f":{spent[-1]:g}".replace(".", ",")]
        end = "" if spent[-1] == math.inf else draw(st.sampled_from(ways))
        lines.append(begin + form.format(w=word, c=typed) + end)
        lines += draw(st.lists(st.sampled_from(headings), max_size=1))
    beside, before = draw(st.booleans()), draw(st.booleans())
    if not beside and guesses:
        lines = [" ".join(guesses), *lines] if before else [*lines, *guesses]
    expected = tuple(Turn(guess, epsilon, code) for (guess, code), epsilon in zip(turns, spent, strict=True))
    return "\n".join(lines), ", ".join(guesses) if beside else "", expected


@given(pasted())
def test_a_game_is_read_back_from_any_form(game):
    text, guesses, turns = game
    assert read_pasted(text, ORIGINAL, guesses).turns == turns


@pytest.mark.parametrize("left", ["75", "(1,075)"])
def test_a_number_after_a_row_of_ordinary_wordle_is_no_epsilon(left):
    rows = [(guess, Clue(code).show("emoji")) for guess, _, code in TURNS]
    text = "\n".join(["Scoredle 1,234 3/6", "14,855", *(f"{word} {row} {left}" for word, row in rows)])
    assert read_finished([], ORIGINAL, share=text).turns == TURNS and not finished_is_noisy(text)


BOARDS = """Two boards
⬜🟨🟨⬜⬜ ⬜⬜⬜⬜⬜
🟩🟩⬜⬜⬜ ⬜⬜⬜⬜⬜
⬜⬜⬜⬜⬜ 🟩🟩🟩🟩🟩
🟩🟩🟩🟩🟩 ⬛⬛⬛⬛⬛"""


@pytest.mark.parametrize(
    ("text", "guesses", "named"),
    [
        (BOARDS.partition("\n")[2], "crate sound fizzy solar", "line 1: there are two rows side by side"),
        (BOARDS, "crate sound fizzy solar", "line 1: 'Two boards' is no row"),
        ("⬜🟨🟨⬜⬜⬜⬜⬜⬜⬜", "crate", "10 marks"),
        ("⬜🟨🟨⬜⬜ crate slink", "", "something after the row other than a guess"),
        ("crate ⬜🟨🟨⬜⬜\n⬜⬜⬜⬜⬜", "", "only squares"),
        ("crate ⬜🟨🟨⬜⬜\n⬜⬜⬜⬜⬜", "slink solar", "1 row of squares for 2 guesses"),
        ("crate slink solar 3/6\n⬜🟨🟨⬜⬜", "", "line 1: 'crate slink solar 3/6' is no row"),
        ('{"guess": "crate"}', "", "is given as JSON"),
        ("crtae\n⬜🟨🟨⬜⬜", "", "line 1: 'crtae' is not in the word list original; did you mean 'crate'"),
    ],
)
def test_a_line_that_cannot_be_taken_is_refused(text, guesses, named):
    assert named in refusal(read_pasted, text, ORIGINAL, guesses)


@pytest.mark.parametrize(
    ("heading", "rows", "remark"),
    [
        ("Wordle 1,234 3/6", 3, ""),
        ("Wordle 1,234 2/6*", 3, "the text says 2/6*, but has 3 rows; a row may be missing"),
        ("Wordle 1,234 X/6", 2, "the text says X/6, but has 2 rows; a row may be missing"),
        ("Wordle 1,234 2/6", 2, "the text says 2/6, but its last row is not all correct; a row may be missing"),
        ("Wordle 1,234 X/∞", 2, ""),
        ("Wordle, adversary, nyt2023 3/50", 3, "an adversary chose the clues, so luck says nothing"),
        ("Wordle 1,234 skill 87/99, luck 40/99", 3, ""),  # no result
    ],
)
def test_a_result_that_does_not_fit_the_rows_and_an_adversary_are_told(heading, rows, remark):
    lines = ["crate ⬛🟨🟨⬛⬛", "slink 🟩🟨⬜⬜⬜", "solar 🟩🟩🟩🟩🟩"][:rows]
    assert read_finished([], ORIGINAL, share="\n".join([heading, *lines])).remark == remark


MISTAKES = [
    ("crate=..c..@", "no number after @"),
    ("crate ..c..@١٣", "is not allowed; a number from 0"),
    ("crate ..c..@1e400", "epsilon '1e400' is not allowed"),
    ("crate ..2c.", "mixes notations"),
    ("crates ..c..", "6 letters, the words have 5; did you mean 'crate'?"),
    ("crtae ..c..", "'crtae' is not in the word list original; did you mean 'crate'? write crtae! if"),
    ("zzzzz ..c..", "'zzzzz' is not in the word list original; write zzzzz! if your site takes it"),
    ("\u0441rane ..c..", "(CYRILLIC SMALL LETTER ES), which no word of original has; did you mean 'crane'?"),
]


@st.composite
def typed_turns(draw, words: WordList = SMALL):
    """A turn, and one of the many ways to type it."""
    word, clue = draw(st.sampled_from(words.guesses)), draw(clues(words.length))
    notation = draw(st.sampled_from(sorted(NOTATIONS)))
    case = draw(st.sampled_from([str, str.upper, str.capitalize]))
    marks = case(clue.show(notation))
    if notation == "emoji":
        marks = draw(st.sampled_from(["", " ", "\ufe0f"])).join(marks)
    between = draw(st.sampled_from([" ", "=", " = ", "\t", "  "]))
    text = f"{case(word)}{between}{marks}"
    epsilon = draw(st.none() | epsilons(zero=False))
    if epsilon is not None:
        text += f"{draw(st.sampled_from(['@', ' @', ' @ ']))}{epsilon!r}"
    return Turn(word, 6.0 if epsilon is None else epsilon, clue.code), f" {text} "


@given(typed_turns())
def test_however_a_turn_is_typed_it_is_the_same_turn(pair):
    turn, text = pair
    assert read_turn(text, SMALL, 6.0) == Assistant(Setting(SMALL), epsilon=6.0).read(text) == turn
    assert read_turn(write_turn(turn), SMALL, math.inf) == turn
    assert {read_turn(f"crate ..c..@{no_noise}", ORIGINAL).epsilon for no_noise in ("INF", "∞")} == {math.inf}


@given(st.lists(typed_turns(), min_size=1, max_size=3), st.data())
def test_arguments_may_be_one_or_two_for_each_turn(pairs, data):
    arguments: list[str] = []
    for _, text in pairs:
        apart = text.split(maxsplit=1)
        plain = "=" not in text and "@" not in text
        arguments += apart if plain and data.draw(st.booleans()) else [text]
    assert read_turns(arguments, SMALL, 6.0) == tuple(turn for turn, _ in pairs)


def test_what_is_no_turn_is_told_and_an_exclamation_mark_means_any_word():
    for text, named in MISTAKES:
        assert named in refusal(read_turn, text, ORIGINAL)
    assert read_any_word("ZZZZZ!", ORIGINAL) == "zzzzz"
    assert read_any_word(" crate! ", ORIGINAL) == "crate"
    assert write_turn(read_turn("crate ..c..@-0", ORIGINAL)) == "crate=..c..@0"
    assert read_turns(["zzzzz!", "....c", "zzzzz!=....c"], ORIGINAL) == (Turn("zzzzz", math.inf, 2),) * 2
    assert [check_word(word) for word in ("cat", "Notebook")] == ["cat", "notebook"]  # the shortest and longest
    assert "not letters" in refusal(read_word, "zzzzz!", ORIGINAL)
    words = words_from_text("greek", "λόγος\nδόξας")  # of other letters
    assert {read_word(typed, words) for typed in ("ΛΌΓΟΣ", "λόγος", "λο\u0301γος")} == {"λόγοσ"}
    assert did_you_mean("xight", ORIGINAL) == "; did you mean 'eight' or 'fight' or 'light'?"
