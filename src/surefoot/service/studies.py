"""The studies that are open: each is folded once and shared by all requests."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from math import isfinite
from typing import Any, TypeVar

from surefoot.errors import InvalidValue, NoSuchStudy, SurefootError
from surefoot.rewards.models import SubGaussian
from surefoot.service.models import Creation
from surefoot.storage import Entry, Storage
from surefoot.study import Study
from surefoot.study.address import identity, name_of
from surefoot.study.events import parameters
from surefoot.study.standing import limit

T = TypeVar("T")

MOST_OPEN = 1_000
MOST_LISTED = 200


class Studies:
    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.lock = threading.Lock()
        self.open: OrderedDict[str, Study] = OrderedDict()  # the one used last at the end

    def __call__(self, identity: str, call: Callable[[Study], T]) -> T:
        """Make a call of a study. If it was deleted and there is another one of its name, that is the one meant."""
        name = name_of(identity)
        try:
            return call(self.get(name))
        except NoSuchStudy:
            self.forget(name)
            return call(self.get(name))

    def get(self, name: str) -> Study:
        with self.lock:
            if study := self.open.get(name):
                self.open.move_to_end(name)
                return study
        with located(name):
            study = Study.open(self.storage, name)
        with self.lock:
            while len(self.open) >= MOST_OPEN:
                self.open.popitem(last=False)
            return self.open.setdefault(name, study)

    def forget(self, name: str) -> None:
        with self.lock:
            self.open.pop(name, None)

    def create(self, creation: Creation) -> tuple[str, bool]:
        """Have a study like this; its id, and whether it is new."""
        fields = creation.model_dump(exclude={"name", "subgaussian"})
        if creation.subgaussian is not None:
            if "rewards" in creation.model_fields_set:
                raise InvalidValue("a problem must give rewards or subgaussian, got both")
            fields["rewards"] = SubGaussian(creation.subgaussian)
        before = any(entry.name == creation.name for entry in self.storage.studies())
        study = Study.open(self.storage, creation.name, **fields)
        with self.lock:
            self.open.setdefault(creation.name, study)
        return identity(creation.name), not before

    def delete(self, identity: str) -> None:
        name = name_of(identity)
        with located(name):
            self.storage.delete(name)
        self.forget(name)

    def listed(self) -> dict[str, Any]:
        """The newest studies, and how each of them stands."""
        found = self.storage.studies()
        return {"studies": [self.entry(entry) for entry in found[: -MOST_LISTED - 1 : -1]], "total": len(found)}

    def entry(self, entry: Entry) -> dict[str, Any]:
        row = {"id": identity(entry.name), **entry._asdict(), "arm": None, "pulls": 0, "arms": 0, "risk": ""}
        if row.pop("fault"):
            return row | {"status": "broken"}
        try:
            study = self.get(entry.name)
            study.refresh()
            decision = study.decision
        except SurefootError:
            return row | {"status": "broken"}
        row |= {"arm": decision.arm, "pulls": decision.pulls, "status": decision.status if study.decided else "running"}
        return row | {"arms": len(study.problem.arms), "risk": str(study.problem.risk)}

    def standing(self, identity: str, arms: int) -> dict[str, Any]:
        """How a study stands, as plain data."""
        problem, standing = self(identity, lambda study: (study.problem, study.standing(arms)))
        fields = parameters(standing.created)
        line = limit(problem)
        return {
            "id": identity,
            "name": name_of(identity),
            "created": standing.created["time"],
            "problem": {name: value for name, value in fields.items() if name != "arms"},
            "limit": line and line._asdict(),
            "decided": standing.decided,
            "decision": asdict(standing.decision),
            "pulls": standing.pulls,
            "pending": standing.pending,
            "pulls_left": standing.left,
            "arms": [{name: finite(value) for name, value in asdict(row).items()} for row in standing.table],
            "arms_total": len(problem.arms),
            "arms_in_play": standing.in_play,
            "recent": [result._asdict() for result in standing.recent],
            "position": standing.position,
        }


@contextmanager
def located(name: str) -> Iterator[None]:
    """Where the storage is, a client need not know."""
    try:
        yield
    except NoSuchStudy as error:
        raise NoSuchStudy(f"there is no study {name!r}") from error


def finite(value: Any) -> Any:
    """JSON has no infinity."""
    return None if isinstance(value, float) and not isfinite(value) else value
