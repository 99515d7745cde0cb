"""The results of simulated pulls with several metrics: each drawn by itself, or all of one row of data.

A module for so many metrics is a chain of links (`each_metric`), because compiled code knows the length of a tuple.
"""

import sys
from functools import cache
from types import ModuleType

import numpy as np

from surefoot.core.assembly import filled
from surefoot.simulation import each_metric, item_draws, last_metric, one_metric
from surefoot.simulation import last_metric as metrics
from surefoot.simulation.draws import ROWS, Draws


def draw(draws: tuple[Draws, ...], index: int, place: int, generator: np.random.Generator) -> tuple[float, ...]:
    """What one pull of an arm returns."""
    arm, row = draws[0].arms[index], -1
    if arm.kind == ROWS:
        row = int(generator.random() * (arm.stop - arm.start))
    return metrics.draw(draws, index, row, generator)


@cache
def source(count: int, items: bool = False) -> ModuleType:
    """What draws the results of so many metrics; of arms that are tried on the same items, or not."""
    if items:
        return chain(each_metric, last_metric, count, tables=item_draws)
    if count == 1:
        return one_metric
    metrics = chain(each_metric, last_metric, count)
    return kept(filled(sys.modules[__name__], f"{__name__}.{count}", metrics=metrics), __name__)


def chain(each: ModuleType, last: ModuleType, count: int, **parts: ModuleType) -> ModuleType:
    """Links for so many metrics, one after the other."""
    links = link(last, count - 1, **parts)
    for metric in reversed(range(count - 1)):
        links = link(each, metric, rest=links, **parts)
    return links


def link(template: ModuleType, metric: int, **parts: ModuleType) -> ModuleType:
    of = parts["rest"].__name__.rpartition(".")[2] if "rest" in parts else metric + 1
    others = "".join(f"_{part.__name__.rpartition('.')[2]}" for name, part in parts.items() if name != "rest")
    module = filled(template, f"{template.__name__}.{metric}_{of}{others}", **parts)
    vars(module)["METRIC"] = metric
    return kept(module, template.__name__)


def kept(module: ModuleType, template: str) -> ModuleType:
    """What is compiled is kept because it has a file, and found again by the name of its module."""
    vars(module).update(__file__=sys.modules[template].__file__, __template__=template)
    sys.modules[module.__name__] = module
    return module
