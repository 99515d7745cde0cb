"""The studies in memory: each is read once and shared by all requests, as many as a budget of bytes holds."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from surefoot.errors import BadJournal, NoSuchStudy
from surefoot.storage import Storage
from surefoot.study import Study
from surefoot.study.footprint import footprint


class Held:
    """A place for a study, which whoever comes first fills."""

    def __init__(self, study: Study | None = None) -> None:
        self.study = study
        self.filling = threading.Lock()
        self.users = 0
        self.size = 0


class OpenStudies:
    """The studies used last, as far as they take `budget` bytes together. The one used last and those in use stay anyway."""

    def __init__(self, storage: Storage, budget: float) -> None:
        self.storage, self.budget = storage, budget
        self.lock = threading.Lock()
        self.held: OrderedDict[str, Held] = OrderedDict()  # the one used last at the end
        self.size = 0

    @contextmanager
    def using(self, name: str) -> Iterator[Study]:
        """A study, which stays in memory meanwhile. One that proves to be deleted or damaged is read anew by the next."""
        with self.lock:
            held = self.held.setdefault(name, Held())
            self.held.move_to_end(name)
            held.users += 1
        try:
            with held.filling:
                if held.study is None:
                    held.study = Study.open(self.storage, name)
            yield held.study
        except (NoSuchStudy, BadJournal):
            self.let_go(name, held)
            raise
        finally:
            self.release(name, held)

    def studies(self) -> list[Study]:
        """Those in memory now."""
        with self.lock:
            return [held.study for held in self.held.values() if held.study is not None]

    def put(self, name: str, study: Study) -> None:
        """Share a study that was just opened, in the place of any that had its name before."""
        held = Held(study)
        held.users += 1
        with self.lock:
            if before := self.held.pop(name, None):
                self.size -= before.size
            self.held[name] = held
        self.release(name, held)

    def let_go(self, name: str, held: Held) -> None:
        with self.lock:
            if self.held.get(name) is held:
                del self.held[name]
                self.size -= held.size

    def release(self, name: str, held: Held) -> None:
        """After its use: a place that nobody filled is given up, and others make room for a study that has grown."""
        size = footprint(held.study) if held.study is not None else 0
        with self.lock:
            held.users -= 1
            if self.held.get(name) is not held:
                return
            self.size += size - held.size
            held.size = size
            if held.study is None and not held.users:
                del self.held[name]
            self.make_room()

    def make_room(self) -> None:
        over, idle = self.size - self.budget, list[str]()
        for name, held in self.held.items():
            if over <= 0:
                break
            if not held.users and name != next(reversed(self.held)):
                idle.append(name)
                over -= held.size
        for name in idle:
            self.size -= self.held.pop(name).size
