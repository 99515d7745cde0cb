"""Putting a program together: a policy, a ranker, a mean bound, limits and an answer, in place of those the source names.

A kernel module reaches the kernels it builds on through their modules, and names them by importing them. The imports
called `policy`, `ranker`, `mean_bound`, `limit_test`, `answer`, `display`, `comparison` and `baseline` are only defaults.
To assemble is to copy the modules, each function with the copies for its globals and the chosen modules under those names.
A kernel that a module passes on, `is_below = intervals.is_below`, is the copy in both: it costs no call.
Wrapping every copied function in a compiler gives the compiled program: see `surefoot.compiled`.
"""

from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias

Parts: TypeAlias = Mapping[str, ModuleType]

IDENTITY = ("__name__", "__file__", "__spec__", "__loader__", "__cached__")  # what makes a module the one it is


def assemble(
    root: ModuleType, parts: Parts, wrap: Callable[[FunctionType], Any] = lambda function: function
) -> ModuleType:
    """A copy of `root`, on copies of the kernel modules under it, with `parts` in their places."""
    originals = reached(root, parts)
    copies = {name: ModuleType(name) for name in originals}
    passed_on = []
    for name, module in originals.items():
        copy = copies[name]
        vars(copy).update(vars(module))
        vars(copy).update({key: copies[kernel.__name__] for key, kernel in kernels(module, parts)})
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == name:
                setattr(copy, key, wrap(with_globals(value, vars(copy))))
            elif isinstance(value, FunctionType) and value.__module__ in originals:
                passed_on.append((copy, key, copies[value.__module__], value.__name__))
    for copy, key, home, function in passed_on:
        setattr(copy, key, getattr(home, function))
    return copies[root.__name__]


def rounds_apart(root: ModuleType, parts: Parts) -> bool:
    """May a number be another one in its last place when the kernels are compiled?"""
    return any("ROUNDS_APART" in vars(module) for module in reached(root, parts).values())


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


def filled(template: ModuleType, name: str, **parts: Any) -> ModuleType:
    """A module of its own like the template, with these parts in it."""
    module = ModuleType(name)
    vars(module)["__template__"] = template.__name__
    values = {key: value for key, value in vars(template).items() if key not in IDENTITY}
    vars(module).update(values | parts)
    for key, value in values.items():
        if isinstance(value, FunctionType) and value.__module__ == template.__name__:
            setattr(module, key, with_globals(value, vars(module)))
    return module


def written_module(name: str, functions: Mapping[str, Any]) -> ModuleType:
    """A module of these functions under these names, and of all that they use by name.

    A user wrote them, so their indices may be any: the compiler checks them, as a wrong one is a wrong place in memory.
    """
    module = ModuleType(name)
    vars(module)["__any_index__"] = True
    for key, function in functions.items():
        copy_with_uses(function, key, module)
    return module


def copy_with_uses(function: FunctionType, key: str, module: ModuleType) -> None:
    setattr(module, key, with_globals(function, vars(module)))
    for used in names_in(function.__code__):
        if used in function.__globals__ and not hasattr(module, used):
            value = function.__globals__[used]
            if isinstance(value, FunctionType) and value.__globals__ is function.__globals__:
                copy_with_uses(value, used, module)
            else:
                setattr(module, used, value)


def names_in(code: CodeType) -> set[str]:
    """Every name that the code, or code inside it, looks up."""
    inside = [names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inside)


def with_globals(function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
    copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__doc__ = function.__doc__
    copy.__annotations__ = function.__annotations__
    return copy
