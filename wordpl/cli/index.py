"""All commands: for each group and section of its help, the modules and functions; what the groups are for; and the
examples that `--help` shows, which the tests run."""

COMMANDS: dict[str, dict[str, str]] = {
    "wordpl": {
        "Simulate": "runs.score runs.sweep compare.compare watch.watch win_rate.win_rate results.results results.plot"
        " results.report win_rate.frontier listing.list_",
        "Play and solve": "play.play solve.solve analyze.analyze questions.rank questions.clue questions.explain",
        "Trees": "tree",
        "Contest": "contest.new contest.check contest",
        "Page": "serve.serve",
        "Help": "doctor.doctor",
    },
    "contest": {
        "A contestant": "contest.submit contest.board contest.export",
        "An organiser": "contest.start contest.close contest.replay",
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
_LINES = """
wordpl score "TwoGuess(18)"
wordpl score "NGuess(n_guesses=3, epsilon=9)" --until-width 0.02 --json
wordpl score "Greedy(epsilon=inf)" --rule counted -n 200 -o results/run.sqlite
wordpl score "TwoGuess(18)" "NGuess(2, 9)" --out table.tex
wordpl score my_strategy.py --sandbox
wordpl score "my_strategy.py:Mine(epsilon=12)" --sandbox -n 100 --seed 2
wordpl sweep "TwoGuess()" "NGuess(n_guesses=3)" --epsilon 5:30:5
wordpl sweep "Greedy()" -e 10,20,inf -n 200 -j 2 -o results/greedy.sqlite
wordpl sweep "NGuess()" --grid n_guesses=2:4:1
wordpl compare "MaxClueEntropy(3)" "NGuess(3)" --epsilon 10:20:5
wordpl compare --all "TwoGuess()" "NGuess(2)" --budget 12,18 --out heat.png
wordpl watch "NGuess(n_guesses=2, epsilon=9)" --trial 17
wordpl watch "TwoGuess(40)" --lost
wordpl win-rate "TwoGuess(18)"
wordpl win-rate "Renyi(epsilon=(9.3, 5.3))" --json
wordpl win-rate "TwoGuess()" "NGuess(2)" --epsilon 5:50:15 --out curve.png
wordpl win-rate --records
wordpl results results/run.sqlite --strategy 'NGuess*' --epsilon 5:20:5
wordpl results results/run.sqlite --games --out trials.csv
wordpl results a.sqlite b.sqlite --out both.sqlite
wordpl results results/run.sqlite --provenance
wordpl results results/run.sqlite --compare --all
wordpl plot results/run.sqlite
wordpl plot results/run.sqlite --kind wins --log x --out wins.png --data
wordpl plot a.sqlite b.sqlite --channel randomized_response --by seed
wordpl report results/run.sqlite
wordpl frontier --out frontier.csv --out frontier.png
wordpl frontier --measure
wordpl list
wordpl list NGuess
wordpl play
wordpl play --epsilon inf --hard
wordpl play --lies 1
wordpl play --game unlimited
wordpl play --daily
wordpl play --answer crane --epsilon 9
wordpl solve crate=.ii.. slink=ci...
wordpl solve crate=..icc@12.3 --epsilon 12.3
wordpl solve --lies 1 crate=..i.. sound=ic...
wordpl solve --known ..a.e --has r --not stn
wordpl analyze crate slink solar --answer solar --list
wordpl analyze --lies 1 crate=..i.. sound=ic... solar=ccccc
wordpl rank --epsilon 12.3 --after crate=..icc@12.3 --count 5
wordpl rank crate --clues --epsilon inf -k 10
wordpl rank crate salet --epsilon 6,9,12 --format latex
wordpl clue crate haste
wordpl clue geese eerie --rule counted
wordpl clue crate haste --epsilon 13 --count 3
wordpl explain 13
wordpl explain 6 --channel ball:1 --seed 2
wordpl tree build
wordpl tree build --heuristic minimax --out minimax.json
wordpl tree optimal --first salet --out salet.json
wordpl tree prove
wordpl tree check salet.json --worst-words
wordpl tree check salet.json --out salet.tree --format columns
wordpl new my_strategy.py
wordpl new mine.py --interface wordpl
wordpl check my_strategy.py
wordpl contest start
wordpl contest start --ledger may.sqlite --trials 2001 --record 5=14.3
wordpl contest submit my_strategy.py --name "My strategy"
wordpl contest board
wordpl contest close --yes
wordpl contest replay
wordpl contest replay "My strategy" --trial 3
wordpl contest export "Fifth()" --out fifth.py
wordpl serve
wordpl serve --ledger results/contest.sqlite --how-to-submit "Mail it to Ann"
wordpl doctor
"""

EXAMPLES: dict[str, list[str]] = {}
for _line in _LINES.strip().splitlines():
    _words = f"{_line} ".split(" ")
    EXAMPLES.setdefault(" ".join(_words[1 : 3 if _words[1] in GROUPS else 2]), []).append(_line)
