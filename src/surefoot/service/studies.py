"""The studies of a storage, for requests: what they are called, created, deleted, listed and shown."""

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from surefoot.errors import BadJournal, Conflict, InvalidValue, NoSuchStudy, StorageFailed, SurefootError, label
from surefoot.problem import Problem
from surefoot.problem.items import CLAIMS
from surefoot.problem.reward_models import SubGaussian
from surefoot.service.busy_studies import BusyStudies
from surefoot.service.models import Creation
from surefoot.service.open_studies import OpenStudies
from surefoot.service.refusals import SENT
from surefoot.storage import Entry, Journal, Storage
from surefoot.study import Study
from surefoot.study.creation import created, parameters
from surefoot.study.url_id import identity, name_of
from surefoot.study.views.axes import nearest_limit
from surefoot.study.views.decision import leading
from surefoot.study.views.study_view import limit_lines

T = TypeVar("T")

MEMORY = 10**9  # bytes, for the studies that are open
MOST_LISTED = 200
BROKEN = "broken"
TRIES = 10  # to create a study that others delete meanwhile


class Studies:
    def __init__(self, storage: Storage, memory: float = MEMORY) -> None:
        self.storage = storage
        self.open = OpenStudies(storage, memory)
        self.busy = BusyStudies()
        self.rows: dict[Entry, dict[str, Any]] = {}  # of the last list: what has not changed since is not read again

    def with_study(self, identity: str, call: Callable[[Study], T]) -> T:
        """Make a call of a study. If it was deleted and there is another one of its name, that is the one meant."""
        name = name_of(identity)
        try:
            return self.once(name, call)
        except (NoSuchStudy, BadJournal):  # of the study that was in memory: the storage may have another by now
            return self.once(name, call)

    def once(self, name: str, call: Callable[[Study], T]) -> T:
        with self.open.using(name) as study:
            answer = call(study)
            self.busy.note(study)
            return answer

    def make(self, identity: str, calls: Sequence[Callable[[Study], Any]]) -> list[Any]:
        """Make calls of a study, which are written by one commit; what each answers, or its error."""
        if len(calls) > 1:
            try:
                return self.with_study(identity, lambda study: together(study, calls))
            except (StorageFailed, NoSuchStudy) as error:
                return [error] * len(calls)
            except Exception:  # of one of them, which undid the others: alone, each has its own
                pass
        return [self.alone(identity, call) for call in calls]

    def alone(self, identity: str, call: Callable[[Study], Any]) -> Any:
        try:
            return self.with_study(identity, call)
        except Exception as error:
            return error

    def create(self, creation: Creation) -> tuple[dict[str, Any], bool]:
        """Have a study like this; how it stands, and whether it is new."""
        label("the name of a study", creation.name)
        problem, others = split(creation)
        for _ in range(TRIES):
            try:
                new = self.begin(creation.name, problem, others)
                study = Study.open(self.storage, creation.name, problem, **others)
                view = view_of(creation.name, study, len(problem.arms))
            except NoSuchStudy:  # somebody has deleted it again
                continue
            self.open.put(creation.name, study)
            return view, new
        raise Conflict(f"the study {creation.name!r} was deleted each time that it was created: create it again later")

    def begin(self, name: str, problem: Problem, others: dict[str, Any]) -> bool:
        """Begin its journal, unless there is one: checks that are new are for studies that are."""
        try:
            self.storage.journal(name)
        except NoSuchStudy:
            with suppress(Conflict):  # somebody has begun it meanwhile
                self.storage.create(name, created(self.storage, problem, **others))
                return True
        return False

    def delete(self, identity: str) -> None:
        self.storage.delete(name_of(identity))

    def journal(self, identity: str) -> Journal:
        return self.storage.journal(name_of(identity))

    def listed(self) -> dict[str, Any]:
        """The newest studies, and how each of them stands."""
        entries = self.storage.studies()
        rows = {entry: self.rows.get(entry) or self.row(entry) for entry in entries[: -MOST_LISTED - 1 : -1]}
        found = {entry: row for entry, row in rows.items() if row is not None}
        self.rows = {entry: row for entry, row in found.items() if row["status"] != BROKEN}
        return {"studies": [*found.values()], "total": len(entries) - len(rows) + len(found)}

    def row(self, entry: Entry) -> dict[str, Any] | None:
        """A line of the list; none if the study is not there any more."""
        row = {"id": identity(entry.name), **entry._asdict(), "arm": None, "pulls": 0, "arms": 0, "risk": ""}
        if row.pop("fault"):
            return row | {"status": BROKEN}
        try:
            return row | self.with_study(row["id"], summary)
        except NoSuchStudy:
            return None
        except StorageFailed:
            raise
        except SurefootError:
            return row | {"status": BROKEN}

    def gauges(self) -> dict[str, tuple[str, float]]:
        """How many studies there are, and what those in memory come to."""
        there = self.open.studies()
        return {
            "studies": ("Studies in the storage.", len(self.storage.studies())),
            "studies_in_memory": ("Studies that this process has in memory.", len(there)),
            "studies_compiled": (
                "Studies in memory whose kernels are compiled, because they are busy.",
                sum(one._replica.is_compiled for one in there),
            ),
            "pulls_in_flight": ("Pulls in flight, of the studies in memory.", sum(len(one.pending) for one in there)),
        }

    def view(self, identity: str, arms: int) -> dict[str, Any]:
        """Get the decision of a study, or how far it is, as plain data."""
        return self.with_study(identity, lambda study: view_of(name_of(identity), study, arms))

    def recommended(self, identity: str, key: Hashable) -> dict[str, Any] | None:
        """The recommendation of a study as plain data; None if its journal is not that of this key."""

        def found(study: Study) -> dict[str, Any] | None:
            study.refresh()
            if study._replica.journal.key != key:  # another one of its name, which was created since
                return None
            now = study.recommendation
            return {
                "recommended": now.answer,
                "recommended_confidence": now.confidence,
                "recommended_gap": now.gap,
                "candidates": now.candidates,
                "sentence": str(now),
                "position": study.position,
            }

        return self.with_study(identity, found)

    def progress(self, identity: str, call: Callable[[Study], None]) -> dict[str, Any]:
        """Make a call that may decide a study; how far it is then, as plain data."""

        def called(study: Study) -> dict[str, Any]:
            call(study)
            return {"decided": study.decided, "pulls": study.pulls}

        return self.with_study(identity, called)


