"""The text of a study file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.errors import WordplError
from wordpl.specs.grids import Value, text_values, value_grid
from wordpl.specs.parsing import moved_path, moved_spec

if TYPE_CHECKING:
    from wordpl.specs.study import Study, WordFiles

_WIDTH = 100
_LARGEST_WHOLE = 2**63 - 1
"""Of numbers that every reader of TOML reads."""


def study_text(study: Study, target: Path) -> str:
    """Return the text of a study file at `target`. Raises `WordplError` for word lists that come through a pipe."""
    return "\n".join(_lines(study, target)) + "\n"


def _lines(study: Study, target: Path) -> Iterator[str]:
    folder = str(target.parent)

    def moved(path: str) -> str:
        return moved_path(path, study.folder, folder)

    yield f"# wordpl sweep {target.name} runs this study."
    yield f"trials = {study.trials}"
    if study.first_trial:
        yield f"first_trial = {study.first_trial}"
    yield f"seed = {study.seed}" if study.seed <= _LARGEST_WHOLE else f'seed = "{study.seed}"'
    yield f"game_seconds = {_number(study.game_seconds)}"
    if study.contest_files is not None:
        yield f"contest_files = {_quoted(moved(study.contest_files))}"
    yield f"out = {_quoted(moved(study.out))}"
    yield from ("", "[game]")
    lists = [_quoted(one) if isinstance(one, str) else _files(study, one, folder) for one in study.words]
    yield _line("words", lists)
    for key, names in (("rule", study.rules), ("channel", study.channels), ("format", study.formats)):
        yield _line(key, [_quoted(name) for name in names])
    if study.until_width is not None:
        yield from ("", "[stop]", f"until_width = {study.until_width!r}")
    for one in study.strategies:
        yield from ("", "[[strategy]]", f"spec = {_quoted(moved_spec(one.spec, study.folder, folder))}")
        for name, values in one.grids:
            yield _grid(name, values)


def _files(study: Study, words: WordFiles, folder: str) -> str:
    pairs = [(key, path) for key, path in (("answers", words.answers), ("guesses", words.guesses)) if path is not None]
    for _, path in pairs:
        here = Path(moved_path(path, study.folder, "."))
        if here.exists() and not here.is_file():
            raise WordplError(f"a study cannot have the words of {path}, which is not a file: they come only once")
    written = ", ".join(f"{key} = {_quoted(moved_path(path, study.folder, folder))}" for key, path in pairs)
    return f"{{ {written} }}"


def _grid(name: str, values: Sequence[Value]) -> str:
    """The line of a parameter."""
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)
    short = _short(name, values)
    if short is not None:
        return f"{key} = {_quoted(short)}"
    written = [_value(name, value) for value in values]
    # A list of one is a value, but a list that is a value needs one around it.
    return f"{key} = [{written[0]}]" if len(values) == 1 and isinstance(values[0], tuple) else _line(key, written)


def _short(name: str, values: Sequence[Value]) -> str | None:
    """The values as START:STOP:STEP, if they are what that stands for."""
    numbers = [value for value in values if isinstance(value, (int, float)) and math.isfinite(value)]
    if len(numbers) < max(3, len(values)):
        return None
    step = round(numbers[1] - numbers[0], 12)
    text = ":".join(_plain(name, bound) for bound in (numbers[0], numbers[-1], step))
    try:
        return text if repr(value_grid(name, text)) == repr(tuple(values)) else None
    except WordplError:
        return None


def _line(key: str, values: Sequence[str]) -> str:
    """`key = value` for one, `key = [value, value]` for more, broken into lines where it is long."""
    if len(values) == 1:
        return f"{key} = {values[0]}"
    whole = f"{key} = [{', '.join(values)}]"
    if len(whole) <= _WIDTH:
        return whole
    lines = [""]
    for value in values:
        if lines[-1] and len(lines[-1]) + len(value) > _WIDTH:
            lines.append("")
        lines[-1] += f" {value},"
    return "\n".join([f"{key} = [", *(f"   {line}" for line in lines), "]"])


def _value(name: str, value: Value) -> str:
    """A value as TOML, which `load_study` reads as the same one."""
    if isinstance(value, tuple):
        return f"[{', '.join(_value(name, one) for one in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return '"None"'
    if isinstance(value, str):
        return _quoted(value if _stands_for_itself(name, value) else repr(value))
    return _plain(name, value)


def _stands_for_itself(name: str, text: str) -> bool:
    try:
        return text_values(name, text) == (text,)
    except WordplError:
        return False


def _plain(name: str, value: float) -> str:
    """A number; an epsilon is read as one with a point, however it is written."""
    return _number(value) if name == "epsilon" else repr(value)


def _number(value: float) -> str:
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else repr(value)


def _quoted(text: str) -> str:
    """A text as TOML, where its quotes and escapes are those of JSON, but for one letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
