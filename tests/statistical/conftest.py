import pytest

from surefoot.core.policies import top_two
from surefoot.core.program import Program


@pytest.fixture
def pairs_weakened(monkeypatch):
    """The negative control: arms are told apart in pairs by too little evidence."""
    start = Program.start
    monkeypatch.setattr(
        Program, "start", lambda program, question, packed: top_two.weakened(start(program, question, packed))
    )
