"""Runs of one combination against one instance, counted; run k is run k of `simulate` with the same seed."""

from surefoot.core import verdicts
from surefoot.simulation.generators import run_generator
from surefoot.simulation.instance import Instance
from surefoot.simulation.job import BEGUN, GENEROUS, Underway, compiled_loop
from verification.search.binomial import Count
from verification.search.combinations import Combination


def count(combination: Combination, instance: Instance, runs: int, seed: int) -> Count:
    """How many of so many runs were wrong, right and undecided."""
    question, draws = instance.question(combination.policy), instance.draws()
    max_pulls = instance.problem.max_pulls or GENEROUS
    nothing_to_do = combination.start(question), draws, run_generator(0, 0), BEGUN, 0, max_pulls
    loop = compiled_loop(combination.program, nothing_to_do)
    wrong = right = 0
    for run in range(runs):
        end = Underway(loop, combination.start(question), draws, run_generator(seed, run), max_pulls)(max_pulls + 1)
        if end.status != verdicts.UNDECIDED:
            is_right = instance.is_right(end.status, end.arm)
            wrong, right = wrong + (not is_right), right + is_right
    return Count(wrong, right, runs - wrong - right)
