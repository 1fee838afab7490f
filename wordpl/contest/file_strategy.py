"""A strategy in a file or folder of the user's own: `FILE.py:Name(...)`, `FILE.py`, or a folder with `strategy.py`.

A class of such a file that is a `wordpl.Strategy` plays in this process, where its win rate can be exact; for that the
file is run here. All others play in a process of their own, without a sandbox: a file of the contest's kind reads word
lists from the current folder, prints, and keeps state. Nothing of a file that does not import wordpl is run here.
"""

import ast
import math
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from wordpl.base.errors import WordplError, error_line
from wordpl.base.files import read_file
from wordpl.base.user_files import import_error, module_of_file
from wordpl.contest.limits import Limits
from wordpl.contest.submission import Submission, check_lists, load_submission, written_call
from wordpl.play.moves import InvalidMoveError, Move
from wordpl.play.referee import ForfeitError, GameRules, Verdict
from wordpl.play.setting import Setting
from wordpl.play.specs import Spec, check_parameters, literal_call, named_arguments, parse_named_spec, strategy_classes
from wordpl.play.strategy import Player, PlayerMaker, Strategy

_MAX_FILE = 8 << 20
Parameters = Mapping[str, bool] | None
"""The parameters of a class, each with whether it is required; None if its source does not say."""


def read_file_spec(path: str, call: str) -> Spec:
    """Return the spec of a strategy in the file or folder at `path`.

    `call` is `Name(parameter=value, ...)`, or empty for the file's only strategy. Raises `WordplError` as `parse_spec`
    does.
    """
    if not path.endswith(".py"):
        return parse_file_spec(path, call)
    source = read_file(path, "strategy file", _MAX_FILE)
    packages = read_source(source, path).packages
    # The contest's package of that name is not here, in this process.
    if "wordpl" not in packages or "strategies" in packages:
        return parse_file_spec(path, call)
    try:
        kinds = strategy_classes(module_of_file(Path(path), source))
    except (Exception, SystemExit) as error:
        raise import_error(Path(path), error) from None
    if not kinds:
        raise WordplError(f"{path} defines no strategy: a public class with first_move and next_move, or players")
    if not call and len(kinds) > 1:
        raise WordplError(f"{path} has several strategies ({', '.join(kinds)}); write {path}:Name(parameter=value)")
    call = call or next(iter(kinds))
    kind = kinds.get(call.partition("(")[0].strip())
    if kind is not None and not issubclass(kind, Strategy):
        return parse_file_spec(path, call)
    return parse_named_spec(call, kinds, Path(path).name)


@dataclass(frozen=True, repr=False, eq=False)
class FileStrategy(Strategy):
    """Plays a file or folder by the rules of the contest, without its clock; its files and call tell it from others."""

    submission: Submission
    own_name: str = ""
    """The name that the strategy gives itself, once it has started: its label where the submission has no call."""

    def check(self, setting: Setting) -> None:
        check_lists(self.submission.companions, self.submission.checkout, setting.words)

    def players(self, setting: Setting) -> PlayerMaker:
        """Start the process that plays, and return what makes its players; the process ends with that."""
        from wordpl.contest.contestant import ContestantProcess  # a mistake costs no more than it must
        from wordpl.contest.sandbox import Trusted

        limits = Limits(game_seconds=math.inf, move_seconds=math.inf, cpu_seconds=math.inf)
        contestant = ContestantProcess(
            self.submission,
            setting,
            limits,
            Trusted(),
            print_to_stderr=True,
            on_print=_print_to_stderr,
        )
        rules = GameRules(setting, max_asks=limits.asks, min_epsilon=limits.min_epsilon)

        def player(seed: int) -> Player:
            return _PlayerByRules(contestant.player(seed), rules)

        weakref.finalize(player, contestant.close)
        try:
            contestant.ready()
        except ForfeitError as error:
            raise WordplError(f"{self!r} cannot be started: {error.reason}") from None
        return player

    rehearsed = False  # one object plays all games, so one more could change the others
    player_name = "submission"  # in the sandbox, too, so all play the same games, whatever a strategy calls itself
    noiseless = False  # the contest has no infinite epsilon

    @property
    def epsilon(self) -> float | tuple[float, ...] | None:
        """The parameter of that name, if the call has one that can be a budget."""
        value = (self.submission.maker or ("", (), {}))[2].get("epsilon")
        values = value if isinstance(value, (tuple, list)) else (value,)
        if not values or any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
            return None
        return tuple(map(float, values)) if isinstance(value, (tuple, list)) else float(values[0])

    @property
    def code(self) -> str:
        return self.submission.trusted_digest[:16]  # the call is in the `repr`

    @property
    def identity(self) -> str:
        return f"{self.label}#{self.submission.trusted_digest}"

    identity_problem = ""  # no object of it is in this process

    @property
    def family(self) -> str:
        return self.submission.label(self.own_name, leave_out="epsilon")

    def __repr__(self) -> str:
        return self.submission.label(self.own_name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileStrategy) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def _print_to_stderr(text: bytes) -> None:
    with suppress(OSError, ValueError):  # nobody may be listening
        sys.stderr.write(text.decode("utf-8", "replace"))
        sys.stderr.flush()


class _PlayerByRules:
    """A player for one game whose moves have to be legal in the contest, as in the sandbox."""

    def __init__(self, player: Player, rules: GameRules) -> None:
        self._player, self._rules, self._asked = player, rules, 0

    def first_move(self) -> Move:
        return self._legal(self._player.first_move())

    def next_move(self, guess: str, epsilon: float, clues: str) -> Move:
        self._asked += 1
        return self._legal(self._player.next_move(guess, epsilon, clues))

    def _legal(self, move: object) -> Move:
        try:
            return self._rules.legal(move, self._asked)
        except InvalidMoveError as error:
            raise ForfeitError(Verdict.INVALID, str(error)) from None


