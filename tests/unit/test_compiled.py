"""The loader that compiles kernels."""

import numpy as np

from surefoot import Instance, Problem, Uniform
from surefoot.compiled import INSIDE, cache_file, compile_program
from surefoot.core import recommending
from surefoot.problem import choice
from surefoot.simulation import kernel
from surefoot.simulation.several_metrics import source


def test_only_the_loop_is_compiled_to_be_called_from_python():
    """Entries into the kernels inside of it would be most of the compiler's work, and nobody would use them."""
    loops = compile_program(kernel, choice.program(Problem(arms=["A"])).parts)
    assert not INSIDE.keys() & loops.advance.targetoptions.keys()
    for inside in (loops.stepping.step, loops.folding.fold, loops.tables.draw):
        assert INSIDE.items() <= inside.targetoptions.items()


def test_tests_load_what_another_process_compiled(tmp_path, monkeypatch):
    """Or else the memory of all that was compiled would stay with them (`tests/compiling.py`)."""
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    instance = Instance({"A": Uniform(0.0, 1.0)})
    draw = compile_program(kernel, choice.program(instance.problem, "va-uniform", "paper").parts).bare_draws
    assert draw(instance.draws(), np.random.default_rng(1), 10) > 0.0
    assert sum(draw.stats.cache_hits.values()) == 1
    assert not draw.stats.cache_misses


def test_a_program_is_kept_once_whether_its_parts_are_given_or_left_to_the_source(tmp_path, monkeypatch):
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    parts = choice.program(Problem(arms=["A"])).parts
    kept = cache_file(kernel, parts)
    assert kept is not None
    assert cache_file(kernel, parts | {"source": source(1)}) == kept
    assert cache_file(kernel, parts | {"source": source(2)}) not in (None, kept)


def test_a_part_that_a_root_does_not_reach_makes_no_other_program(tmp_path, monkeypatch):
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    one, other = (choice.program(Problem(arms=["A"]), policy, "sharp").parts for policy in ("va-lucb", "va-uniform"))
    assert cache_file(recommending, one) == cache_file(recommending, other)
    assert cache_file(kernel, one) != cache_file(kernel, other)
