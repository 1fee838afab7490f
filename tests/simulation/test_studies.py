"""Studies: the tasks are those of the command line, and every mistake is told with its key."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.support.helpers import ASKS_ONCE, SMALL
from tests.support.refusals import refusal
from tests.support.runs import WHOLE
from wordpl import Study, WordplError, load_study, make_task
from wordpl.simulation import GriddedSpec, WordFiles


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a study and what it needs in the folder `paper`."""
    paper = tmp_path / "paper"
    paper.mkdir()
    (paper / "small.txt").write_text("\n".join((*SMALL.answers, "salet", "crane")))
    (paper / "mine.py").write_bytes(ASKS_ONCE)
    (paper / "study.toml").write_text(WHOLE)
    monkeypatch.chdir(tmp_path)
    return paper


@pytest.mark.usefixtures("folder")
def test_a_study_plays_all_combinations():
    study = load_study("paper/study.toml")
    small = wordpl.load_words(answers="paper/small.txt")
    specs = [f"Greedy({epsilon})" for epsilon in ("10.0", "20.0", "(9, 4.5)", "inf")]
    specs += [f"MaxClueEntropy({n}, 12, {draws}, first_guess='salet')" for n in (2, 3) for draws in ("None", "20")] + [
        "paper/mine.py:Mine()"
    ]
    expected = [
        make_task(spec, 7, words=words, rule=rule, game_seconds=2.5).id
        for words in (small, "nyt2023")
        for rule in ("letterwise", "counted")
        for spec in specs
    ]
    assert [task.id for task in study.tasks()] == expected
    assert len(set(expected)) == 36
    assert (study.trials, study.seed, study.until_width, study.game_seconds) == (301, 7, 0.02, 2.5)
    assert study.results_file == Path("paper/results/out.sqlite")
    assert study.text == WHOLE


def test_channels_and_formats_of_a_study(tmp_path):
    (tmp_path / "s.toml").write_text(
        '[game]\nchannel=["fibble:3"]\nformat=["wordle:4", "wordle:4:crane"]\n[[strategy]]\nspec=\'Greedy(inf)\''
    )
    assert [task.id for task in load_study(tmp_path / "s.toml").tasks()] == [
        make_task("Greedy(inf)", channel="fibble:3", format=format).id for format in ("wordle:4", "wordle:4:crane")
    ]


@pytest.mark.parametrize("where", ["", "paper/", "other/deep/"])
def test_a_saved_study_has_the_same_tasks_from_any_folder(folder, where):
    Path(where or ".").mkdir(parents=True, exist_ok=True)
    study = load_study("paper/study.toml")
    study.save(f"{where}again.toml")
    again = load_study(f"{where}again.toml")
    expected = [task.id for task in study.tasks()]
    assert [task.id for task in again.tasks()] == expected
    assert again.results_file == study.results_file
    again.save(folder / "back.toml")
    if where == "paper/":
        assert again == study
    os.chdir("/")
    assert [task.id for task in load_study(folder / "back.toml").tasks()] == expected


@pytest.mark.parametrize(("seed", "said"), [(2**63 - 1, f"seed = {2**63 - 1}"), (2**63, f'seed = "{2**63}"')])
def test_a_seed_is_saved_as_a_number_if_every_reader_of_toml_can_read_it(tmp_path, seed, said):
    Study((GriddedSpec("Greedy(9)"),), seed=seed).save(tmp_path / "s.toml")
    assert said in (tmp_path / "s.toml").read_text().splitlines()
    assert load_study(tmp_path / "s.toml").seed == seed


def test_what_a_study_leaves_out_is_as_on_the_command_line(tmp_path):
    """Equal tasks are played once, and a file that makes its strategy itself takes no grid."""
    one, file = '[[strategy]]\nspec = "TwoGuess(9)"\n', tmp_path / "short.toml"
    file.write_text(one)
    study = load_study(file)
    assert study == Study((GriddedSpec("TwoGuess(9)"),), trials=1001, out="results/short.sqlite", folder=str(tmp_path))
    assert [task.id for task in study.tasks()] == [make_task("TwoGuess(9)").id]
    file.write_text(f"{one}[stop]\nuntil_width = 0.1")
    assert load_study(file).trials == 1_000_000
    file.write_text(f'{one}[[strategy]]\nspec="TwoGuess()"\nepsilon="8:9:1"')
    assert [str(task) for task in load_study(file).tasks()] == [f"TwoGuess(epsilon={e})" for e in (9.0, 8.0)]
    (tmp_path / "ready.py").write_bytes(ASKS_ONCE + b"strategy = Mine()\n")
    file.write_text("[[strategy]]\nspec = 'ready.py'\nn = [1, 2]")
    assert "ready.py makes its strategy itself; a class is expected here" in refusal(load_study(file).tasks)


