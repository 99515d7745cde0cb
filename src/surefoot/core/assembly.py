"""Putting a program together: one policy, standings, mean bound and risk test, in place of the ones the source names.

A kernel module reaches the kernels it builds on through their modules, and names them by importing them. The imports
called `policy`, `standings`, `mean_bound` and `risk_test` are only defaults. To assemble is to copy the modules, each
function with the copies for its globals and the chosen modules under those names. Wrapping every copied function in a
compiler gives the compiled program: see `surefoot.compiled`.
"""

from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

Parts: TypeAlias = Mapping[str, ModuleType]


def assemble(
    root: ModuleType, parts: Parts, wrap: Callable[[FunctionType], Any] = lambda function: function
) -> ModuleType:
    """A copy of `root`, on copies of the kernel modules under it, with `parts` in their places."""
    originals = reached(root, parts)
    copies = {name: ModuleType(name) for name in originals}
    for name, module in originals.items():
        copy = copies[name]
        vars(copy).update(vars(module))
        vars(copy).update({key: copies[kernel.__name__] for key, kernel in kernels(module, parts)})
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == name:
                setattr(copy, key, wrap(with_globals(value, vars(copy))))
    return copies[root.__name__]


def reached(root: ModuleType, parts: Parts) -> dict[str, ModuleType]:
    """`root` and every kernel module under it, by name."""
    found = {root.__name__: root}
    waiting = [root]
    while waiting:
        for _, kernel in kernels(waiting.pop(), parts):
            if kernel.__name__ not in found:
                found[kernel.__name__] = kernel
                waiting.append(kernel)
    return found


def kernels(module: ModuleType, parts: Parts) -> Iterator[tuple[str, ModuleType]]:
    """The kernel modules that a module names, with the chosen parts for the defaults."""
    for key, value in vars(module).items():
        if isinstance(value, ModuleType) and (key in parts or value.__name__.startswith("surefoot.")):
            yield key, parts.get(key, value)


def with_globals(function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
    copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__doc__ = function.__doc__
    copy.__annotations__ = function.__annotations__
    return copy
