"""Live problems: ask for pulls, tell their rewards, read the decision."""

from surefoot.study.drive import find_best
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull
from surefoot.study.report import ArmReport, Decision
from surefoot.study.study import Study

__all__ = ["ArmReport", "Decision", "Failed", "Pull", "Study", "find_best"]
