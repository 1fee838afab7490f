"""All commands: for each group and section of its help, the modules and functions; and what the groups are for."""

COMMANDS: dict[str, dict[str, str]] = {
    "wordpl": {
        "Simulate": "runs.score runs.sweep compare.compare watch.watch win_rate.win_rate results.results results.plot"
        " results.report win_rate.frontier questions.list_",
        "Play and solve": "play.play solve.solve analyze.analyze questions.rank questions.clue questions.explain",
        "Trees": "tree",
        "Contest": "contest.new contest.check contest",
        "Page": "serve.serve",
        "Help": "doctor.doctor",
    },
    "contest": {
        "A contestant": "ledger.submit ledger.board contest.export",
        "An organiser": "ledger.start ledger.close ledger.replay",
    },
    "tree": {"Commands": "tree.build tree.optimal tree.prove tree.check"},
}
GROUPS = {
    "wordpl": "Wordle under differential privacy: simulate, play, solve and compete.",
    "contest": "Enter the contest, see its ranking, or run one.",
    "tree": """Build, check and prove decision trees for ordinary Wordle.

    Words are those of Wordle in 2021 and marks are counted, as in most published trees, unless you choose others.
    """,
}
