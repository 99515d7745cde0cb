"""The loader that compiles kernels: the only place that imports numba."""

import hashlib
import os
import re
import shutil
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

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
            called = function.__name__ in function.__globals__.get("CALLED", ())
            checked = function.__globals__.get("__any_index__", False)
            return numba.njit(function, forceinline=not called, boundscheck=checked, **OPTIONS | INSIDE)
        if source is None:
            return numba.njit(function, **OPTIONS)
        # numba caches beside the file that a function says it comes from, and looks at that file alone to see whether the
        # cache is still good: a folder of its own for each program and version of the sources makes a stale one impossible.
        moved = with_globals(function, function.__globals__)
        moved.__code__ = function.__code__.replace(co_filename=str(source))
        return numba.njit(moved, cache=True, **OPTIONS)

    return assemble(root, parts, wrap)


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


def cache_file(root: ModuleType, parts: Parts) -> Path | None:
    """A file in a folder named after all that the compiled program depends on; None where nothing can be written."""
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
    name = hashlib.sha256("\n".join([digest, *versions, root.__name__, *sorted(chosen)]).encode()).hexdigest()[:24]
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(os.environ.get("SUREFOOT_CACHE_DIR") or os.path.join(caches, "surefoot")) / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.py").touch()
    except OSError:
        return None
    return folder / "program.py"
