import httpx
import pytest

from surefoot.storage import connect
from tests.service.serving import Process, served


@pytest.fixture
def storage(tmp_path):
    return connect(tmp_path / "studies.db")


@pytest.fixture
def url(storage):
    with served(storage) as url:
        yield url


@pytest.fixture
def http(url):
    with httpx.Client(base_url=url, timeout=30) as client:
        yield client


@pytest.fixture
def process(tmp_path):
    """A service that can be killed and started again."""
    process = Process(tmp_path / "studies.db", tmp_path / "log")
    yield process
    if process.process.poll() is None:
        process.kill()
