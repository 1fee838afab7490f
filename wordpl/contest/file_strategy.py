"""A strategy in a file or folder of the user's own: `FILE.py:Name(...)`, `FILE.py`, or a folder with `strategy.py`.

A class of such a file that is a `wordpl.Strategy` plays in this process, where its win rate can be exact; for that the
file is run here. All others play in a process of their own, without a sandbox: a file of the contest's kind reads word
lists from the current folder, prints, and keeps state. Nothing of a file that does not import wordpl is run here.
"""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordpl.base.errors import WordplError, error_line, nearest
from wordpl.base.files import StrPath, read_file
from wordpl.base.printing import print_for_strategy
from wordpl.base.user_files import module_of_file
from wordpl.contest.checkout import check_lists
from wordpl.contest.declarations import Declaration, read_declarations
from wordpl.contest.limits import Limits
from wordpl.contest.protocol import why_no_strategy
from wordpl.contest.submission import Submission, load_submission, written_call
from wordpl.play.announced import Spec
from wordpl.play.moves import InvalidMoveError, Move
from wordpl.play.referee import GAME_SECONDS, ForfeitError, GameRules, Verdict
from wordpl.play.setting import Setting
from wordpl.play.specs import check_parameters, literal_call, named_arguments, parse_named_spec, strategy_classes
from wordpl.play.strategy import Player, PlayerMaker, Strategy

_MAX_FILE = 8 << 20


def read_file_spec(path: str, call: str, contest_files: StrPath | None = None) -> Spec:
    """Return the spec of a strategy in the file or folder at `path`.

    `call` is `Name(parameter=value, ...)`, or empty for the file's only strategy. `contest_files` is as in
    `load_submission`. Raises `WordplError` as `parse_spec` does.
    """
    if not path.endswith(".py"):
        return parse_file_spec(path, call, contest_files)
    source = read_file(path, "strategy file", _MAX_FILE)
    declarations = read_declarations(source, path)
    packages = {module.partition(".")[0] for module in declarations.modules}
    # The contest's package of that name is not here, in this process.
    if "wordpl" not in packages or "strategies" in packages:
        return parse_file_spec(path, call, contest_files)
    kinds = strategies_of_file(Path(path), source)
    strategies = {name: declarations.strategies.get(name, Declaration(None)) for name in kinds}
    if not call or not kinds:
        call = only_strategy(path, strategies)
    kind = kinds.get(call.partition("(")[0].strip())
    if kind is not None and not issubclass(kind, Strategy):
        return parse_file_spec(path, call, contest_files)
    return parse_named_spec(call, kinds, Path(path).name)


def strategies_of_file(path: Path, content: bytes) -> dict[str, type[Any]]:
    """Run the content of a user's own file and return its strategy classes by name, ours and the contest's kind.

    Raises `WordplError` if it cannot be imported. What it prints goes to stderr.
    """
    try:
        return strategy_classes(module_of_file(path, content))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise WordplError(f"{path} cannot be imported: {error_line(error)}") from None


