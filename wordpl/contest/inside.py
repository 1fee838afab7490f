"""The program inside the sandbox: drops its rights, imports the submission, and passes moves and clues.

Everything after the import shares its process with code that is not trusted, so nothing here protects the
referee; it only makes an honest strategy work. What a strategy does to this program it does to itself.
Arguments: descriptors of payload, requests and replies, the scratch directory, and the user to become (0: none).
"""

import gc
import importlib
import inspect
import json
import marshal
import multiprocessing
import os
import random
import re
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from wordpl.base.errors import shown, without_addresses
from wordpl.library import FOLDER as LIBRARY
from wordpl.play.moves import InvalidMoveError, read_parts

_COMPAT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compat")  # noqa: PTH100, PTH118, PTH120

_NO_CLASS = "no class with first_move and next_move"
_RLIMIT_LOCKS = 10  # which Python has no name for


class LoadError(Exception):
    """The submission holds no strategy that can be made; the text says what to change."""


def main() -> None:
    payload_end, requests, replies = (int(argument) for argument in sys.argv[1:4])
    scratch, uid = sys.argv[4], int(sys.argv[5])
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    # Read in place: the descriptor's position is shared with other contestants.
    payload = marshal.loads(os.pread(payload_end, os.fstat(payload_end).st_size, 0))  # noqa: S302 - from the referee
    os.close(payload_end)
    requests, replies = only(requests, replies)
    if payload["print_to_stderr"]:
        os.dup2(2, 1)
        # Each line at once, so that it is known in which move it was printed.
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    confine(payload["limits"])
    sys.argv = [payload["main"]]
    unpack(payload, scratch)
    if sys.version_info >= (3, 14):  # whose default takes a socket, of which there is none here
        multiprocessing.set_start_method("fork")
    os.write(replies, reply("up", 0))
    lines = map(json.loads, open(requests, "rb"))  # noqa: SIM115 - as long as the program runs
    _, turn = next(lines)
    try:
        game = Games(payload)
    except BaseException as error:
        os.write(replies, failure(turn, error, payload))
        return
    # What the import has made stays; the collector need not go through it again and again. Before the first game's
    # clock starts, as everything that is no game's own.
    gc.collect()
    gc.freeze()
    os.write(replies, reply("ready", turn, game.name, game.ours))
    for verb, turn, *values in lines:
        try:
            line = encode(turn, game.move(verb, values))
        except BaseException as error:  # a strategy that exits loses this game, with its name to it
            line = failure(turn, error, payload)
        os.write(replies, line)


def only(requests: int, replies: int) -> tuple[int, int]:
    """The two ends as descriptors 3 and 4, and every other one but the standard three closed."""
    import fcntl  # this and the next are not on Windows, where the referee imports the protocol
    import resource

    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 16) for end in (requests, replies)]
    for low, end in zip((3, 4), high, strict=True):
        os.dup2(end, low, inheritable=False)
    os.closerange(5, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], max(high) + 1))
    return 3, 4


def confine(limits: dict[str, Any]) -> None:
    """Bound this process and its children as far as rlimits go."""
    import resource

    bounds = dict.fromkeys((resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE), 0)
    bounds |= dict.fromkeys((resource.RLIMIT_NICE, resource.RLIMIT_RTPRIO, _RLIMIT_LOCKS), 0)
    # Private data is what a strategy fills; libraries reserve far more address space than they use.
    bounds |= {
        resource.RLIMIT_DATA: limits["memory"],
        resource.RLIMIT_AS: limits["memory"] + (4 << 30),
        resource.RLIMIT_FSIZE: limits["scratch"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_CPU: limits["cpu"],
        resource.RLIMIT_STACK: 8 << 20,
        resource.RLIMIT_SIGPENDING: 128,
    }
    if limits["tasks"]:
        bounds[resource.RLIMIT_NPROC] = limits["tasks"]
    for which, value in bounds.items():
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))


