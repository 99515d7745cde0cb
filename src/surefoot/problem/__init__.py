"""What is asked: the arms, the goal, the limits on risk and how sure to be. Validated, frozen, plain data."""

from surefoot.problem.problem import GOALS, Arm, Problem, arm_name

__all__ = ["GOALS", "Arm", "Problem", "arm_name"]
