import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path():
    """In memory where there is such a place: every reward waits for the disk."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield Path(name)
