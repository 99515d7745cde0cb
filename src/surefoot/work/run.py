"""Real work: a problem file, whose arms say how they are measured, becomes a study that is kept and decided."""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from textwrap import shorten

from filelock import FileLock, Timeout

from surefoot.errors import LONGEST, Conflict, NoSuchStudy, StorageFailed, number
from surefoot.problem import Problem
from surefoot.storage import Storage, connect
from surefoot.study import Pull, Study
from surefoot.work.measures import Measures
from surefoot.work.runner import WORKER
from surefoot.work.shell import shell_command
from surefoot.work.stored_program import stored_program

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
        self.problem = Problem.load(file, folder=".")  # the same study from wherever it is run
        self.file, self.name, self.policy, self.bounds = file, name or file.stem, policy, bounds
        self.db = db or str(file.with_suffix(".db"))
        self.seed = seed
        self.storage: Storage = connect(self.db)
        self.kept = not self.db.startswith("memory://")
        self.keep_lock: Callable[[], None] = lambda: None  # to be called now and then while it is open
        self.on_server = "://" in self.db and self.kept and not self.db.startswith("sqlite://")

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
        from surefoot.storage.sqlite import SQLite  # SQLAlchemy takes a while to import

        self.check()
        if not isinstance(self.storage, SQLite):
            yield self.study(LEASE if self.on_server else None), []
            return
        with RunLock(self.storage.path, self.name) as lock:
            self.keep_lock = lock.keep
            study = self.study(None)
            yield study, [pull for pull in study.pending if study.worker_of(pull) == WORKER]

    def check(self) -> None:
        """Refuse what cannot be a study before anything is written, the lock included."""
        try:
            self.storage.journal(self.name)
        except NoSuchStudy:
            Study.open("memory://", self.name, self.problem, seed=self.seed, policy=self.policy, bounds=self.bounds)

    @property
    def forgetting(self) -> str:
        """The command that deletes the study."""
        return shell_command("delete", [self.name], {"--db": self.db})

    @property
    def other_name(self) -> str:
        """For a study beside this one: a name that none has."""
        for count in itertools.count(1):
            name = f"{self.name[: LONGEST - 20]}-mended{f'-{count}' if count > 1 else ''}"
            try:
                self.storage.journal(name)
            except NoSuchStudy:
                break
        return name

    def study(self, lease: float | None) -> Study:
        names = stored_program(self.storage, self.name, self.policy, self.bounds)
        try:
            return Study.open(
                self.storage,
                self.name,
                self.problem,
                seed=self.seed,
                lease=lease,
                policy=names["policy"],
                bounds=names["bounds"],
            )
        except Conflict as error:
            raise Conflict(
                f"{self.file} is not the problem that the study in {self.db} was begun with: {shorten(str(error), 300)}. "
                f"Begin another study with --name, or delete this one: {self.forgetting}"
            ) from error


class RunLock:
    """To be the only run of a study in a file; the lock goes with the process, however it ends.

    It lies beside the file itself, so that it is the same by whatever path one comes; and it stays there, because two
    could hold a lock whose file is deleted. If somebody deletes it while it is held, `keep` notices.
    """

    def __init__(self, db: Path, name: str) -> None:
        self.db, self.name, self.file = db, name, Path(os.path.realpath(db))
        self.path = Path(f"{self.file}.{blake2b(name.encode(), digest_size=6).hexdigest()}.lock")

    def __enter__(self) -> "RunLock":
        if not self.file.parent.is_dir():  # which the lock would create
            raise StorageFailed(f"a study must be kept in a folder that exists, got {self.db}")
        try:
            mode = 0o600 | (self.file.stat().st_mode & 0o777 if self.file.exists() else 0)
            self.lock = FileLock(self.path, mode=mode)
            self.lock.acquire(timeout=0)
            self.held = identity(self.path)
        except Timeout as error:
            raise Conflict(
                f"another surefoot run is working on the study {self.name!r} in {self.db}: "
                "wait until it ends, or stop it and give --workers to make several pulls at the same time"
            ) from error
        except (OSError, NotImplementedError) as error:
            why = getattr(error, "strerror", None) or error
            cure = (
                "; if no run is working on the study, the owner of this file can delete it"
                if isinstance(error, PermissionError)
                else ""
            )
            raise StorageFailed(
                f"the lock of the study {self.name!r} cannot be opened: {self.path}: {why}{cure}"
            ) from error
        return self

    def __exit__(self, *error: object) -> None:
        self.lock.release()

    def keep(self) -> None:
        """Lock the file anew if it is not the one that was locked; refused where another run was quicker."""
        if identity(self.path) != self.held:
            self.lock.release()
            self.__enter__()


def identity(path: Path) -> tuple[int, int] | None:
    """Which file is at a path, None if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
