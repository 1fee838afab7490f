"""The tab Play is seen whole: on every screen, in every language and colour, and by axe."""

from playwright.sync_api import expect

from tests.support.pages import faults, give_up, played, typed


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
    page.locator(".setup summary").click()
    assert faults(page) == []
    give_up(page)
    expect(page.get_by_role("heading", name="You gave up.")).to_be_visible()
    end = page.get_by_role("region", name="How it ended")
    expect(end.locator("details:has(.board)")).to_have_count(3)
    for own in end.locator("summary").all():
        own.click()
    assert faults(page) == []


def test_the_form_asks_what_a_game_has_and_begins_it(play):
    page = play()
    form = page.locator(".setup")
    form.locator("summary").click()
    expect(page.get_by_role("button", name="New game")).to_have_count(0)  # it would not begin what is chosen here
    hard, given, rule = map(form.get_by_label, ("Hard mode", "The first guess is given", "Repeat rule"))
    lists = {"letterwise": "original", "counted": "nyt2023"}
    for kind, usual, modes in (
        ("daily", "counted", (True, False)),
        ("wordle", "counted", (True, False)),
        ("fibble", "counted", (False, True)),
        ("unlimited", "letterwise", (False, False)),
        ("adversarial", "counted", (True, False)),
    ):
        form.get_by_label("Game", exact=True).select_option(kind)
        expect(rule).to_have_value(usual)
        expect(form.get_by_label("Words")).to_have_value(lists[usual])
        for field, there in zip((hard, given), modes, strict=True):
            expect(field).to_be_visible(visible=there)
    hard.select_option("extra")
    form.get_by_role("button", name="Start this game").click()
    expect(form.locator("summary")).to_have_text("Game: Wordle, adversary, nyt2023, extra hard mode")
    error = {"message": "no"}
    page.route("**/api/play/games", lambda route: route.fulfill(status=422, json={"error": error}))
    for field, place in (("hard", ".field:has-text('Hard mode') .fault"), ("again", ":scope > .fault")):
        error["field"] = field
        page.get_by_role("button", name="New game").click()
        expect(form.locator(place)).to_have_text("No.")
        expect(form.locator(place)).to_be_visible()  # the form opens
        form.locator("summary").click()
    page.unroute_all()
    form.locator("summary").click()
    form.get_by_label("Game", exact=True).select_option("unlimited")  # which has no hard mode
    form.get_by_role("button", name="Start this game").click()
    expect(form.locator("summary")).to_have_text("Game: WORDPL, unlimited, original")


def test_a_new_game_on_a_phone_begins_at_its_board(play):
    page = play(size="phone")
    page.get_by_role("button", name="More: other games and help").click()
    row = page.locator("li:has(.typing)")
    expect(row).not_to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="New game").click()
    expect(row).to_be_in_viewport(ratio=1)
