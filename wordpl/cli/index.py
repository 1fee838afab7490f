"""All commands, by section of the help."""

import typer

from wordpl.cli.analyze import analyze
from wordpl.cli.commands import CONTEST, HELP, PAGE, PLAY, SIMULATE, TREES, Function, add, make_app
from wordpl.cli.compare import compare
from wordpl.cli.contest import check, export, new
from wordpl.cli.doctor import doctor
from wordpl.cli.ledger import board, close, replay, start, submit
from wordpl.cli.play import play
from wordpl.cli.questions import clue, explain, list_, rank
from wordpl.cli.results import plot, report, results
from wordpl.cli.runs import score, sweep
from wordpl.cli.serve import serve
from wordpl.cli.solve import solve
from wordpl.cli.tree import app as tree
from wordpl.cli.watch import watch
from wordpl.cli.win_rate import frontier, win_rate

contest = make_app("contest", "Enter the contest, see its ranking, or run one.")
COMMANDS: dict[str, tuple[Function | typer.Typer, ...]] = {
    SIMULATE: (score, sweep, compare, watch, win_rate, results, plot, report, frontier, list_),
    PLAY: (play, solve, analyze, rank, clue, explain),
    TREES: (tree,),
    CONTEST: (new, check, contest),
    PAGE: (serve,),
    HELP: (doctor,),
}
CONTEST_COMMANDS: dict[str, tuple[Function, ...]] = {
    "A contestant": (submit, board, export),
    "An organiser": (start, close, replay),
}

app = make_app("wordpl", "Wordle under differential privacy: simulate, play, solve and compete.")
for section, commands in COMMANDS.items():
    for command in commands:
        add(app, command, section)
for section, functions in CONTEST_COMMANDS.items():
    for function in functions:
        add(contest, function, section)
