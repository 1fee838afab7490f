"""Commands made of functions: options that travel together in a dataclass, and help in sections."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from wordpl.base import checks
from wordpl.base.errors import WordplError
from wordpl.cli import logs
from wordpl.cli.examples import EXAMPLES
from wordpl.cli.faults import stopping
from wordpl.cli.options import number

Function = Callable[..., None]

SECTIONS = SIMULATE, PLAY, TREES, CONTEST, PAGE, HELP = (
    "Simulate", "Play and solve", "Trees", "Contest", "Page", "Help",
)  # fmt: skip
"""The sections of the list of commands, in order."""

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
        _write(formatter, sections)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Examples"):
            for line in EXAMPLES[ctx.command_path.partition(" ")[2]]:
                formatter.write(f"  {line}\n")


class CommandGroup(_Quick, TyperGroup):
    """A group whose help lists its commands by section (`rich_help_panel`).

    A command gets its options only when it is asked for, because making those of all commands takes 0.1 s."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in ("help", "version"):
            raise WordplError({"help": "write wordpl COMMAND --help", "version": "write wordpl --version"}[cmd_name])
        command: Any = super().get_command(ctx, cmd_name)
        if (function := getattr(getattr(command, "callback", None), "function", None)) is not None:
            alone = typer.Typer(**_PLAIN, add_completion=False)
            alone.command(cmd_name, cls=Command, rich_help_panel=command.rich_help_panel)(flat(function))
            command = self.commands[cmd_name] = typer.main.get_command(alone)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        longest = max(map(len, self.commands), default=0)
        for name, command in self.commands.items():
            line = name.ljust(longest), command.get_short_help_str(limit=1000)
            sections.setdefault(getattr(command, "rich_help_panel", None) or "Commands", []).append(line)
        _write(formatter, sections)


def _write(formatter: Any, sections: dict[str, list[tuple[str, str]]]) -> None:
    for title, lines in sections.items():
        if lines:
            with formatter.section(title):
                formatter.write_dl(lines)


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
    --verbose are added. An annotation of the dataclass is that of its field `out`."""
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []

    def take(name: str, default: Any, hint: Any) -> None:
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint))

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
                take(field.name, field.default, Annotated[kind, info])
        else:
            take(parameter.name, parameter.default, hint)
    take("quiet", False, logs.Quiet)
    take("verbose", False, logs.Verbose)

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
