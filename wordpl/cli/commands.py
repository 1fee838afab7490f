"""How a function becomes a command: options that travel together in a dataclass, and help in sections."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException
from typer.models import ArgumentInfo

from wordpl.base import checks
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError, nearest
from wordpl.cli import logs
from wordpl.cli.examples import EXAMPLES
from wordpl.cli.faults import check_memory
from wordpl.cli.options import number, strategy_names
from wordpl.cli.targets import sources_of, writable

Function = Callable[..., None]

SECTIONS = SIMULATE, PLAY, TREES, CONTEST, PAGE, HELP = (
    "Simulate", "Play and solve", "Trees", "Contest", "Page", "Help",
)  # fmt: skip
"""The sections of the list of commands, in order."""

_SPECS = ("STRATEGY", "SPEC")
"""What help calls an argument that names a strategy."""
_PLAIN: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
_METAVARS = {str: "TEXT", int: "N", float: "X", Path: "FILE"}


class _Spoken:
    """A command that reads its arguments itself, for messages of our own, and because typer would load pydantic."""

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)  # type: ignore[misc]
        parsers = getattr(ctx.command.callback, "parsers", {})
        for param in params:
            param.process_value = functools.partial(_value, param, parsers.get(param.name, str))
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return list(super().parse_args(ctx, args))  # type: ignore[misc]
        except TyperException as error:
            error.ctx = ctx  # type: ignore[attr-defined]  # `mistake` looks there for the option, and not all have it
            raise

    def get_short_help_str(self, limit: int = 0) -> str:
        """The whole summary, in help and in a shell that completes."""
        return str(super().get_short_help_str(1000))  # type: ignore[misc]


def _value(param: Any, parse: Callable[[str], Any], ctx: typer.Context, value: Any) -> Any:
    """The value of an option or argument; `value` is its text, several texts, or its default."""
    name = param.metavar if param.param_type_name == "argument" else max(param.opts, key=len)
    if param.required and param.value_is_missing(value):
        raise WordplError(f"{name} is missing; see {ctx.command_path} --help")
    values = []
    for item in value if isinstance(value, (list, tuple)) else [value]:
        try:
            values.append(parse(item) if isinstance(item, str) else item)
        except WordplError as error:
            raise WordplError(f"{name} {item or repr(item)}: {error}") from None
    value = values if isinstance(value, (list, tuple)) else values[0]
    return value if param.callback is None else param.callback(ctx, param, value)


def mistake(error: Any) -> str:
    """What typer refuses, in our words."""
    if not hasattr(error, "option_name"):
        return str(error.format_message())
    if hasattr(error, "possibilities"):
        options = [name for param in error.ctx.command.params for name in (*param.opts, *param.secondary_opts)]
        known = nearest(error.option_name, [name for name in options if name[:2] == "--"])
        return f"{error.ctx.command_path} has no option {error.option_name}: {known}"
    params = [param for param in error.ctx.command.params if error.option_name in (*param.opts, *param.secondary_opts)]
    return f"{error.option_name} {'takes no' if params[0].is_flag else 'needs a'} value"


class Command(_Spoken, TyperCommand):
    """A command whose help lists its options by section (`rich_help_panel`)."""

    allow_extra_args = True  # to refuse them in our words

    def invoke(self, ctx: Any) -> Any:
        if ctx.args:
            raise WordplError(f"{counted(len(ctx.args), 'argument')} too many: {' '.join(ctx.args)}")
        typed = [name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
        for files in {"answers", "guesses"}.intersection(typed if "words" in typed else ()):
            raise WordplError(f"use either --words or --{files}")
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = ["[OPTIONS]"]
        for param in self.params:
            if param.param_type_name == "argument":
                pieces.append(str(param.metavar) if param.required else f"[{param.metavar}]")
                pieces[-1] += "..." if param.nargs == -1 else ""
        return pieces

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        param: Any  # typer's own class is private
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                sections["Arguments"].append((param.metavar, param.help))
            elif (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(param.rich_help_panel or "Options", []).append(record)
        _write(formatter, sections)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Examples"):
            for line in EXAMPLES[ctx.command_path.partition(" ")[2]]:
                formatter.write(f"  {line}\n")


class CommandGroup(_Spoken, TyperGroup):
    """A group whose help lists its commands by section (`rich_help_panel`).

    A command gets its options only when it is asked for, because making those of all commands takes long."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command: Any = super().get_command(ctx, cmd_name)
        if (function := getattr(getattr(command, "callback", None), "function", None)) is not None:
            alone = typer.Typer(**_PLAIN, add_completion=False)
            alone.command(cmd_name, cls=Command, rich_help_panel=command.rich_help_panel)(flat(function))
            command = self.commands[cmd_name] = typer.main.get_command(alone)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands and not ctx.resilient_parsing:
            raise WordplError(f"there is no command {args[0]!r}: {nearest(args[0], self.commands)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        longest = max(map(len, self.commands), default=0)
        for name, command in self.commands.items():
            line = (name.ljust(longest), command.get_short_help_str())
            sections.setdefault(getattr(command, "rich_help_panel", None) or "Commands", []).append(line)
        _write(formatter, sections)


def _write(formatter: Any, sections: dict[str, list[tuple[str, str]]]) -> None:
    for title, lines in sections.items():
        if lines:
            with formatter.section(title):
                formatter.write_dl(lines)


def help_without_command(ctx: typer.Context) -> None:
    """Show help on stderr, and exit with 2, if no command is given."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), err=True)
        raise typer.Exit(2)


def make_app(name: str, summary: str) -> typer.Typer:
    """A group of commands, which shows its help if it is called without one."""
    return typer.Typer(
        name=name,
        help=summary,
        cls=CommandGroup,
        invoke_without_command=True,
        callback=help_without_command,
        add_completion=name == "wordpl",  # the options that give a shell's script
        **_PLAIN,
    )


def add(app: typer.Typer, command: Function | typer.Typer, section: str | None = None) -> None:
    """Make a function, or a group, a command of `app` under its own name, shown in a section of its help."""
    if isinstance(command, typer.Typer):
        app.add_typer(command, rich_help_panel=section)
    else:
        name = command.__name__.strip("_").replace("_", "-")

        def summary() -> None:
            """Stand for the command (`CommandGroup`)."""

        summary.__doc__, summary.function = command.__doc__, command  # type: ignore[attr-defined]
        app.command(name, cls=Command, rich_help_panel=section)(summary)


def flat(function: Function) -> Function:
    """`function` as typer needs it: the fields of a dataclass of options are parameters of their own, and --quiet and
    --verbose are added."""
    groups: dict[str, type] = {}
    # Name -> default value, and type with what help says of the option.
    options: dict[str, tuple[Any, Any]] = {}
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            groups[parameter.name] = hint
            field_hints = get_type_hints(hint, include_extras=True)
            for field in dataclasses.fields(hint):
                kind, info = get_args(field_hints[field.name])
                info = copy.copy(info)  # which others may share
                info.rich_help_panel = getattr(hint, "section", None)
                options[field.name] = field.default, Annotated[kind, info]
        else:
            options[parameter.name] = parameter.default, hint
    options |= {"quiet": (False, logs.Quiet), "verbose": (False, logs.Verbose)}
    kinds = next((info.kinds for _, hint in options.values() for info in get_args(hint) if hasattr(info, "kinds")), ())

    @functools.wraps(function)
    def call(**arguments: Any) -> None:
        logs.choose(arguments.pop("quiet"), arguments.pop("verbose"))
        check_memory()
        sources = [*sources_of({name: value for name, value in arguments.items() if name != "out"})]
        with contextlib.ExitStack() as stack:
            if kinds and (out := arguments.get("out")):
                paths = out if isinstance(out, list) else [out]
                found = [stack.enter_context(writable(path, kinds, sources)) for path in paths]
                arguments["out"] = found if isinstance(out, list) else found[0]
            for name, kind in groups.items():
                arguments[name] = kind(**{field.name: arguments.pop(field.name) for field in dataclasses.fields(kind)})
            function(**arguments)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, keyword, default=default, annotation=_described(name, hint))
        for name, (default, hint) in options.items()
    ]
    call.parsers = {name: parser for name, (_, hint) in options.items() if (parser := _parser(hint))}  # type: ignore[attr-defined]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _parser(hint: Any) -> Callable[[str], Any] | None:
    """What reads the text of an option or argument; None if it stays text."""
    if get_origin(hint) is not Annotated:
        return None
    kind, info = get_args(hint)
    kinds = {kind, *get_args(kind), *(item for part in get_args(kind) for item in get_args(part))}
    if info.parser is None and int in kinds:
        return number(functools.partial(checks.whole_number, minimum=info.min, maximum=info.max), int)
    return info.parser or (Path if Path in kinds else number(checks.number) if float in kinds else None)


def _described(name: str, hint: Any) -> Any:
    """An option or argument as help shows it: its value is called `FILE` and not `<path>`, and it may be repeatable."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, info = get_args(hint)
    info = copy.copy(info)
    kinds = {kind, *get_args(kind)}
    if isinstance(info, ArgumentInfo):
        info.metavar = info.metavar or name.upper()
        if info.metavar in _SPECS:
            info.autocompletion = strategy_names
    elif bool not in kinds:
        items = [get_args(part)[0] for part in kinds if get_origin(part) is list]
        info.help += " Repeatable." if items else ""
        info.metavar = info.metavar or next(name for type_, name in _METAVARS.items() if type_ in (*kinds, *items))
    return Annotated[kind, info]
