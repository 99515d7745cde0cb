"""The loader that compiles kernels: the only place that imports numba."""

import hashlib
import inspect
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import intrinsic

from surefoot import sources
from surefoot.core.assembly import Parts, assemble, kernels, reached, with_globals

# Kernels allocate nothing and keep no reference, so they need no reference counts, which would take most of their time
# (measured: 3x); and they are inlined into the loop that calls them, but for those that their module says are CALLED.
OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}
# Nobody calls those from Python or C: the code that would let them is half of the time to compile, and most of the memory.
INSIDE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compile_program(root: ModuleType, parts: Parts) -> ModuleType:
    """`assembly.assemble`, with every function compiled, and those of `root` cached on disk."""
    source = cache_file(root, parts)

    def wrap(function: FunctionType) -> Any:
        if function.__globals__["__name__"] != root.__name__:
            return inside(function)
        return cached(function, source, **OPTIONS)

    return assemble(root, parts, wrap)


def inside(function: FunctionType) -> Any:
    """A function that only compiled ones call."""
    called = function.__name__ in function.__globals__.get("CALLED", ())
    checked = function.__globals__.get("__any_index__", False)
    return numba.njit(function, forceinline=not called, boundscheck=checked, **OPTIONS | INSIDE)


def cached(function: FunctionType, source: Path | None, **options: Any) -> Any:
    """A function that Python calls, cached on disk.

    numba caches beside the file that a function says it comes from, and looks at that file alone to see whether the cache is
    still good: a folder of its own for each program and version of the sources makes a stale one impossible.
    """
    if source is None:
        return numba.njit(function, **options)
    moved = with_globals(function, function.__globals__)
    moved.__code__ = function.__code__.replace(co_filename=str(source))
    return numba.njit(moved, cache=True, **options)


class Resident(NamedTuple):
    """Compiled functions that are given the address of their first argument in its place."""

    functions: dict[str, Any]
    keep: Any  # what writes such an argument to an address
    size: int  # of it, in bytes

    def bound(self, first: Any) -> dict[str, Callable[..., Any]]:
        """The functions, by name, with this for their first argument, which they keep in memory with all it consists of."""
        memory = np.zeros(self.size, np.uint8)
        address = memory.ctypes.data
        self.keep(address, first)
        bound: dict[str, Callable[..., Any]] = {}
        for name, function in self.functions.items():
            bound[name] = partial(function, address)
            bound[name].argument = first, memory  # type: ignore[attr-defined]
        return bound


RESIDENT: dict[tuple[Any, ...], Resident] = {}  # those of this process


def resident_program(root: ModuleType, parts: Parts, first: Any, calls: Mapping[str, tuple[Any, ...]]) -> Resident:
    """Functions of `root`, compiled, with a first argument like `first`. `calls` has their names, and examples of what else
    they are given.

    To hand over a tuple of so many arrays takes ten times as long as most kernels do. So it is handed over once, and lies
    where compiled code finds it. The functions hold Python's lock: letting go of it at each call would take longer, too.
    """
    kind: Any = numba.typeof(first)  # type: ignore[no-untyped-call]
    given = {name: tuple(map(numba.typeof, others)) for name, others in calls.items()}
    key = (root, *sorted((name, id(module)) for name, module in parts.items()), kind, *given.items())
    if key not in RESIDENT:
        source = cache_file(root, parts, str(kind))
        try:
            RESIDENT[key] = compile_resident(root, parts, kind, given, source)
        except Exception:
            if source is None:
                raise
            shutil.rmtree(source.parent, ignore_errors=True)  # most likely a cache that was cut off
            RESIDENT[key] = compile_resident(root, parts, kind, given, cache_file(root, parts, str(kind)))
    return RESIDENT[key]


