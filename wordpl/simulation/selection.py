"""The tasks of results files that are meant, by strategy, epsilon and channel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wordpl.base.checks import non_negative, set_fields, several
from wordpl.base.errors import closest, one_line
from wordpl.simulation.tasks import TaskRow


@dataclass(frozen=True)
class TaskFilter:
    """Conditions on tasks, all of which must hold. Without conditions, every task is meant.

    - `strategies`: Patterns, one of which the spec matches, or its part before the parentheses; every spec if there are
      none. `*` stands for any letters, `?` for one. Case does not matter.
    - `epsilons`: Epsilons that are meant; every one if there are none.
    - `channel`: Name of the channel; every one if empty.
    - `contains`: Text in the spec or in the name of the word list; one of several, as in `Two or NGuess`. Case does not
      matter.
    """

    strategies: Sequence[str] = ()
    epsilons: Sequence[float] = ()
    channel: str = ""
    contains: str = ""

    def __post_init__(self) -> None:
        epsilons = tuple(non_negative("epsilon", epsilon) for epsilon in several("epsilons", self.epsilons))
        set_fields(self, strategies=tuple(several("strategies", self.strategies)), epsilons=epsilons)

    def holds(self, task: TaskRow) -> bool:
        """True if a task meets all conditions."""
        names = (task.strategy, task.family, task.strategy.partition("(")[0])
        return (
            (not self.strategies or any(matches(name, pattern) for name in names for pattern in self.strategies))
            and (
                not self.epsilons
                or any(task.epsilon is not None and math.isclose(task.epsilon, one) for one in self.epsilons)
            )
            and self.channel in ("", task.channel)
            and any(
                text in f"{task.strategy} {task.words}".casefold() for text in self.contains.casefold().split(" or ")
            )
        )

    def nothing(self, tasks: Sequence[TaskRow]) -> str:
        """The reason for which none of `tasks` is meant, with what there is; "" if one is."""
        if not tasks or any(map(self.holds, tasks)):
            return ""
        epsilons = ",".join(f"{epsilon:g}" for epsilon in self.epsilons)
        typed = {"strategy": " or ".join(self.strategies), "epsilon": epsilons, "channel": self.channel}
        conditions = [f"{name} {value}" for name, value in typed.items() if value]
        names = {task.family.partition("(")[0] for task in tasks}
        near = next(filter(None, (closest(pattern, names) for pattern in self.strategies)), None)
        hint = f"did you mean {near!r}? " if near else f"its strategies are {', '.join(sorted(names))}"
        return one_line(f"no task has {' and '.join(conditions)}; {hint}", 300)


ALL_TASKS = TaskFilter()


def matches(text: str, pattern: str) -> bool:
    """True if a pattern matches a whole text: `*` stands for any letters, `?` for one. Case does not matter."""
    # Names have square brackets of their own, so none is a set of letters here.
    return fnmatchcase(text.casefold(), pattern.casefold().replace("[", "[[]"))
