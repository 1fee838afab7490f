"""Commands made of functions: options that travel together in a dataclass, and help in sections."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from wordpl.base import checks
from wordpl.cli import logs
from wordpl.cli.execution import stopping
from wordpl.cli.index import COMMANDS, EXAMPLES, GROUPS
from wordpl.cli.options import number

_PLAIN: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class _Quick:
    """Reads the values of options without pydantic (`_value`)."""

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if hasattr(param, "type_descriptor"):  # all but --help
                param.process_value = functools.partial(_value, param)
        return params


class Command(_Quick, TyperCommand):
    """A command whose help lists its options by section (`rich_help_panel`), with examples at the end."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is not None:
                is_argument = param.param_type_name == "argument"
                section = "Arguments" if is_argument else getattr(param, "rich_help_panel", None) or "Options"
                sections.setdefault(section, []).append(record)
        for title, lines in sections.items():
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Examples"):
            for line in EXAMPLES[ctx.command_path.partition(" ")[2]]:
                formatter.write(f"  {line}\n")


class CommandGroup(_Quick, TyperGroup):
    """A group of `COMMANDS`, whose help lists them by section.

    A command is imported and gets its options only when it is asked for, because that takes 0.2 s for all of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.sections = {name: places.split() for name, places in COMMANDS[self.name or ""].items()}
        self.commands: dict[str, Any] = {_name(place): place for places in self.sections.values() for place in places}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if isinstance(place := self.commands.get(cmd_name), str):
            if place in GROUPS:
                alone = make_app(place)
            else:
                alone = typer.Typer(**_PLAIN, add_completion=False)
                alone.command(cmd_name, cls=Command)(flat(_function(place)))
            self.commands[cmd_name] = typer.main.get_command(alone)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        longest = max(map(len, self.commands))
        for section, places in self.sections.items():
            texts = (GROUPS.get(place) or inspect.getdoc(_function(place)) for place in places)
            summaries = (Command(name=None, help=text).get_short_help_str(limit=1000) for text in texts)
            with formatter.section(section):
                formatter.write_dl([*zip((_name(place).ljust(longest) for place in places), summaries, strict=True)])


def _name(place: str) -> str:
    """The name of the command that is a group or a function of a module."""
    return place.rpartition(".")[2].strip("_").replace("_", "-")


def _function(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"wordpl.cli.{module}"), name)


def _value(param: Any, ctx: typer.Context, value: Any) -> Any:
    """The value of an option or argument, as typer makes it, but without pydantic, which takes 0.4 s to load."""
    if param.required and param.value_is_missing(value):
        return type(param).process_value(param, ctx, value)  # raises typer's error
    info, kind = param.type_descriptor.parameter_info, param.type_descriptor.annotation
    kind = next(iter(get_args(kind)), kind)  # of a list, its items
    parse = info.parser or kind
    if parse is int:
        parse = number(functools.partial(checks.whole_number, minimum=info.min, maximum=info.max), int)
    several = isinstance(value, (list, tuple))
    try:
        values = [parse(item) if isinstance(item, str) else item for item in (value if several else [value])]
    except ValueError as error:
        raise typer.BadParameter(str(error), ctx, param) from None
    value = values if several else values[0]
    return value if param.callback is None else param.callback(ctx, param, value)


def help_without_command(ctx: typer.Context) -> None:
    """Show help on stderr, and exit with 2, if no command is given."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), err=True)
        raise typer.Exit(2)


def make_app(name: str) -> typer.Typer:
    """A group of commands, which shows its help if it is called without one."""
    return typer.Typer(
        name=name,
        help=GROUPS.get(name),
        cls=CommandGroup,
        invoke_without_command=True,
        callback=help_without_command,
        add_completion=name == "wordpl",  # the options that give a shell's script
        **_PLAIN,
    )


def flat(function: Callable[..., None]) -> Callable[..., None]:
    """`function` as typer needs it: the fields of a dataclass of options are parameters of their own, and --quiet and
    --verbose are added. An annotation of the dataclass is that of its field `out`."""
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    take = functools.partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        group, *out = get_args(hint) or [hint]
        if isinstance(group, type) and dataclasses.is_dataclass(group):
            groups[parameter.name] = group
            field_hints = get_type_hints(group, include_extras=True)
            for field in dataclasses.fields(group):
                kind, info = get_args(field_hints[field.name])
                info = copy.copy(out[0] if out and field.name == "out" else info)  # which others may share
                info.rich_help_panel = getattr(group, "section", None)
                parameters.append(take(field.name, default=field.default, annotation=Annotated[kind, info]))
        else:
            parameters.append(take(parameter.name, default=parameter.default, annotation=hint))
    for name, hint in (("quiet", logs.Quiet), ("verbose", logs.Verbose)):
        parameters.append(take(name, default=False, annotation=hint))

    @functools.wraps(function)
    def call(quiet: bool, verbose: bool, **arguments: Any) -> None:
        logs.choose(quiet, verbose)
        for name, kind in groups.items():
            arguments[name] = kind(**{field.name: arguments.pop(field.name) for field in dataclasses.fields(kind)})
        with stopping():
            function(**arguments)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call