def compile_resident(
    root: ModuleType, parts: Parts, kind: Any, calls: Mapping[str, tuple[Any, ...]], source: Path | None
) -> Resident:
    inner = assemble(root, parts, inside)
    names: dict[str, Any] = {"__name__": root.__name__, "put": put, "size_of": sizing(kind), "taken": taking(kind)}

    def ready(name: str, text: str, *types: Any) -> Any:
        exec(text, names)
        function = cached(names[name], source, _nrt=False)
        function.compile(types)
        (compiled,) = function.overloads.values()
        return compiled.entry_point  # without a look at what types it is given, which takes longer than most kernels do

    functions = {}
    for name, types in calls.items():
        _, *others = inspect.signature(getattr(root, name)).parameters
        names[f"its_{name}"] = getattr(inner, name)
        text = f"def {name}(address, {', '.join(others)}): return its_{name}(taken(address), {', '.join(others)})"
        functions[name] = ready(name, text, numba.int64, *types)
    keep = ready("keep_first", "def keep_first(address, value): put(address, value)", numba.int64, kind)
    return Resident(functions, keep, ready("size", "def size(): return size_of()")())


@intrinsic
def put(context: Any, address: Any, value: Any) -> Any:
    """Write a value, as compiled code has it, to an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, written = arguments
        builder.store(written, builder.inttoptr(place, context.get_value_type(value).as_pointer()))
        return context.get_dummy_value()

    return numba.types.void(address, value), generate


def sizing(kind: Any) -> Any:
    """A function of compiled code that says how many bytes a value of this type takes."""

    @intrinsic
    def size_of(context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.get_constant(numba.types.int64, context.get_abi_sizeof(context.get_value_type(kind)))

        return numba.types.int64(), generate

    return size_of


def taking(kind: Any) -> Any:
    """A function of compiled code that reads a value of this type from an address."""

    @intrinsic
    def taken(context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(builder.inttoptr(arguments[0], context.get_value_type(kind).as_pointer()))

        return kind(address), generate

    return taken


def reason(error: Exception) -> str:
    """What the compiler has against a kernel, in a line; nothing if the error is not the compiler's."""
    if not type(error).__module__.startswith("numba."):
        return ""
    lines = [re.sub(r"\x1b\[\d*m", "", line).strip() for line in str(error).splitlines()]
    told = [
        line for line in lines if line and not line.startswith(("Failed in", "During:", "File ", "- ", "[", "~", "^"))
    ]
    places = [line for line in lines if line.startswith("File ") and os.path.join("site-packages", "numba") not in line]
    return " ".join(told[:1] + places[:1]).rstrip(":")


def forget(root: ModuleType, parts: Parts) -> None:
    """Throw a program's cache away."""
    source = cache_file(root, parts)
    if source is not None:
        shutil.rmtree(source.parent, ignore_errors=True)


def cache_file(root: ModuleType, parts: Parts, *kinds: str) -> Path | None:
    """A file in a folder named after all that the compiled program depends on; None where nothing can be written. `kinds`
    are types that it takes for granted.
    """
    modules = reached(root, parts).values()
    chosen = {
        f"{module.__name__}.{key}={kernel.__name__}" for module in modules for key, kernel in kernels(module, parts)
    }
    own = [module for module in modules if getattr(module, "__file__", None) is None]
    names = {getattr(module, "__template__", module.__name__) for module in modules}
    digest = "" if own else sources.digest(__name__, *sorted(names))
    if not digest:
        return None
    versions = (sys.version, np.__version__, numba.__version__)
    name = hashlib.sha256("\n".join([digest, *versions, *kinds, root.__name__, *sorted(chosen)]).encode()).hexdigest()[
        :24
    ]
    folder = cache_folder() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.py").touch()
    except OSError:
        return None
    return folder / "program.py"


def cache_folder() -> Path:
    """Where compiled programs are kept, if it can be written to."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(os.environ.get("SUREFOOT_CACHE_DIR") or os.path.join(caches, "surefoot"))


def can_be_kept() -> bool:
    """Can compiled programs be kept on disk?"""
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(cache_folder(), os.W_OK)
