"""The tab Play is seen whole: on every screen, in every language and colour, and by axe."""

import itertools
import re

from playwright.sync_api import expect

from tests.support.pages import NO_ANSWERS, faults, follow, give_up, key, played, rows, typed

ROWS = "&".join(f"move={word}:6" for word in [*NO_ANSWERS, *NO_ANSWERS[:4]])


def test_all_of_a_game_is_seen_above_the_keyboard_from_the_first_to_the_tenth_row(play):
    page = play("?" + ROWS.split("&")[0])
    game, sizes = re.search("game=[^&]+", page.url)[0], [(390, 664), (320, 568), (844, 390)]
    for (width, height), (moves, number) in itertools.product(sizes, (("", 0), (ROWS, 10))):
        page.set_viewport_size({"width": width, "height": height})
        follow(page, f"/play?{game}&{moves}")
        expect(rows(page)).to_have_count(number + 1)
        expect(page.locator(".help[aria-busy]")).to_have_count(0)
        typed(page, "zzzzz")
        expect(page.locator("#play-fault")).to_be_visible()
        keys = page.get_by_role("group", name="Keyboard").bounding_box()
        assert keys["height"] <= 0.45 * height
        assert keys["y"] + keys["height"] <= height
        seen = {"row": rows(page).last, "message": page.locator("#play-fault"), "budget": page.locator(".meter")}
        seen |= {name: page.get_by_role("button", name=name) for name in ("cheap 6", "clear 25", "any", "Propose")}
        for name, part in seen.items():
            box = part.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width, (name, width, height)
            assert 0 <= box["y"] <= box["y"] + box["height"] <= keys["y"] + 1, (name, width, height)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        if height > width:
            board = seen["row"].locator(".tiles").bounding_box()
            assert abs(board["x"] + board["width"] / 2 - keys["x"] - keys["width"] / 2) < 2, "not over its keyboard"


def test_the_colours_of_marks_are_kept_in_forced_colours_and_keys_carry_shapes(play):
    page = play("?kind=adversarial", forced_colors="active")  # whose clues do not depend on chance
    typed(page, "salet")
    expect(played(page)).to_have_count(1)
    typed(page, "irony")
    expect(played(page)).to_have_count(2)
    looks = "one => { const css = getComputedStyle(one); return [css.backgroundColor, css.borderRadius, css.scale]; }"
    shapes = {}
    for place, letter in enumerate("saletirony"):
        tile = played(page).locator(".tile").nth(place)
        colour, *shape = tile.evaluate(looks)
        shapes[tile.get_attribute("data-mark")] = shape
        on_key = key(page, letter).evaluate(looks)
        assert on_key[0] == colour
        assert (on_key[1] == "50%", on_key[2]) == (shape[0] == "50%", shape[1])
    assert len({str(shape) for shape in shapes.values()}) == len(shapes) > 1, "marks differ in nothing but colour"


def test_axe_finds_nothing_in_a_game_and_at_its_end(play):
    page = play("?help=answers+bits+guesses", "phone", color_scheme="dark")
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    expect(page.get_by_role("region", name="The best next guesses")).to_be_visible()
    # Help that is about to change is pale.
    expect(page.get_by_text("11.18 bits left")).to_have_count(0)
    expect(page.locator(".help[aria-busy]")).to_have_count(0)
    typed(page, "zzzzz")
    expect(page.locator("#play-fault")).to_be_visible()
    page.locator("summary").click()
    assert faults(page) == []
    give_up(page)
    expect(page.get_by_role("heading", name="You gave up.")).to_be_visible()
    end = page.get_by_role("region", name="How it ended")
    expect(end.locator("details:has(.board)")).to_have_count(3)
    for own in end.locator("summary").all():
        own.click()
    assert faults(page) == []
