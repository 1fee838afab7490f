"""A strategy that holds any object, in a field that its `repr` does not show."""

from dataclasses import dataclass, field

from wordpl import HistoryStrategy


@dataclass(frozen=True, repr=False)
class Hidden(HistoryStrategy):
    epsilon: float = 1.0
    table: object = field(default=(), repr=False)
    inner: object = field(default=None, repr=False)
    decide = None
