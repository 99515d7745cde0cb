"""Live problems: ask for pulls, tell their rewards, read the decision."""

from surefoot.study.any_study import AnyStudy
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull
from surefoot.study.study import Study

__all__ = ["AnyStudy", "Failed", "Pull", "Study"]