def unpack(payload: dict[str, Any], scratch: str) -> None:
    """Lay out the scratch directory: the submission's files beside the word files, as in the contest's repository."""
    for name in ("tmp", "shm", "cache", "numba", "play/strategies"):
        os.makedirs(f"{scratch}/{name}", exist_ok=True)  # noqa: PTH103
    play = f"{scratch}/play"
    for name, content in {**payload["lists"], **payload["files"]}.items():
        os.makedirs(os.path.dirname(f"{play}/{name}"), exist_ok=True)  # noqa: PTH103, PTH120
        with open(f"{play}/{name}", "wb") as file:
            file.write(content)
    for name, place in payload["in_place"].items():
        os.symlink(place, f"{play}/{name}")  # noqa: PTH211
    os.chdir(play)
    sys.path.insert(0, play)
    package = types.ModuleType("strategies")
    package.__path__ = [f"{play}/strategies", play, _COMPAT, str(LIBRARY)]
    sys.modules["strategies"] = package
    # Processes that the strategy starts anew (spawn, joblib) import its functions by name, and its libraries.
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    init = f"{play}/strategies/__init__.py"
    if not os.path.exists(init):  # noqa: PTH110
        with open(init, "w", encoding="utf-8") as file:
            file.write(f"__path__ = {package.__path__!r}\n")


class Games:
    """The submission's strategy, ready to play one game after another."""

    def __init__(self, payload: dict[str, Any]) -> None:
        module = importlib.import_module(f"strategies.{payload['main'].removesuffix('.py')}")
        strategy = make(module, payload["maker"])
        kind: Any = type(strategy)
        plain = (kind.__repr__, kind.__str__) == (object.__repr__, object.__str__)
        suffix = " object" if strategy is getattr(module, "strategy", None) else "()"  # its parameters may be others
        text = f"{kind.__name__}{suffix}" if plain else str.__str__(str(strategy))
        self.name = without_addresses(text)[:MAX_TEXT]
        strategies = sys.modules.get("wordpl.play.strategy")  # whoever makes one of ours has imported it
        self.ours = strategies is not None and isinstance(strategy, strategies.Strategy)
        if self.ours:
            setting = _setting(payload)
            strategy.check(setting)
            self._player_for: Callable[[int], Any] = strategy.players(setting)
            # A module that has imported a scoring function needs our kernels. A function that is looked up in the
            # middle of a game (`wordpl.best_guess`) is found by its name.
            names = b"best_|score_guesses"
            if "wordpl.scoring.noise" in sys.modules or any(re.search(names, c) for c in payload["files"].values()):
                from wordpl.scoring.warmup import prepare

                with suppress(Exception):  # what cannot be made ready may not be needed
                    prepare(setting.belief(), setting.noiseless)
        else:
            self._player_for = lambda seed: strategy
        self._player: Any = None

    def move(self, verb: str, values: list[Any]) -> object:
        """The value that the strategy returns to a request."""
        if verb == "first":
            (seed,) = values
            # Both kinds of strategy draw the same in a trial, whatever was played before it.
            random.seed(seed)
            if "numpy" in sys.modules:
                sys.modules["numpy"].random.seed(seed & 0xFFFFFFFF)
            self._player = self._player_for(seed)
            return self._player.first_move()
        return self._player.next_move(*values)


