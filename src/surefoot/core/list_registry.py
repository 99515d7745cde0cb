"""What bounds and decides on the items of a finite list, by the kind of a metric. A new test is a file and a line here."""

from surefoot.core.bounds import on_list
from surefoot.core.limit_tests import list_mean, list_probability, list_quantile, list_variance, none
from surefoot.core.parts import LimitTest, MeanBound

TAIL_TESTS: dict[str, LimitTest] = {"quantile": list_quantile, "probability": list_probability}

# A bound of the metric's mean, and what can be limited.
ON_LISTS: dict[str, tuple[MeanBound | None, dict[str, LimitTest]]] = {
    "bounded": (on_list, TAIL_TESTS | {"mean": list_mean, "variance": list_variance, "none": none}),
    "any": (None, TAIL_TESTS),
}
