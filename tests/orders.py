"""Every order of a finite list, each as likely as the others: how often does something happen in one of them?"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from surefoot.core import records

Value = TypeVar("Value", bound=Hashable)


def chance(
    values: Iterable[Value],
    begun: Any,
    fold: Callable[[Any, Value], None],
    happened: Callable[[Any], bool],
) -> float:
    """The probability, over all orders of the values, that it has ever happened: after none of them, or after the first few.

    Orders that begin alike are looked at once.
    """

    def after(record: Any, left: Counter[Value]) -> float:
        if happened(record):
            return 1.0
        total, found = left.total(), 0.0
        for value, count in left.items():
            if count:
                copy = records.copied(record)
                fold(copy, value)
                found += count / total * after(copy, left - Counter([value]))
        return found

    return after(begun, Counter(values))
