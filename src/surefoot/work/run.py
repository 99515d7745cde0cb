"""Real work: a problem file, whose arms say how they are measured, becomes a study that is kept and decided."""

import fcntl
import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from textwrap import shorten

from surefoot.errors import Conflict, number
from surefoot.problem import Problem
from surefoot.storage import Storage, connect
from surefoot.study import Pull, Study
from surefoot.work.measures import Measures
from surefoot.work.names import kept_names
from surefoot.work.pulls import WORKER

LEASE = 300.0  # seconds, on a server: machines die unseen


class Work:
    """The study of a problem file. Nothing is written before `open`."""

    def __init__(
        self,
        file: Path,
        db: str | None = None,
        name: str | None = None,
        seed: int = 0,
        policy: str | None = None,
        bounds: str | None = None,
    ) -> None:
        self.file, self.name, self.policy, self.bounds = file, name or file.stem, policy, bounds
        self.db = db or str(file.with_suffix(".db"))
        self.seed = seed
        self.problem = Problem.load(file, folder=".")  # the same study from wherever it is run
        self.storage: Storage = connect(self.db)
        self.on_server = "://" in self.db and not self.db.startswith(("sqlite", "memory"))

    def measures(self, timeout: float | None = None) -> Measures:
        """How to make pulls, which may take so many seconds each."""
        if timeout is not None:
            number("timeout", timeout, above=0)
        return Measures(self.problem, self.file.parent.absolute(), self.seed, timeout)

    @contextmanager
    def open(self) -> Iterator[tuple[Study, list[Pull]]]:
        """The study, and the pulls that a run before this one did not come to finish.

        In a file, one run at a time works on a study, so that what is left over is nobody else's. On a server, many
        machines do, and pulls of one that died are handed out anew when their lease runs out.
        """
        if self.on_server:
            yield self.study(LEASE), []
            return
        with alone(self.db.removeprefix("sqlite:///"), self.name):
            study = self.study(None)
            yield study, [pull for pull in study.pending if study.worker_of(pull) == WORKER]

    @property
    def forgetting(self) -> str:
        """The command that deletes the study."""
        return shlex.join(["surefoot", "delete", self.name, "--db", self.db])

    def study(self, lease: float | None) -> Study:
        names = kept_names(self.storage, self.name, self.policy, self.bounds)
        try:
            return Study.open(self.storage, self.name, self.problem, seed=self.seed, lease=lease, **names)
        except Conflict as error:
            raise Conflict(
                f"{self.file} is not what the study in {self.db} was begun with: {shorten(str(error), 300)}. "
                f"Begin another one with --name, or forget this one: {self.forgetting}"
            ) from error


@contextmanager
def alone(db: str, name: str) -> Iterator[None]:
    """Be the only run of this machine on a study; the lock goes with the process, however it ends."""
    which = blake2b(f"{os.path.abspath(db)}\n{name}".encode(), digest_size=12).hexdigest()
    path = Path(tempfile.gettempdir()) / f"surefoot-{which}.lock"
    with open(path, "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Conflict(
                f"another surefoot run is at work on the study {name!r} in {db}: --workers makes more pulls at once"
            ) from error
        yield
