"""The loader that compiles kernels."""

from surefoot import Problem
from surefoot.compiled import INSIDE, compile_program
from surefoot.problem import choice
from surefoot.simulation import kernel


def test_only_the_loop_is_compiled_to_be_called_from_python():
    """Entries into the kernels inside of it would be most of the compiler's work, and nobody would use them."""
    loops = compile_program(kernel, choice.program(Problem(arms=["A"])).parts)
    assert not INSIDE.keys() & loops.advance.targetoptions.keys()
    for inside in (loops.stepping.step, loops.folding.fold, loops.tables.draw):
        assert INSIDE.items() <= inside.targetoptions.items()
