"""A compiled function, loaded from its cache or compiled when it is first called."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from surefoot.core.program import Program
from surefoot.errors import Unsupported

ALLOWED = "kernels may use floats, ints, tuples, math and NumPy scalars; engine='interpreted' runs them as they are"


def first_called(
    root: ModuleType, name: str, program: Program, nothing_to_do: tuple[Any, ...], **parts: ModuleType
) -> Callable[..., Any]:
    """A function of a root of kernels with this program, and these other parts, in it, compiled by a call in which there is
    nothing to do.
    """
    from surefoot.compiled import compile_program, forget, reason  # numba takes half a second to import

    def compiled() -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(compile_program(root, program.parts | parts), name)
        function(*nothing_to_do)
        return function

    try:
        return compiled()
    except Exception as error:
        if why := reason(error):
            raise Unsupported(f"a part of this program cannot be compiled: {why}; {ALLOWED}") from None
        forget(
            root, program.parts | parts
        )  # most likely a cache that was cut off; without it, it works or fails for good
        return compiled()
