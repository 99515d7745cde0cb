"""What a service says of a study, as the records that a study here gives. Fields that are not known are left out."""

import dataclasses
import math
from typing import Any

from surefoot.errors import Unsupported
from surefoot.problem import Problem
from surefoot.problem.fields import Fields
from surefoot.problem.reward_models import SubGaussian
from surefoot.storage import Event
from surefoot.study import Pull
from surefoot.study.views.arm_report import ArmReport, GoalReport, LimitReport
from surefoot.study.views.decision import Decision
from surefoot.study.views.notices import Notice
from surefoot.study.views.recommendation import Recommendation
from surefoot.study.views.study_view import Result, StudyView
from surefoot.study.views.table import Table

Answer = dict[str, Any]


def problem_in(answer: Answer) -> Problem:
    """The problem of a study that is shown with all its arms."""
    fields = dict(answer["problem"])
    if "subgaussian" in fields:
        fields["rewards"] = SubGaussian(fields["subgaussian"])
    known: Any = {name: value for name, value in fields.items() if name in Fields.__annotations__}
    return Problem.of([row["name"] for row in answer["arms"]], **known)


def decision_in(answer: Answer) -> Decision:
    fields = known_fields(Decision, answer["decision"])
    for names in ("recommended", "candidates"):
        if fields.get(names) is not None:
            fields[names] = tuple(fields[names])
    return Decision(**fields)


def recommendation_in(answer: Answer) -> Recommendation:
    sentence, decision = said(answer, "recommendation"), decision_in(answer)
    confidence, gap = decision.recommended_confidence, decision.recommended_gap
    return Recommendation(decision.recommended, confidence, gap, decision.candidates, sentence)


def warnings_in(answer: Answer) -> list[Notice]:
    warnings = answer.get("warnings", [])  # a service may be older
    return [Notice(warning["kind"], warning["arm"], warning["sentence"]) for warning in warnings]


def table_in(answer: Answer, problem: Problem) -> Table:
    return Table(problem, [row_in(row, problem) for row in answer["arms"]])


def row_in(row: Answer, problem: Problem) -> ArmReport:
    numbers = {"goal": goal_in(row), "limits": limits_in(row, problem)}
    return ArmReport(**known_fields(ArmReport, row) | numbers)


def goal_in(row: Answer) -> GoalReport:
    goal = row.get("goal") or {  # a service may be older
        "quantity": "mean",
        "value": row["mean"],
        "lower": row["mean_lower"],
        "upper": row["mean_upper"],
    }
    lower, upper = goal["lower"], goal["upper"]  # JSON has no infinity
    ends = {"lower": -math.inf if lower is None else lower, "upper": math.inf if upper is None else upper}
    return GoalReport(**known_fields(GoalReport, goal) | ends)


def limits_in(row: Answer, problem: Problem) -> tuple[LimitReport, ...]:
    if "limits" in row:
        return tuple(LimitReport(**known_fields(LimitReport, report)) for report in row["limits"])
    ends = row["risk"], row["risk_lower"], row["risk_upper"]  # a service may be older
    verdict = "open" if row["verdict"] == "excluded" else row["verdict"]
    return tuple(LimitReport(str(limit), *ends, verdict, row["evidence"]) for limit in problem.limits)


def contest_in(answer: Answer) -> tuple[str | None, str | None]:
    return said(answer, "leader"), said(answer, "challenger")


def pulls_in(answer: Answer) -> list[Pull]:
    return [Pull(pull["id"], pull["arm"], pull.get("item")) for pull in answer["pulls"]]


def view_in(answer: Answer, problem: Problem, created: Event) -> StudyView:
    return StudyView(
        created=created,
        position=answer["position"],
        decided=answer["decided"],
        decision=decision_in(answer),
        recommendation=recommendation_in(answer),
        warnings=warnings_in(answer),
        table=table_in(answer, problem),
        in_play=answer["arms_in_play"],
        contest=contest_in(answer),
        pulls=answer["pulls"],
        spent=said(answer, "spent"),
        pending=answer["pending"],
        left=answer["pulls_left"],
        recent=[Result(**{name: row[name] for name in Result._fields if name in row}) for row in answer["recent"]],
    )


def said(answer: Answer, field: str) -> Any:
    """A field that services have not always had."""
    if field not in answer:
        raise Unsupported(f"the service is older than this client, and does not say {field}: update the service")
    return answer[field]


def known_fields(kind: type[Any], answer: Answer) -> Answer:
    """Of an answer, what a record has room for: a newer service may say more."""
    return {field.name: answer[field.name] for field in dataclasses.fields(kind) if field.name in answer}