def make(module: types.ModuleType, maker: tuple[str, tuple[Any, ...], dict[str, Any]] | None) -> Any:
    """The strategy that a module holds: the class asked for, a variable named `strategy`, or its only class."""
    kinds = {name: value for name, value in vars(module).items() if _is_strategy(value, module.__name__)}
    if maker is not None:
        name, arguments, keywords = maker
        kind = getattr(module, name, None)
        if not isinstance(kind, type):
            raise LoadError(f"no class {name}; it has {', '.join(kinds) or _NO_CLASS}")
        strategy = kind(*arguments, **keywords)
        if not _begins(strategy):  # it may set its methods itself
            raise LoadError(f"{name} has no first_move and next_move; {_listed(module, kinds)}")
        return strategy
    value = getattr(module, "strategy", None)
    if not isinstance(value, (type, types.ModuleType)) and _begins(value):
        return value
    if len(set(kinds.values())) != 1:  # a class may have two names
        raise LoadError(_listed(module, kinds))
    kind = next(iter(kinds.values()))
    try:
        return kind()
    except TypeError:
        params = inspect.signature(kind).parameters.values()
        names = [p.name for p in params if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if not names:
            raise
        call = ", ".join(f"{name}=..." for name in names)
        raise LoadError(f"{kind.__name__} needs {', '.join(names)}; write FILE:{kind.__name__}({call})") from None


def _listed(module: types.ModuleType, kinds: dict[str, type]) -> str:
    """A sentence on what there is in place of one strategy, and what to write."""
    if kinds:
        names = ", ".join(kinds)
        return f"several strategies ({names}); write FILE:Name(parameter=value), or strategy = Name(...) in the file"
    functions = [name for name, value in vars(module).items() if inspect.isfunction(value)]
    if {"first_move", "next_move"} <= set(functions):
        return f"{_NO_CLASS}; here they are functions, so make them methods of a class"
    if hasattr(module, "strategy"):
        return f"{_NO_CLASS}, and the variable strategy has neither"
    classes = (name for name, value in vars(module).items() if _is_own_class(value, module.__name__))
    if name := next(classes, ""):
        return f"{_NO_CLASS}; if {name} sets them on its objects, write strategy = {name}() in the file"
    return _NO_CLASS


def _begins(value: object) -> bool:
    return hasattr(value, "first_move") or hasattr(value, "players")


def _is_own_class(value: object, module: str) -> bool:
    return isinstance(value, type) and value.__module__ == module and not value.__name__.startswith("_")


def _is_strategy(value: Any, module: str) -> bool:
    """Return whether a value is a class of a module that can be made and plays."""
    described_only = inspect.isabstract(value) or getattr(value, "_is_protocol", False)
    plays = (hasattr(value, "first_move") and hasattr(value, "next_move")) or hasattr(value, "players")
    return _is_own_class(value, module) and plays and not described_only


def _setting(payload: dict[str, Any]) -> Any:
    from wordpl.model.channel import RandomizedResponse, channel_family
    from wordpl.model.words import WordList, load_words
    from wordpl.play.formats import GameFormat
    from wordpl.play.setting import Setting

    words = WordList(*payload["words"])
    if words.name == "original" and load_words() == words:
        words = load_words()
    channel = channel_family(payload["channel"]) if payload["channel"] else RandomizedResponse
    return Setting(words, payload["rule"], channel, format=GameFormat.parse(payload["format"]))


def encode(turn: int, move: object) -> bytes:
    """The line for what a strategy has returned."""
    try:
        kind, word, epsilon = read_parts(move)
    except InvalidMoveError as error:
        return reply("invalid", turn, str(error))
    if len(word) > MAX_WORD:
        return reply("invalid", turn, f"guess {shown(word)} is not in the list of guesses")
    return reply(kind, turn, word, *([] if kind == "answer" else [epsilon]))


def failure(turn: int, error: BaseException, payload: dict[str, Any]) -> bytes:
    """The line for an error of the strategy's, with its place in the strategy's files; a traceback may go to stderr."""
    if isinstance(error, MemoryError):
        return reply("memory", turn, "ran out of memory")
    try:
        if isinstance(error, LoadError):
            return reply("crash", turn, str(error))
        if payload["tracebacks"]:
            traceback.print_exception(error, limit=-5, file=sys.stderr)
        said = error.msg if isinstance(error, SyntaxError) else error  # its text has the place once more
        text = f"{_place(error)}{type(error).__name__}: {said}"
        if isinstance(error, ModuleNotFoundError) and error.name in ("attr", "attrs", "tqdm"):
            text += "; the extra 'contest' has it, and wordpl doctor shows how to install that"
        elif isinstance(error, (ModuleNotFoundError, FileNotFoundError)) and len(payload["files"]) == 1:
            text += "; if it is in the same folder, submit a folder with both, and name your file strategy.py"
    except BaseException:
        text = "an error that cannot say what it is"
    return reply("crash", turn, text)


def _place(error: BaseException) -> str:
    """`file.py:12: `, the last line of the submission's own on the way to an error; "" if there is none."""
    play = f"{sys.path[0]}/"
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno or 0))
    texts = [f"{file.removeprefix(play)}:{line}: " for file, line in places if file.startswith(play)]
    return texts[-1] if texts else ""