def together(study: Study, calls: Sequence[Callable[[Study], Any]]) -> list[Any]:
    """What calls answer that share a commit. One that is refused changes nothing, and does not stop the others."""

    def attempt(call: Callable[[Study], Any]) -> Any:
        try:
            return call(study)
        except tuple(SENT) as error:
            return error

    with study.together():
        return [attempt(call) for call in calls]


def split(creation: Creation) -> tuple[Problem, dict[str, Any]]:
    """The problem, and the other fields of a study."""
    fields = creation.model_dump(exclude={"name", "subgaussian"})
    others = {name: fields.pop(name) for name in ("policy", "bounds", "seed", "lease")}
    if creation.subgaussian is not None:
        if "rewards" in creation.model_fields_set:
            raise InvalidValue("a problem must give rewards or subgaussian, got both")
        fields["rewards"] = SubGaussian(creation.subgaussian)
    return Problem.of(fields.pop("arms"), **fields), others


def summary(study: Study) -> dict[str, Any]:
    """What the list says of a study."""
    study.refresh()
    decision = study.decision
    return {
        "status": decision.status if study.decided else "running",
        "arm": decision.arm,
        "pulls": decision.pulls,
        "arms": len(study.problem.arms),
        "risk": " and ".join(map(str, study.problem.limits)) or "none",
    }


def brief_items(problem: Problem) -> dict[str, Any]:
    """The items without their names, which may be many."""
    if problem.items is None:
        return {}
    given = {name: getattr(problem.items, name) for name in ("count", "digest", *CLAIMS)}
    return {"items": {name: value for name, value in given.items() if value}}


def view_of(name: str, study: Study, arms: int) -> dict[str, Any]:
    """Get the decision of a study, or how far it is, as plain data, with rows for so many arms."""
    problem, view = study.problem, study.standing(arms)
    fields = parameters(view.created)
    lines, (leader, challenger) = [line._asdict() for line in limit_lines(problem)], view.contest
    return {
        "id": identity(name),
        "name": name,
        "created": view.created["time"],
        "problem": {field: value for field, value in fields.items() if field != "arms"} | brief_items(problem),
        "limit": {name: lines[0][name] for name in ("name", "value", "is_floor")} if len(lines) == 1 else None,
        "limits": lines,
        "nearest_limit": nearest_limit(problem, view.table, leading(view.decision)),
        "decided": view.decided,
        "decision": view.decision.as_object(),
        "recommendation": str(view.recommendation),
        "warnings": [notice._asdict() for notice in view.warnings],
        "leader": leader,
        "challenger": challenger,
        "pulls": view.pulls,
        "spent": view.spent,
        "pending": view.pending,
        "pulls_left": view.left,
        "arms": [row.as_object() for row in view.table],
        "arms_total": len(problem.arms),
        "arms_in_play": view.in_play,
        "recent": [result._asdict() for result in view.recent],
        "position": view.position,
    }