# What is written is read as the same study.

NAMES = st.from_regex(r"[a-z_][a-z_0-9]{0,6}", fullmatch=True).filter(lambda name: name not in ("spec", "epsilon"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["None", "True", "5:10:5", "5:50", "1,2", "inf", "nan", "'a'", "(1, 2)", '"', "\\", "\x7f", "a\nb", "'''"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
BUDGETS = st.floats(0, exclude_min=True)
PATHS = st.sampled_from(["a.txt", "../b.txt", "/tmp/c.txt", "d e/f.txt", 'quo"te.txt'])  # noqa: S108


def several(values: Any, most: int = 4) -> Any:
    return st.lists(values, min_size=1, max_size=most, unique_by=repr).map(tuple)


SPECS = st.builds(
    lambda spec, grids, epsilons: GriddedSpec(spec, tuple({**grids, **epsilons}.items())),
    st.builds(lambda text: f"Greedy({text!r})", TEXTS) | st.sampled_from(["NGuess()", "a.py:B()", "/x/y.py:C(1)"]),
    st.dictionaries(NAMES | st.just("größe"), several(VALUES), max_size=3),
    st.dictionaries(st.just("epsilon"), several(BUDGETS | st.lists(BUDGETS, max_size=3).map(tuple))),
)
OPTIONS = {
    "strategies": several(SPECS, 3),
    "words": several(st.builds(WordFiles, PATHS, st.none() | PATHS) | st.sampled_from(["original", "nyt2022"]), 3),
    "rules": several(st.sampled_from(["letterwise", "counted"])),
    "channels": several(st.sampled_from(["randomized_response", "fibble", "fibble:3"])),
    "formats": several(st.sampled_from(["contest", "wordle:6", "wordle:8:crane"])),
    "trials": st.integers(1, 10**8),
    "seed": st.integers(0, 2**256 - 1),
    "game_seconds": BUDGETS,
    "contest_files": st.none() | PATHS,
    "out": PATHS,
}
STUDIES = st.builds(Study, **OPTIONS, until_width=st.floats(0, 1, exclude_min=True, exclude_max=True)) | st.builds(
    Study, **OPTIONS, first_trial=st.integers(0, 10**12)
)


@pytest.mark.heavy
@given(STUDIES)
@example(Study((GriddedSpec("Greedy()", (("epsilon", tuple(map(float, range(1, 400, 7)))),)),)))
@example(Study((GriddedSpec("A()", (("n", tuple(str(n) * 9 for n in range(99))), ("m", ((),)), ("k", ("",)))),)))
@example(Study((GriddedSpec("A()", (("a", (1.0, 2, (3.0,))), ("z", (1.0, 2, (3.0,))))),)))  # 1.0 is not 1
def test_what_is_saved_is_read_again(tmp_path_factory, study):
    path = Path(os.path.relpath(tmp_path_factory.getbasetemp() / "s.toml"))
    study.save(path)
    text = path.read_text("utf-8")
    tomllib.loads(text)
    found = load_study(path)
    found.save(path)
    assert path.read_text("utf-8") == text
    assert repr([(one.spec.partition(":")[2] or one.spec, one.grids) for one in found.strategies]) == repr(
        [(one.spec.partition(":")[2] or one.spec, one.grids) for one in study.strategies]
    )
    for name in ("rules", "channels", "formats", "trials", "first_trial", "seed", "until_width", "game_seconds"):
        assert getattr(found, name) == getattr(study, name)
    assert os.path.abspath(found.results_file) == os.path.abspath(study.out)  # noqa: PTH100
    assert len(found.words) == len(study.words)


MISTAKES = [
    ("trials = 301", "trails = 301", "unknown key 'trails': did you mean 'trials'?"),
    ("trials = 301", "trials 301", "not TOML: Expected '=' after a key in a key/value pair (at line 2, column 8)"),
    ("seed = 7", 'seed = "x7"', "seed 'x7' is not allowed"),
    ('"results/out.sqlite"', "[1]", "out: [1] is not allowed; a text"),
    ('"small.txt" }', '"none.txt" }', "game.words[1]: cannot read word list paper/none.txt: No such file or directory"),
    ('{ answers = "small.txt" }', '{ guesses = "small.txt" }', "game.words[1]: answers is missing"),
    ('"nyt2023"]', '"nyt2032"]', "game.words[2]: unknown word list 'nyt2032': did you mean 'nyt2023'?"),
    ('"randomized_response"', "[]", "game.channel: channel has 0 values; from 1 to 10000 are allowed"),
    ("[stop]\nuntil_width = 0.02", "stop = 1", "game: unknown key 'stop':"),
    ('spec = "Greedy()"', 'spek = "Greedy()"', "strategy[1]: spec is missing; write it as spec = 'Greedy()'"),
    ('spec = "Greedy()"', 'spec = "Gredy()"', "strategy[1]: unknown strategy 'Gredy': did you mean 'Greedy'?"),
    ('spec = "Greedy()"', 'spec = "Greedy(2)"', "strategy[1]: Greedy(2) gives epsilon already"),
    ('"10:20:10"', '"10:20"', "strategy[1].epsilon: epsilon grid '10:20' is not START:STOP:STEP"),
    ('["10:20:10", [9, 4.5], inf]', "[]", "strategy[1].epsilon: epsilon has no value"),
    ("mine.py", "ours.py", "strategy[3]: cannot read strategy file paper/ours.py: No such file or directory"),
]


def test_a_mistake_is_told_with_its_key(folder, subtests):
    for old, new, message in MISTAKES:
        with subtests.test(new):
            assert WHOLE.count(old) == 1
            (folder / "study.toml").write_text(WHOLE.replace(old, new))
            said = refusal(lambda: load_study("paper/study.toml").tasks())
            assert said.startswith(f"paper/study.toml: {message}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a study needs at least one strategy, under [[strategy]]"),
        ("[strategy]\nspec = 'Greedy()'", "write each strategy as a table, under [[strategy]]"),
        ("[[strategy]]\n" * 1001, "1001 strategies; at most 1000 are allowed"),
        (
            "[[strategy]]\nspec='Greedy()'\nepsilon='1:137:1'\nn_guesses='1:73:1'",
            "10001 tasks are too many for a study; at most 10000 are allowed",
        ),
        (f"[[strategy]]\nspec='Greedy()'\nepsilon={[*range(1, 20000)]}", "epsilon has more than 10000 values"),
        ("#" * (1 << 20) + "\n", "larger than 1 MiB"),
        (f"a = {'[' * 9999}{']' * 9999}", "nested too deeply"),
        ("[[strategy]]\nspec='''Greedy(\n9)'''", None),
    ],
    ids=range(8),
)
def test_studies_of_wrong_kinds_and_sizes(tmp_path, text, said):
    (tmp_path / "s.toml").write_text(text)
    if said is None:
        assert [str(task) for task in load_study(tmp_path / "s.toml").tasks()] == ["Greedy(epsilon=9.0)"]
        return
    told = refusal(lambda: load_study(tmp_path / "s.toml").tasks())
    assert said in told and str(tmp_path / "s.toml") in told


def test_a_study_made_in_python_is_checked():
    one = (GriddedSpec("Greedy()", (("epsilon", (9.0, -1.0)),)),)
    for options in ({"trials": 0}, {"seed": "1"}, {"first_trial": 1, "until_width": 0.1}):
        with pytest.raises(WordplError, match=r"is not allowed|use either"):
            Study(one, **options)
    with pytest.raises(WordplError, match=r"^epsilon -1.0 is not allowed"):
        Study(one).tasks()
    assert GriddedSpec("Greedy()", [["epsilon", [5, [9, 4]]]]).grids == (("epsilon", (5.0, (9.0, 4.0))),)
    assert "at least one strategy" in refusal(Study, ())
