"""Live problems: ask for pulls, tell their rewards, read the decision."""

from surefoot.study.any_study import AnyStudy
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull
from surefoot.study.results import PullResult, Results
from surefoot.study.study import Study
from surefoot.study.views.arm_report import ArmReport
from surefoot.study.views.decision import Decision
from surefoot.study.views.recommendation import Recommendation

__all__ = ["AnyStudy", "ArmReport", "Decision", "Failed", "Pull", "PullResult", "Recommendation", "Results", "Study"]
