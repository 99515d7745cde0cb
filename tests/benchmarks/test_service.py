"""The load on the service: what is counted was answered, and each version is measured by its own sources."""

import os

import pytest

from benchmarks import service
from surefoot import Study


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(service, "SECONDS", 0.3)
    monkeypatch.setattr(service, "ROUNDS", 1)
    monkeypatch.setattr(service, "CLIENTS", 2)


@pytest.fixture
def serving(tmp_path):
    found = service.Service(str(tmp_path / "studies.db"), str(tmp_path / "log"), token=True)
    yield service.begun(found)
    assert found.end() == 0


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("way", [service.asking_and_telling, service.exchanging])
def test_calls_that_are_counted_are_in_the_journal(short, serving, tmp_path, way, batch):
    turn = service.take_turn(serving, way(batch))
    assert len(turn.seconds) > 0
    assert turn.processor >= 0.0
    assert Study.open(tmp_path / "studies.db", "study").pulls == len(service.ARMS) + batch * len(turn.seconds)


def test_a_request_that_does_nothing_has_its_token_checked(serving):
    client = service.Client(serving.port, serving.token)
    assert "/api/nothing" in client.post("/api/nothing", {})["detail"]
    stranger = service.Client(serving.port, "surefoot_wrong")
    assert "token" in stranger.post("/api/nothing", {})["detail"]


def test_every_ratio_is_of_turns_in_the_same_run(short, serving, monkeypatch):
    rates = {"nothing": 100.0, "1 pull a call": 30.0, "100 pulls a call": 6.0}
    exchanges = {"1 pull an exchange": 60.0, "100 pulls an exchange": 9.0}
    monkeypatch.setattr(service, "CALLS", dict(zip(rates, rates, strict=True)))
    monkeypatch.setattr(service, "EXCHANGES", dict(zip(exchanges, exchanges, strict=True)))
    rates |= exchanges
    slower = object()
    monkeypatch.setattr(
        service,
        "take_turn",
        lambda of, call: service.Turn(
            rates[call] / (2.0 if of is slower else 1.0), [[0.001, 0.002]] * 9, 1 / rates[call]
        ),
    )
    rows = service.against("SQLite", {"this version": serving, "other": slower}, lambda: [0.1] * 5)
    values = {row["what"]: (pytest.approx(row["value"]), row.get("aim")) for row in rows}
    name = "SQLite, 8 clients".replace("8", "2")
    assert values[f"{name}: ask+tell over half the requests that do nothing"] == (0.6, ">= 0.35")
    assert values[f"{name}: 1 pull a call over 1 pull a call of other"] == (2.0, None)
    assert values[f"{name}: 1 pull an exchange over 1 pull a call of other"] == (4.0, ">= 4")
    assert values[f"{name}: 100 pulls an exchange over 100 pulls a call of other"] == (3.0, ">= 3")
    assert values[f"{name}: pulls per second, 100 pulls an exchange"] == (900.0, None)
    assert values[f"{name}: 100 pulls an exchange over 100 pulls a call of other, by processor time"] == (1.5, ">= 3")
    assert values[f"{name}: ask+tell per second, 100 pulls a call"] == (600.0, None)
    assert values[f"{name}: asks and tells over raw commits"] == (6.0, None)


def test_each_version_is_served_from_its_own_sources(tmp_path):
    (package := tmp_path / "src" / "surefoot").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text("print('Surefoot is at http://127.0.0.1:1', flush=True)\n")
    other = service.Service(str(tmp_path / "studies.db"), str(tmp_path / "log"), tmp_path / "src")
    assert (other.url, other.process.wait()) == ("http://127.0.0.1:1", 0)
    other.process.stdout.close()
    assert os.path.getsize(tmp_path / "log") == 0
