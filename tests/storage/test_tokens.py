"""Tokens, in every storage that has them; and a database from before there were any."""

import pytest

from surefoot import Study
from surefoot.errors import Conflict, Unsupported
from surefoot.storage import Memory, connect, schema, tokens


def test_tokens_are_made_found_used_and_revoked(storage):
    if isinstance(storage, Memory):
        assert tokens.listed(storage) == []
        with pytest.raises(Unsupported, match="give a file or postgresql://…, not a storage in memory"):
            tokens.create(storage, "lab")
        return
    made = tokens.create(storage, "lab"), tokens.create(storage, "O'Brien <b>", "read")
    with pytest.raises(Conflict, match="there is a token 'lab' already"):
        tokens.create(storage, "lab")
    lab, other = tokens.listed(storage)
    assert (lab.name, lab.scope, other.name, other.scope) == ("lab", "write", "O'Brien <b>", "read")
    assert [lab.digest, other.digest] == [tokens.digest(token) for token in made]
    assert (lab.used, lab.revoked) == (None, None)
    tokens.note_use(storage, "lab", 12.5)
    tokens.revoke(storage, "O'Brien <b>")
    tokens.revoke(storage, "O'Brien <b>")
    lab, other = tokens.listed(storage)
    assert (lab.used, lab.revoked) == (12.5, None)
    assert other.revoked is not None


def test_a_database_without_tokens_comes_to_have_them(tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(schema, "STEPS", schema.STEPS[:1])
        old = connect(tmp_path / "studies.db")
        Study.open(old, "s", ["a", "b"]).ask()
        old.close()
    storage = connect(tmp_path / "studies.db")
    assert tokens.listed(storage) == []
    tokens.create(storage, "lab")
    assert len(Study.open(storage, "s").pending) == 1
