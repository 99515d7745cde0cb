"""Names in URLs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.errors import InvalidValue
from surefoot.study.url_id import identity, name_of


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_there_and_back(name):
    assert name_of(identity(name)) == name
    assert re.fullmatch(r"[A-Za-z0-9_~-]+", identity(name))


@pytest.mark.parametrize("bad", ["", "a b", "a/b", "..", "~", "~4", "~zz", "~ff", "é", "~2F"])
def test_what_is_no_id_is_refused(bad):
    with pytest.raises(InvalidValue, match="a study's id must be letters, digits"):
        name_of(bad)
