"""Kernels run on numbers of 40 digits: the same source, with another `math`, to see what rounding does to the usual run."""

from types import ModuleType, SimpleNamespace

import mpmath

from surefoot.core import stepping
from surefoot.core.assembly import assemble
from surefoot.core.program import Program

DIGITS = 40
MATH = SimpleNamespace(
    log=mpmath.log,
    log1p=mpmath.log1p,
    exp=mpmath.exp,
    expm1=mpmath.expm1,
    sqrt=mpmath.sqrt,
    lgamma=mpmath.loggamma,
    inf=mpmath.inf,
    pi=mpmath.pi,
    isinf=mpmath.isinf,
)


def exact_kernels(program: Program) -> ModuleType:
    """The program's kernels, whose functions of `math` answer in as many digits as mpmath works with."""
    kernels = assemble(stepping, program.parts)
    waiting, seen = [kernels], set()
    while waiting:
        module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        if "math" in vars(module):
            vars(module)["math"] = MATH
        waiting += [
            value for value in vars(module).values() if isinstance(value, ModuleType) and is_kernel(value.__name__)
        ]
    return kernels


def is_kernel(name: str) -> bool:
    return name.startswith("surefoot.core")
