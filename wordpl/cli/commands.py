"""How a function becomes a command: options that travel together in a dataclass, and help in sections."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import ArgumentInfo, OptionInfo

from wordpl.cli import logs
from wordpl.cli.examples import EXAMPLES
from wordpl.cli.faults import check_memory
from wordpl.cli.options import Options, strategy_names
from wordpl.cli.targets import Kind, check_target, sources_of

Function = Callable[..., None]

SECTIONS = SIMULATE, PLAY, TREES, CONTEST, PAGE = "Simulate", "Play and solve", "Trees", "Contest", "Page"
"""The sections of the list of commands, in order."""

_WHOLE = 1000
"""Letters of a summary that are shown: all. Where the terminal is narrow it goes on in the next line."""
_SPECS = ("STRATEGY", "SPEC")
"""What help calls an argument that names a strategy."""
_METAVARS = {str: "TEXT", int: "N", float: "X", Path: "FILE"}


class _WholeSummary:
    """A command whose summary is shown whole, in help and by a shell that completes."""

    def get_short_help_str(self, limit: int = _WHOLE) -> str:
        return str(super().get_short_help_str(_WHOLE))  # type: ignore[misc]


class Command(_WholeSummary, TyperCommand):
    """A command whose help lists its options by section (`rich_help_panel`)."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *(_in_usage(param) for param in self.params if param.param_type_name == "argument")]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        param: Any  # typer's own class is private
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                sections["Arguments"].append((param.metavar, param.help))
            else:
                sections.setdefault(param.rich_help_panel or "Options", []).append(record)
        _write(formatter, sections)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        _, _, path = ctx.command_path.partition(" ")
        if examples := EXAMPLES.get(path):
            with formatter.section("Examples"):
                for line in examples:
                    formatter.write(f"  {line}\n")


class Group(_WholeSummary, TyperGroup):
    """A group whose help lists its commands by section (`rich_help_panel`)."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        longest = max(map(len, self.commands), default=0)
        for name, command in self.commands.items():
            section = getattr(command, "rich_help_panel", None) or "Commands"
            line = (name.ljust(longest), command.get_short_help_str())
            sections.setdefault(section, []).append(line)
        _write(formatter, sections)


def _in_usage(argument: Any) -> str:
    name = argument.metavar if argument.required else f"[{argument.metavar}]"
    return f"{name}..." if argument.nargs == -1 else name


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
        cls=Group,
        invoke_without_command=True,
        callback=help_without_command,
        add_completion=name == "wordpl",  # the options that give a shell's script
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def add(app: typer.Typer, command: Function | typer.Typer, name: str, section: str | None = None) -> None:
    """Make a function, or a group, a command of `app`, shown in a section of its help."""
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name, rich_help_panel=section)
    else:
        app.command(name, cls=Command, rich_help_panel=section)(flat(command))


def flat(function: Function) -> Function:
    """`function` with each parameter that is a dataclass of options replaced by the fields of that dataclass.

    typer makes one option of one parameter, so a function that takes its options in groups needs this. The command
    also gets --quiet and --verbose.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            groups[parameter.name] = hint
            parameters += _fields(hint)
        else:
            parameters.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))

    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=hint)
        for name, hint in (("quiet", logs.Quiet), ("verbose", logs.Verbose))
    ]

    @functools.wraps(function)
    def call(**arguments: Any) -> None:
        logs.choose(arguments.pop("quiet"), arguments.pop("verbose"))
        check_memory()
        for name, kinds in targets.items():
            sources = [*sources_of({other: value for other, value in arguments.items() if other != name})]
            for target in sources_of({name: arguments[name]}):
                check_target(target, kinds, sources)
        for name, kind in groups.items():
            arguments[name] = kind(**{field.name: arguments.pop(field.name) for field in dataclasses.fields(kind)})
        function(**arguments)

    for parameter in parameters:
        _name_value(parameter)
    targets = {parameter.name: kinds for parameter in parameters if (kinds := _kinds(parameter))}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _name_value(parameter: inspect.Parameter) -> None:
    """What help calls the value of an option, or an argument, that has no name for it: `FILE` and not `<path>`."""
    if get_origin(parameter.annotation) is not Annotated:
        return
    kind, *described = get_args(parameter.annotation)
    kinds = {kind, *get_args(kind)}
    for info in described:
        if isinstance(info, ArgumentInfo):
            info.metavar = info.metavar or parameter.name.upper()
            if info.metavar in _SPECS:
                info.autocompletion = strategy_names
        elif isinstance(info, OptionInfo) and bool not in kinds:
            info.metavar = info.metavar or next(name for type_, name in _METAVARS.items() if type_ in kinds)


def _kinds(parameter: inspect.Parameter) -> tuple[Kind, ...]:
    """What the command writes to the file that the parameter names; nothing for any but `options.out`."""
    described = getattr(parameter.annotation, "__metadata__", ())
    return next((info.kinds for info in described if hasattr(info, "kinds")), ())


def _fields(group: type) -> list[inspect.Parameter]:
    """The options of a dataclass, each in the section of help that it names."""
    parameters = []
    for field in dataclasses.fields(group):
        annotation = get_type_hints(group, include_extras=True)[field.name]
        if issubclass(group, Options):
            kind, info = get_args(annotation)
            info = copy.copy(info)  # which others may share
            info.rich_help_panel = group.section
            annotation = Annotated[kind, info]
        parameters.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=annotation)
        )
    return parameters
