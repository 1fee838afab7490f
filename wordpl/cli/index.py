"""All commands, by section of the help."""

import typer

from wordpl.cli.analyze import analyze
from wordpl.cli.audit import audit
from wordpl.cli.commands import CONTEST, HELP, PAGE, PLAY, SIMULATE, TREES, Function, add, make_app
from wordpl.cli.compare import compare
from wordpl.cli.contest import check, export, leaderboard, new, submit, try_
from wordpl.cli.doctor import doctor
from wordpl.cli.play import play
from wordpl.cli.questions import clue, entropy, list_, rank
from wordpl.cli.results import plot, report, results
from wordpl.cli.runs import score, sweep
from wordpl.cli.serve import app as serve
from wordpl.cli.solve import solve
from wordpl.cli.tree import app as tree
from wordpl.cli.watch import watch
from wordpl.cli.win_rate import frontier, win_rate

COMMANDS: dict[str, tuple[Function | typer.Typer, ...]] = {
    SIMULATE: (score, sweep, compare, watch, win_rate, results, plot, report, frontier, list_),
    PLAY: (play, solve, analyze, rank, entropy, clue),
    TREES: (tree,),
    CONTEST: (new, check, try_, submit, leaderboard, audit, export),
    PAGE: (serve,),
    HELP: (doctor,),
}

app = make_app("wordpl", "Wordle under differential privacy: simulate, play, solve and compete.")
for section, commands in COMMANDS.items():
    for command in commands:
        add(app, command, section)