# The protocol: what referee and contestant say to each other, one line of ASCII JSON for each message, bounded in
# length. Both sides use what follows. Of what the contestant says only the form is checked here: whether a move is
# legal is for `wordpl.play.moves.read_move`, and a line of any other form is a `ProtocolError`.

MAX_LINE = 2048
"""Bytes in the longest line, its newline included."""
MAX_TEXT = 300
"""Characters in the longest text of a reply."""
MAX_WORD = 64
"""Characters in the longest word; a longer one is no word of any list."""

# kind of reply -> types of what follows the turn
_REPLIES: dict[str, tuple[tuple[type, ...], ...]] = {
    "up": (),  # the program inside runs, and waits to be let on
    "ready": ((str,), (bool,)),  # name of the strategy, whether it has our interface
    "pair": ((str,), (float,)),  # the contest's (word, epsilon)
    "ask": ((str,), (float,)),
    "answer": ((str,),),
    "invalid": ((str,),),  # what the strategy returned is no move
    "crash": ((str,),),
    "memory": ((str,),),
}


class ProtocolError(Exception):
    """A line that is no message, or not one that was asked for."""


class Reply(NamedTuple):
    """A message from the contestant: its kind, the turn it belongs to, and its values, exact built-in types."""

    kind: str
    turn: int
    values: tuple[Any, ...]


def request(turn: int, verb: str, *values: object) -> bytes:
    """A line from the referee."""
    return (json.dumps([verb, turn, *values]) + "\n").encode("ascii")


def reply(kind: str, turn: int, *values: object) -> bytes:
    """A line from the contestant; texts are cut to what a line may hold."""
    for longest in (MAX_TEXT, 100):
        cut = [value[:longest] if isinstance(value, str) else value for value in values]
        line = json.dumps([kind, turn, *cut]) + "\n"
        if len(line) <= MAX_LINE:
            break
    return line.encode("ascii")


def read_reply(line: bytes) -> Reply:
    """The reply in a line without its newline, of exact `str` and `float`. Raises `ProtocolError` for others."""
    if len(line) >= MAX_LINE:
        raise ProtocolError(f"sent a line of more than {MAX_LINE} bytes")
    try:
        value = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):  # no ASCII, no JSON, too deep, a number too long
        raise ProtocolError("sent a line that is not a message") from None
    if type(value) is not list or len(value) < 2 or type(value[0]) is not str or value[0] not in _REPLIES:
        raise ProtocolError("sent a line that is not a message")
    kind, turn, *values = value
    types = _REPLIES[kind]
    if type(turn) is not int or len(values) != len(types):
        raise ProtocolError(f"sent a malformed message of kind {kind}")
    longest = MAX_WORD if kind in ("pair", "ask", "answer") else MAX_TEXT
    for value, allowed in zip(values, types, strict=True):
        if type(value) not in allowed:
            raise ProtocolError(f"sent a malformed message of kind {kind}")
        if type(value) is str and len(value) > longest:
            raise ProtocolError(f"sent a message of kind {kind} with too long a text")
    return Reply(kind, turn, tuple(values))
