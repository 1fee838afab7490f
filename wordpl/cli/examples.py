"""The examples that `--help` shows, by command. The tests read every one of them and run those that are quick."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "score": (
        'wordpl score "TwoGuess(18)"',
        'wordpl score "NGuess(n_guesses=3, epsilon=9)" --until-width 0.02 --json',
        'wordpl score "Greedy(epsilon=inf)" --rule counted -n 200 -o results/run.sqlite',
    ),
    "sweep": (
        'wordpl sweep "TwoGuess()" "NGuess(n_guesses=3)" --epsilon 5:30:5',
        'wordpl sweep "Greedy()" -e 10,20,inf -n 200 -j 2 -o results/greedy.sqlite',
        'wordpl sweep "NGuess()" --grid n_guesses=2:4:1 --save study.toml',
        "wordpl sweep study.toml",
    ),
    "compare": (
        'wordpl compare "MaxClueEntropy(3)" "NGuess(3)" --epsilon 10:20:5',
        'wordpl compare "Greedy(14)" "Greedy(16)" --until-settled --out greedy.png',
        "wordpl compare --results results/run.sqlite NGuess TwoGuess",
    ),
    "watch": (
        'wordpl watch "NGuess(n_guesses=2, epsilon=9)" --trial 17',
        "wordpl watch my_strategy.py --trial 3 --seed 2",
        'wordpl watch "TwoGuess(18)" --trial 5 --results results/run.sqlite',
    ),
    "win-rate": (
        'wordpl win-rate "TwoGuess(18)"',
        'wordpl win-rate "Renyi(epsilon=(9.3, 5.3))" --json',
        "wordpl win-rate --records",
    ),
    "results": (
        "wordpl results results/run.sqlite --match NGuess",
        "wordpl results results/run.sqlite --where 'family=Greedy*,epsilon>=5'",
        "wordpl results results/run.sqlite --out trials.csv",
        "wordpl results results/run.sqlite --provenance",
    ),
    "plot": (
        "wordpl plot results/run.sqlite",
        "wordpl plot results/run.sqlite --kind wins --log x --out wins.png --data",
        "wordpl plot a.sqlite b.sqlite --where rule=letterwise --by seed",
    ),
    "report": (
        "wordpl report results/run.sqlite",
        'wordpl report results/run.sqlite --match NGuess --title "Fixed words"',
        "wordpl report --ledger results/contest.sqlite --out contest.html",
    ),
    "frontier": (
        "wordpl frontier",
        "wordpl frontier --out frontier.csv --out frontier.png",
    ),
    "list": (
        "wordpl list",
        "wordpl list --json",
    ),
    "play": (
        "wordpl play",
        "wordpl play --epsilon inf --hard",
        "wordpl play --seed 1 --trial 5",
        "wordpl play --lies 1",
    ),
    "solve": (
        "wordpl solve",
        "wordpl solve crate=.ii.. slink=ci...",
        "wordpl solve crate=..icc@12.3 --epsilon 12.3",
        "wordpl solve --lies 1 crate=..i.. sound=ic...",
    ),
    "analyze": (
        "wordpl analyze crate slink solar --answer solar",
        "wordpl analyze crate solid diary --answer diary --json",
        "wordpl analyze --lies 1 crate=..i.. sound=ic... solar=ccccc",
    ),
    "rank": (
        "wordpl rank --epsilon 12.3",
        "wordpl rank --epsilon 12.3 --after crate=..icc@12.3 --count 5",
    ),
    "entropy": (
        "wordpl entropy crate salet --epsilon 12.3",
        "wordpl entropy crate --json",
    ),
    "clue": (
        "wordpl clue crate haste",
        "wordpl clue crate haste --notation emoji",
        "wordpl clue geese eerie --rule counted",
    ),
    "tree build": (
        "wordpl tree build",
        "wordpl tree build --heuristic minimax --out minimax.json",
    ),
    "tree optimal": (
        "wordpl tree optimal --first salet --out salet.json",
        "wordpl tree optimal --minimize worst --out shallow.txt",
    ),
    "tree prove": ("wordpl tree prove",),
    "tree check": ("wordpl tree check salet.json",),
    "new": (
        "wordpl new my_strategy.py",
        "wordpl new mine.py --interface wordpl",
    ),
    "check": (
        "wordpl check my_strategy.py",
        'wordpl check "my_strategy.py:Mine(epsilon=12)" --games 10',
    ),
    "try": (
        "wordpl try my_strategy.py",
        'wordpl try "my_strategy.py:Mine(epsilon=12)" -n 100 --seed 2',
    ),
    "submit": (
        'wordpl submit my_strategy.py --name "My strategy"',
        'wordpl submit "my_strategy.py:Mine(epsilon=12)" --name Twelve',
        "wordpl submit my_strategy.py --name Mine --cluster local:2",
    ),
    "leaderboard": (
        "wordpl leaderboard",
        "wordpl leaderboard --out results/board.csv",
    ),
    "serve token": ("wordpl serve token Ann --ledger results/contest.sqlite --per-day 5",),
    "serve tokens": ("wordpl serve tokens --ledger results/contest.sqlite",),
    "serve uploads": ("wordpl serve uploads --ledger results/contest.sqlite",),
    "serve fetch": ("wordpl serve fetch 5b345764475cbac6 --out theirs.py",),
    "serve revoke": ("wordpl serve revoke Ann --ledger results/contest.sqlite",),
    "audit": (
        "wordpl audit",
        'wordpl audit "My strategy" --file my_strategy.py --games 20',
    ),
    "export": ('wordpl export "Fifth()" --out fifth.py',),
}
