"""Where numbers stand on the page: scales, bars, curves and tables, by data that are made up here."""


def test_the_slider_of_epsilon_is_logarithmic_and_ends_at_infinity(page):
    epsilons, steps = page.evaluate(
        """async () => {
          const { epsilonAt, stepOf } = await import("/static/epsilon.js");
          return [Array.from({ length: 241 }, (_, step) => epsilonAt(step)),
            [0.01, 0.1, 1, 10, 100, 101, "inf"].map(stepOf)];
        }"""
    )
    exact = [10 ** (-1 + 3 * step / 239) for step in range(240)]
    assert epsilons[:-1] == [float(f"{one:.2g}" if one < 10 else f"{one:.3g}") for one in exact]
    assert (epsilons[-1], steps) == ("inf", [0, 0, 80, 159, 239, 240, 240])


def test_the_longest_bar_is_full_and_the_others_are_parts_of_it(page):
    widths = """async (entries) => [...(await import("/static/dom.js")).bars(entries).querySelectorAll(".gauge > span")]
        .map(({ style }) => style.width)"""
    assert page.evaluate(widths, [["crate", 0.1, ""], ["haste", 0.4, ""], ["slink", 0, ""]]) == ["25%", "100%", "0%"]


def test_curves_that_win_5_50_or_95_percent_for_least_are_drawn_first(page):
    found = page.evaluate(
        """async () => {
          const { pictures } = await import("/static/results/pictures.js");
          const curve = (label, place, budget, most = 80) => ({ label, outcomes: [],
            budgets: [{ place: "inside", budget: 100 - budget },
            { place, budget }, { place: "inside", budget: most }] });
          const made = pictures([], () => {});
          made.fill([curve("A()", "above", null), curve("B()", "inside", 40),
            curve("C()", "below", 30), curve("D()", "inside", 50), curve("E()", "inside", 45, 70)], "epsilon");
          return [...made.querySelectorAll("input")].map(({ value, checked }) => [value, checked]);
        }"""
    )
    assert found == [["C()", True], ["B()", False], ["E()", True], ["D()", True], ["A()", False]]


def test_the_tables_of_results_tell_what_was_not_reached(page):
    found = page.evaluate(
        """async () => {
          const { tables } = await import("/static/results/tables.js");
          const made = tables();
          const [below, above, inside] = [["below", 12.346, 11, 13],
            ["above", null, null, null], ["inside", 30, 29, null]]
            .map(([place, budget, ...interval]) => ({ place, budget, interval }));
          const [under, none, percentile] = [["under_bound", 5, 1, null], ["percentile", null, 1, null],
            ["percentile", 41.2345, 1, null]].map(([place, budget, ...interval]) => ({ place, budget, interval }));
          made.fill([{ label: "B()", budgets: [under, none, percentile], outcomes: [] },
            { label: "A()", budgets: [below, above, inside], outcomes: [{
            epsilon: "inf", mean_budget: 20, win_rate: 0.5,
            win_rate_interval: [0.4, 0.6], verdicts: { WIN: 1, LOSS: 1, TIMEOUT: 12345, ERROR: 0 }, turns: null }, {
            epsilon: 9, mean_budget: 20, win_rate: 0, win_rate_interval: [0, 1], turns: 2.5, verdicts: {} }] }],
            [{ name: "win_rate", heading: "win rate", kind: "share", has_interval: true },
            { name: "turns", heading: "turns", kind: "mean", has_interval: false }]);
          const texts = ({ cells }) => [...cells].map((cell) => cell.textContent);
          const read = () => [...made.querySelectorAll("tr")].map(texts);
          const before = read();
          for (const table of made.querySelectorAll("table")) table.querySelectorAll("th button")[1].click();
          return [before, read()];
        }"""
    )
    noisy, exact = ["A()", "9", "20", "0 [0, 100%]", "2.5", "–"], ["A()", "∞", "20", "50% [40%, 60%]", "–", "12,345"]
    found, by_number = found
    assert by_number[1:3] == [noisy, exact] and [row[0] for row in by_number[4:]] == ["A()", "B()"]
    assert found == [
        ["strategy", "epsilon", "mean budget", "win rate", "turns", "timeout"],
        exact,
        noisy,
        ["strategy", "to win 5%", "to win 50%", "to win 95%"],
        ["B"],
        ["B()", "no estimate [1, ∞]", "not reached [1, ∞]", "41.23 [1, ∞]"],
        ["A"],
        ["A()", "≤ 12.35 [11, 13]", "not reached [∞, ∞]", "30 [29, ∞]"],
    ]


def test_a_table_sorts_by_numbers_with_what_is_empty_last_and_folds(page):
    cells = page.evaluate(
        """async () => {
          const { sheet } = await import("/static/sheet.js");
          const table = sheet("numbers");
          const read = () => [...table.querySelectorAll("td")].map((cell) => cell.textContent).join(" ");
          const columns = [{ name: "n", of: ([n]) => n }];
          table.put(columns, [[2], [null], [10], [1]]);
          const seen = [read()];
          for (let click = 0; click < 2; click += 1) {
            table.querySelector("th button").click();
            seen.push(read());
          }
          table.put(columns, Array.from({ length: 20 }, (_, n) => [n]));
          return [...seen, table.querySelector("[scope=rowgroup]").textContent, table.querySelectorAll("td").length];
        }"""
    )
    assert cells == ["2 – 10 1", "1 2 10 –", "10 2 1 –", "12 of 20 rows", 12]


def test_the_groups_of_a_table_share_its_room_and_unfold(page):
    found = page.evaluate(
        """async () => {
          const { sheet } = await import("/static/sheet.js");
          const table = sheet("numbers", { family: ([name]) => name });
          document.body.append(table); // else what is pressed has no focus
          table.put([{ name: "family", of: ([name]) => name }, { name: "nothing", of: () => null },
            { name: "value", of: ([, n]) => n, ends: ([, n]) => (n === 7 ? null : [n - 1, n + 1]) }],
            [..."AAAAABBBBC"].map((name, at) => [name, at]));
          const look = () => [[...table.querySelectorAll("[scope=rowgroup]")].map((one) => one.textContent).join("; "),
            table.querySelector("[scope=rowgroup] button").ariaExpanded, table.querySelectorAll("td").length];
          const seen = [look()];
          table.querySelector("[scope=rowgroup] button").click();
          seen.push(look(), [...table.querySelectorAll("tr")].filter(({ cells }) => cells.length === 2)
            .map(({ cells }) => cells[1].textContent).slice(0, 9));
          const sorts = () => [...table.querySelectorAll("th[scope=col]")].map((one) => one.getAttribute("aria-sort"));
          for (let click = 0; click < 2; click += 1) {
            table.querySelectorAll("thead button")[1].click();
            seen.push(sorts(), table.querySelectorAll("td")[1].textContent);
          }
          table.remove();
          return seen;
        }"""
    )
    # 12 rows in three groups
    assert found[:2] == [["A, 4 of 5 rows; B; C", "false", 2 * 9], ["A, 5 rows; B; C", "true", 2 * 10]]
    ends = [f"{value} [{value - 1}, {value + 1}]" if value != 7 else "7" for value in range(10)]
    assert found[2] == ["value", *ends[:8]]
    assert found[3:] == [[None, "ascending"], ends[0], [None, "descending"], ends[9]]
