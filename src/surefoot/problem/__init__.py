"""What is asked: the arms, the goal, the limits on risk and how sure to be. Validated, frozen, plain data.

`problem` has the data, made of `arms`, `metrics`, `goals` and `limits`. `toml` reads and writes it, `question` puts it into
the kernels' numbers, `choice` finds the policy and the bounds that decide it.
"""

from surefoot.problem.arms import Arm, arm_name
from surefoot.problem.problem import Problem

__all__ = ["Arm", "Problem", "arm_name"]
