"""What a gate says: a sentence, its reasons, a JSON object, a summary in Markdown."""

import math
from typing import Any

from surefoot.study.views.numbers import show
from surefoot.study.views.phrases import counted
from surefoot.work.gate.comparison import FAILS_MORE
from surefoot.work.gate.gate import FAIL, PASS, Question, Report, Side
from surefoot.work.gate.rounds import SECONDS

VERDICTS = {"feasible": "kept", "infeasible": "broken", "open": "not known yet"}


def amount(value: float, part: bool, sign: bool = False) -> str:
    """A margin or a difference: a percentage, or in the metric's own unit.

    >>> amount(0.02, part=True), amount(-0.5, part=False, sign=True)
    ('2 %', '-0.5')
    """
    text = f"{100.0 * value:.3g} %" if part else show(value)
    return f"+{text}" if sign and value > 0.0 else text


def percent(share: float) -> str:
    """A confidence, to two digits of what it lacks.

    >>> percent(0.95), percent(0.99996)
    ('95 %', '99.996 %')
    """
    digits = max(1 - math.floor(math.log10(100.0 * (1.0 - share))), 0)
    return f"{100.0 * share:.{digits}f}".rstrip("0").rstrip(".") + " %"


def relation(question: Question, *, kept: bool) -> str:
    """How the candidate is to the baseline, if it is within the margin and the slack, or beyond the margin."""
    margin, metric = question.margin, question.metric
    far = margin.value + margin.slack if kept else margin.value
    distance = f"{'at most' if kept else 'more than'} {amount(far, margin.part)}" if far else "no" if kept else ""
    if metric == SECONDS and margin.direction == "min":
        subject = "the candidate takes, on average," if question.means else "the candidate takes"
        words = [subject, distance, "longer than the baseline"]
    else:
        of = f"the mean of {metric}" if question.means else f"the {metric}"
        near = {"min": "higher than", "max": "lower than"} if not far else {"min": "above", "max": "below"}
        words = [f"{of} of the candidate is", distance, f"{near[margin.direction]} that of the baseline"]
    return " ".join(filter(None, words))


def claim(question: Question, *, kept: bool) -> str:
    """What is known of a candidate that passes, or of one that fails."""
    found = relation(question, kept=kept)
    return found if question.means else f"in more than half of the rounds {found}"


def sentence(report: Report) -> str:
    question = report.question
    rounds = f"{report.rounds:,} round{'' if report.rounds == 1 else 's'}, {counted(report.pulls)}"
    if report.verdict == PASS:
        limits = " and keeps every further limit" if question.limits else ""
        said = f"Pass: {claim(question, kept=True)}{limits}"
    elif report.verdict == FAIL:
        main, *others = failings(report)
        said = "Fail: " + " and ".join([main, *others])
    else:
        to_pass, to_fail = (round(100.0 * share) for share in report.shares)
        return (
            f"Undecided after {rounds}: it is not known whether {claim(question, kept=True)}"
            f"{', and whether it keeps every further limit' if question.limits else ''}. "
            f"The rounds are {to_pass} % of the way to a pass and {to_fail} % of the way to a fail. {difference(report)}"
        )
    assert report.confidence is not None
    return f"{said} (confidence {percent(report.confidence)}; {rounds}). {difference(report)}"


def failings(report: Report) -> list[str]:
    """What the candidate was shown to break."""
    limits = [str(limit) for limit in report.question.limits]
    said = {FAILS_MORE: f"the candidate {FAILS_MORE}"} | {limit: f"the candidate breaks {limit}" for limit in limits}
    return [said.get(name, claim(report.question, kept=False)) for name in report.broken]


def difference(report: Report) -> str:
    """The difference and between what it lies, in a sentence."""
    question, found = report.question, report.difference
    if math.isnan(found.value):
        return "There is no difference to show yet."
    if math.isinf(found.value):
        return "There is no median difference, because pulls failed in at least half of the rounds."
    part = question.margin.part and not question.means
    lower, upper = (amount(end, part, sign=True) for end in (found.lower, found.upper))
    ends = {
        (True, True): f"between {lower} and {upper}",
        (True, False): f"at least {lower}",
        (False, True): f"at most {upper}",
        (False, False): "of which no end is known yet",
    }[math.isfinite(found.lower), math.isfinite(found.upper)]
    which = "difference of the means" if question.means else "median difference"
    return f"The {which} is {amount(found.value, part, sign=True)}, {ends}."


def reasons(report: Report) -> list[str]:
    question, said = report.question, []
    if not question.means:
        said.append(f"In {report.within:,} of {report.rounds:,} rounds {relation(question, kept=True)}.")
    average = "mean" if question.means else "median"
    if report.baseline.value is not None and report.candidate.value is not None:
        said.append(
            f"The {average} of {question.metric} was {show(report.baseline.value)} for the baseline and "
            f"{show(report.candidate.value)} for the candidate."
        )
    for row in report.limits:
        said.append(f"{row['limit']}: {VERDICTS.get(row['verdict'], row['verdict'])}.")
    said += [
        f"The {name} failed in {side.failures:,} of {counted(report.rounds)}: {side.why}. "
        + (
            "A failed pull counts as the worst value."
            if question.means
            else "A failed pull counts as worse than any other."
        )
        for name, side in (("baseline", report.baseline), ("candidate", report.candidate))
        if side.failures
    ]
    return said


def as_object(report: Report) -> dict[str, Any]:
    question, margin = report.question, report.question.margin
    return {
        "verdict": report.verdict,
        "difference": {name: finite(value) for name, value in report.difference._asdict().items()}
        | {"relative": margin.part and not question.means},
        "pulls": report.pulls,
        "confidence": report.confidence,
        "reasons": reasons(report),
        "sentence": sentence(report),
        "rounds": report.rounds,
        "within": report.within,
        "metric": question.metric,
        "goal": margin.direction,
        "compared": "means" if question.means else "signs",
        "margin": margin.value,
        "slack": margin.slack,
        "relative": margin.part,
        "delta": question.delta,
        "baseline": side_object(report.baseline),
        "candidate": side_object(report.candidate),
        "limits": [*report.limits],
    }


def side_object(side: Side) -> dict[str, Any]:
    return {"value": side.value, "failures": side.failures}


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def markdown(report: Report, names: tuple[str, str]) -> str:
    """The summary that a CI system shows. `names`: the commands, arms or columns."""
    average = "mean" if report.question.means else "median"
    sides = report.baseline, report.candidate
    values = ["" if side.value is None else show(side.value) for side in sides]
    cells = [
        ("", "baseline", "candidate"),
        ("---", "---", "---"),
        ("what", *(code(name) for name in names)),
        (f"{average} of {report.question.metric}", *values),
        ("failed pulls", *(f"{side.failures:,}" for side in sides)),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    listed = "\n".join(f"- {one}" for one in map(escaped, reasons(report)))
    return f"### Gate: {report.verdict}\n\n{escaped(sentence(report))}\n\n{table}\n\n{listed}\n\n"


def code(text: str) -> str:
    """Text that stays as it is in a cell of a table."""
    return "`` " + " ".join(text.replace("|", "\\|").split()) + " ``"


def escaped(text: str) -> str:
    """Text in which what somebody's command printed is no markup."""
    return "".join(f"\\{letter}" if letter in "\\`*_<>[]|#" else letter for letter in text)
