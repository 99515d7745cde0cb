"""Studies stay in memory as far as a budget of bytes holds them; those in use stay anyway."""

import threading

import httpx
import pytest

from surefoot import Study
from surefoot.cli.main import main
from surefoot.errors import NoSuchStudy
from surefoot.service.open_studies import OpenStudies
from surefoot.storage import connect
from surefoot.study.footprint import footprint
from tests.service.serving import served

NAMES = [f"study {index}" for index in range(8)]


@pytest.fixture
def storage(tmp_path):
    storage = connect(tmp_path / "studies.db")
    for name in NAMES:
        Study.open(storage, name, ["a", "b", "c"])
    return storage


@pytest.fixture
def size(storage):
    return footprint(Study.open(storage, NAMES[0]))


def use(studies, *names):
    for name in names:
        with studies.using(name) as study:
            study.refresh()


def test_those_used_last_stay(storage, size):
    studies = OpenStudies(storage, 3.5 * size)
    use(studies, *NAMES[:4])
    assert [*studies.held] == NAMES[1:4]
    use(studies, NAMES[1], NAMES[5])
    assert [*studies.held] == [NAMES[3], NAMES[1], NAMES[5]]
    assert studies.size == 3 * size


def test_a_study_is_read_once_as_long_as_it_stays(storage, size, monkeypatch):
    opened, study_open = [], Study.open
    monkeypatch.setattr(Study, "open", lambda storage, name: opened.append(name) or study_open(storage, name))
    studies = OpenStudies(storage, 2.5 * size)
    use(studies, *NAMES[:2], *NAMES[:2], NAMES[2], NAMES[0])
    assert opened == [NAMES[0], NAMES[1], NAMES[2], NAMES[0]]


def test_those_in_use_stay_whatever_they_take(storage, size):
    studies = OpenStudies(storage, 1.5 * size)
    with studies.using(NAMES[0]) as first, studies.using(NAMES[1]), studies.using(NAMES[2]):
        use(studies, NAMES[3])
        with studies.using(NAMES[0]) as same:
            assert same is first
        assert [*studies.held] == [NAMES[1], NAMES[2], NAMES[0]]
    assert len(studies.held) == 1
    assert studies.size == size


def test_the_one_used_last_stays_even_if_it_is_too_large(storage):
    studies = OpenStudies(storage, 1)
    use(studies, *NAMES[:3])
    assert [*studies.held] == [NAMES[2]]


def test_a_study_that_grows_makes_others_go(storage, size):
    studies = OpenStudies(storage, 3.5 * size)
    use(studies, *NAMES[:3])
    with studies.using(NAMES[2]) as study:
        study.ask(1_000)
    assert studies.held.keys() == {NAMES[2]}
    assert studies.size == footprint(study) > 3.5 * size


def test_what_is_not_there_takes_no_place(storage, size):
    studies = OpenStudies(storage, 9 * size)
    with pytest.raises(NoSuchStudy):
        use(studies, "nothing")
    use(studies, NAMES[0])
    storage.delete(NAMES[0])
    with pytest.raises(NoSuchStudy):
        use(studies, NAMES[0])
    assert (len(studies.held), studies.size) == (0, 0)


def test_many_who_want_the_same_study_read_it_once(storage, size, monkeypatch):
    opened, study_open = [], Study.open
    monkeypatch.setattr(Study, "open", lambda storage, name: opened.append(name) or study_open(storage, name))
    studies, begun = OpenStudies(storage, 9 * size), threading.Barrier(8)

    def work():
        begun.wait()
        use(studies, NAMES[0])

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert opened == [NAMES[0]]
    assert studies.held[NAMES[0]].users == 0


def test_a_service_with_little_memory_answers_all_the_same(storage, size):
    with served(storage, memory=2.5 * size) as url, httpx.Client(base_url=url, timeout=30) as http:
        for _ in range(2):
            listed = http.get("/api/studies").json()["studies"]
            assert [entry["status"] for entry in listed] == ["running"] * len(NAMES)
        for entry in listed:
            path = f"/api/studies/{entry['id']}"
            pulls = http.post(f"{path}/ask", json={"count": 2}).json()["pulls"]
            results = [{"pull": pull["id"], "reward": 0.5} for pull in pulls]
            assert http.post(f"{path}/tell", json={"results": results}).json()["pulls"] == 2
        assert {entry["pulls"] for entry in http.get("/api/studies").json()["studies"]} == {2}


def test_a_list_reads_only_what_has_changed(storage, monkeypatch):
    opened, study_open = [], Study.open
    monkeypatch.setattr(Study, "open", lambda storage, name: opened.append(name) or study_open(storage, name))
    with served(storage, memory=1) as url:
        first = httpx.get(f"{url}/api/studies").json()
        assert len(opened) == len(NAMES)
        assert httpx.get(f"{url}/api/studies").json() == first
        assert len(opened) == len(NAMES)
        study_open(storage, NAMES[3]).record("a", 0.5)
        assert httpx.get(f"{url}/api/studies").json() != first
        assert opened[len(NAMES) :] == [NAMES[3]]


@pytest.mark.parametrize("memory", ["0", "-1", "nan", "1e9"])
def test_memory_must_be_some_gigabytes(memory, capsys):
    assert main(["serve", "--db", "memory://", "--memory", memory]) == 2
    assert "--memory must be in (0, 1e+06], got" in capsys.readouterr().err