@dataclass(frozen=True, repr=False, eq=False)
class FileStrategy(Strategy):
    """Plays a file or folder by the limits of the contest; its files and call tell it from others."""

    submission: Submission
    own_name: str = ""
    """What the strategy calls itself, once it has started: its label where the submission has no call."""

    def check(self, setting: Setting) -> None:
        check_lists(self.submission.companions, self.submission.checkout, setting.words)

    def players(self, setting: Setting) -> PlayerMaker:
        return self.players_within(setting, GAME_SECONDS)

    def players_within(self, setting: Setting, game_seconds: float) -> PlayerMaker:
        """Start the process that plays, and return what makes its players; the process ends with that."""
        from wordpl.contest.contestant import ContestantProcess  # a mistake costs no more than it must
        from wordpl.contest.sandbox import Trusted

        limits = Limits.for_games_of(game_seconds)
        contestant = ContestantProcess(
            self.submission,
            setting,
            limits,
            Trusted(),
            print_to_stderr=True,
            on_print=lambda text: print_for_strategy(text.decode("utf-8", "replace")),
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
        return self.submission.files_digest[:16]  # the call is in the `repr`

    @property
    def family(self) -> str:
        return self.submission.label(self.own_name, leave_out="epsilon")

    def __repr__(self) -> str:
        return self.submission.label(self.own_name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileStrategy) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


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
    declaration: Declaration | None = None
    """What the source says of the class, if it does."""

    @property
    def open_parameters(self) -> dict[str, bool]:
        """The parameters that the source declares and the spec does not give -> whether the strategy needs them."""
        parameters = (self.declaration.parameters if self.declaration is not None else None) or {}
        return {name: required for name, required in parameters.items() if name not in self.parameters}

    def build(self, **extra: Any) -> FileStrategy:
        """Return the strategy, with `extra` parameters. Raises `WordplError` if they are not what its source takes."""
        keywords, declaration = {**self.parameters, **extra}, self.declaration
        if not self.name:
            if keywords:
                given = ", ".join(f"{name}=..." for name in keywords)
                place = self.submission.path
                raise WordplError(
                    f"{place} makes its strategy itself; a class is expected here, as {place}:Name({given})"
                )
            return FileStrategy(self.submission)
        if declaration is not None and declaration.parameters is not None:
            values = dict(zip(declaration.parameters, self.arguments, strict=False)) | keywords
            place, more = f"{self.submission.path}:", declaration.takes_more
            check_parameters(self.name, declaration.parameters, values, place=place, takes_more=more)
        maker = self.name, self.arguments, keywords
        return FileStrategy(replace(self.submission, call=written_call(*maker), maker=maker))


def parse_file_spec(path: str, call: str, contest_files: StrPath | None = None) -> FileSpec:
    """Return the spec of a class in the file or folder at `path`, which is not run.

    `call` is `Name(parameter=value, ...)`; if it is empty, the file's only strategy is meant. `contest_files` is as in
    `load_submission`. Raises `WordplError` for what cannot be read, a file without a strategy, several strategies where
    `call` does not say which, and an unknown class.
    """
    submission = load_submission(path, contest_files)
    source = read_declarations(submission.files[submission.main], path)
    if not call and source.has_ready_one:
        return FileSpec(submission, "", (), {})
    declared = source.strategies
    if not call and len(declared) > 1 and not all(declaration.certain for declaration in declared.values()):
        return FileSpec(submission, "", (), {})  # which of them is one shows when the file runs
    name, arguments, keywords = literal_call(call) if call else ("", (), {})
    if not declared and not {name, "*"} & {*source.classes, *source.imported}:
        raise WordplError(f"{path} defines no strategy: {why_no_strategy(source.functions, source.classes)}")
    name = name or only_strategy(path, declared)
    declaration = source.classes.get(name)
    if declaration is None and not {name, "*"} & source.imported:
        raise WordplError(f"unknown strategy {name!r}: {nearest(name, declared)}")
    if declaration is not None and declaration.parameters is not None and not declaration.takes_more:
        keywords = named_arguments(name, list(declaration.parameters), arguments, keywords)
        in_order = [*declaration.parameters, *keywords]
        arguments, keywords = (), {name: keywords[name] for name in in_order if name in keywords}
    return FileSpec(submission, name, arguments, keywords, declaration)


def only_strategy(path: str, declared: Mapping[str, Declaration]) -> str:
    """The name of the only strategy. Raises `WordplError` for none, and for several, saying what to write."""
    if len(declared) == 1:
        return next(iter(declared))
    if not declared:
        raise WordplError(f"{path} defines no strategy: a public class with first_move and next_move, or players")
    calls = []
    for name, declaration in declared.items():
        parameters = [parameter for parameter, required in (declaration.parameters or {}).items() if required]
        calls.append(f"{path}:{name}({', '.join(f'{parameter}=...' for parameter in parameters)})")
    raise WordplError(f"{path} has several strategies; write {', '.join(calls[:-1])} or {calls[-1]}")