@dataclass(frozen=True)
class FileSpec:
    """A parsed spec of a strategy that plays in a process of its own: its files, and some of its parameters."""

    submission: Submission
    name: str
    """Its class; "" leaves it to the file, which has one, or a variable `strategy`."""
    arguments: tuple[Any, ...]
    """Values without a name, where the source does not say what their names are."""
    parameters: Mapping[str, Any]
    accepted: Parameters = None

    @property
    def open_parameters(self) -> dict[str, bool]:
        """The parameters that the source declares and the spec does not give -> whether the strategy needs them."""
        return {name: required for name, required in (self.accepted or {}).items() if name not in self.parameters}

    def build(self, **extra: Any) -> FileStrategy:
        """Return the strategy, with `extra` parameters. Raises `WordplError` if they are not what its source takes."""
        keywords, place = {**self.parameters, **extra}, self.submission.path
        if not self.name and keywords:
            given = ", ".join(f"{name}=..." for name in keywords)
            raise WordplError(f"{place} does not say which class takes {given}; write {place}:Name({given})")
        if not self.name:
            return FileStrategy(self.submission)
        if self.accepted is not None:
            check_parameters(self.name, self.accepted, keywords, place=f"{place}:")
        maker = self.name, self.arguments, keywords
        return FileStrategy(replace(self.submission, call=written_call(*maker), maker=maker))


def parse_file_spec(path: str, call: str) -> FileSpec:
    """Return the spec of a class in the file or folder at `path`, which is not run.

    `call` is `Name(parameter=value, ...)`; if it is empty, the file's only strategy is meant. Raises `WordplError`
    for what cannot be read. A class that is not there, or is one of several, shows when the file runs.
    """
    submission = load_submission(path)
    source = read_source(submission.files[submission.main], path)
    name, arguments, keywords = literal_call(call) if call else ("", (), {})
    if not call and len(source.players) == 1:
        name = source.players[0]
    accepted = source.classes.get(name)
    if accepted is not None:
        keywords = named_arguments(name, list(accepted), arguments, keywords)
        keywords = {key: keywords[key] for key in (*accepted, *keywords) if key in keywords}
        arguments = ()
    return FileSpec(submission, name, arguments, keywords, accepted)


# The source of a file, read without running it.

_WITH_FIELDS = {"dataclass", "define", "frozen", "mutable"}
"""Decorators of classes whose parameters are their fields: the last three are those of attrs."""
_LITERALS = (ast.Constant, ast.List, ast.Tuple, ast.Dict)


class Source(NamedTuple):
    packages: set[str]
    """The packages that it imports."""
    classes: dict[str, Parameters]
    """Its public classes."""
    players: list[str]
    """Those that have the methods of a player; none if a variable `strategy` is what plays."""


def read_source(source: bytes, path: str) -> Source:
    """Read the source of the file at `path`. Raises `WordplError` if it is no Python."""
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise WordplError(f"{path} cannot be read as Python: {error_line(error)}") from None
    nodes = list(ast.walk(tree))
    modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    kinds = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    classes, players = {}, []
    for name in (name for name in kinds if not name.startswith("_")):
        family = [kinds[name]]
        for kind in family:  # which grows
            family += [kinds[base] for base in map(_name, kind.bases) if base in kinds and kinds[base] not in family]
        others = {_name(base) for kind in family for base in kind.bases} - kinds.keys() - {"object"}
        classes[name] = _parameters(family, bool(others))
        said = {getattr(node, "name", getattr(node, "id", "")) for kind in family for node in ast.walk(kind)}
        if {"first_move", "next_move"} <= said or "players" in said:
            players.append(name)
    for part in tree.body:
        targets = getattr(part, "targets", [getattr(part, "target", part)])
        # Published files keep a table in a variable of that name.
        if "strategy" in map(_name, targets) and not isinstance(getattr(part, "value", None), _LITERALS):
            players = []
    return Source({module.partition(".")[0] for module in modules}, classes, players)


def _parameters(family: Sequence[ast.ClassDef], has_other_bases: bool) -> Parameters:
    """The parameters of the first class of a family, whose others are its bases."""
    for kind in family:
        if decorators := set(map(_name, kind.decorator_list)):
            fields = {}
            declared = (part for one in reversed(family) for part in one.body)
            for field in (part for part in declared if isinstance(part, ast.AnnAssign)):
                call = ast.unparse(field.value) if field.value and _name(field.value) == "field" else ""
                if _name(field.annotation) != "ClassVar" and "init=False" not in call:
                    has_default = "default" in call or "factory" in call if call else field.value is not None
                    # attrs leaves the underscore out.
                    name = _name(field.target) if decorators == {"dataclass"} else _name(field.target).lstrip("_")
                    fields[name] = not has_default
            return fields if decorators <= _WITH_FIELDS and not has_other_bases else None
        for part in kind.body:
            if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                return _arguments(part.args)
    return None if has_other_bases else {}


def _arguments(arguments: ast.arguments) -> Parameters:
    if arguments.vararg or arguments.kwarg:
        return None
    places = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    required = len(places) - len(arguments.defaults)
    found = {place: i < required for i, place in enumerate(places) if i > 0}
    only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {argument.arg: default is None for argument, default in only}


def _name(node: ast.AST) -> str:
    """The last part of a name, called or with something in brackets: `field` for `attrs.field(...)`."""
    node = getattr(node, "func", getattr(node, "value", node) if isinstance(node, ast.Subscript) else node)
    name: str = getattr(node, "attr", getattr(node, "id", ""))
    return name
