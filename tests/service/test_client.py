"""`surefoot.connect`: the same study, elsewhere."""

import inspect
import random
import re
import socket
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import surefoot
from surefoot import Failed, ServedStudy, Study, Variance, connect
from surefoot.client import answers
from surefoot.errors import Conflict, InvalidValue, NoSuchStudy, NotAllowed, StorageFailed, Unsupported
from surefoot.storage import tokens
from surefoot.study.views.arm_report import LimitReport
from tests.service.serving import served

FIELDS = {"risk": Variance(at_most=0.04), "rewards": (0, 1), "delta": 0.1}


def play(study, seed=0):
    generator, asked = random.Random(seed), []
    while not study.decided:
        for pull in study.ask(3):
            asked.append(pull)
            study.tell(pull, generator.betavariate(4, 4) * {"a": 0.6, "b": 1.0, "c": 0.5}[pull.arm])
    return asked


def test_the_same_pulls_and_the_same_decision_as_here(url):
    here = Study(["a", "b", "c"], **FIELDS)
    there = connect(url, name="s", arms=["a", "b", "c"], **FIELDS)
    assert play(here) == play(there)
    assert there.decision == here.decision
    assert there.table() == here.table()
    assert str(there.table()) == str(here.table())
    assert there.problem == here.problem
    assert (there.name, there.pulls, there.decided) == ("s", here.pulls, True)
    assert list(there) == []


def test_the_same_results_table_and_journal_as_here(url, storage):
    arms = ["=a", "b", "c"]
    there, here = connect(url, name="s", arms=arms, lease=60, **FIELDS), Study.open(storage, "s")
    one, two, three = there.ask(3, worker="+worker")
    there.tell_all([(one, 0.1), (two, 1 / 3)])
    there.record("c", True)
    here.set_aside("b", "no such program")
    there.close()
    there.tell(three, 0.25)
    here.refresh()
    assert here.results() == there.results()
    assert [row.result for row in there.results()] == [0.1, 1 / 3, 0.25, 1.0]
    assert there.table(2) == here.table(2)
    assert there.events == here.events
    assert list(there.history(2, 1)) == here.events[2:3]
    assert there.aside == here.aside == {"b": "no such program"}
    assert (there.pulls_left, there.position) == (here.pulls_left, here.position)
    assert there.refresh() == 0
    here.close()
    assert connect(url, name="s").position == there.position


def test_pulls_in_flight_and_who_leads_are_the_same_as_here(url, storage):
    there = connect(url, name="s", arms=["a", "b", "c"], max_pulls=40, **FIELDS)
    here = Study.open(storage, "s")

    def compared():
        here.refresh()
        assert there.spent == here.spent
        assert there.pending == here.pending
        assert there.contest == here.contest
        assert there.recommendation == here.recommendation
        assert there.standing() == here.standing()
        assert there.standing(2) == here.standing(2)
        assert there.standing(0).table == []

    compared()
    first = there.ask(3, worker="laptop")
    other = there.ask(3)
    assert there.pending == [*first, *other]
    assert (there.spent, there.contest) == (6, (None, None))
    assert [there.worker_of(pull) for pull in (first[0], other[0].id)] == ["laptop", None]
    compared()
    there.tell_all([(pull, {"a": 0.2, "b": 0.7, "c": 0.6}[pull.arm]) for pull in [*first, *other]])
    assert there.contest == ("b", "c")
    assert there.worker_of(first[0]) == "laptop"
    assert there.recommendation.answer == ("b",)
    compared()
    lost = there.ask(2)
    there.abandon(lost[0])
    there.record("a", 0.1)
    assert there.spent == 8
    compared()
    with pytest.raises(InvalidValue, match="pull 9 does not exist: pulls 1 to 8 have been asked for"):
        there.worker_of(9)
    with pytest.raises(InvalidValue, match=r"pull must be a whole number of at least 1, got '1/\.\.'"):
        there.worker_of("1/..")
    with pytest.raises(InvalidValue, match="arms must be a whole number of at least 0, got -1"):
        there.standing(-1)


def test_an_arm_is_excluded_as_here(url):
    here, there = Study(["a", "b", "3"], **FIELDS), connect(url, name="s", arms=["a", "b", 3], **FIELDS)
    for study in (here, there):
        study.ask(3)
        study.set_aside("a", "no such program")
        study.set_aside("a", "again")
        study.set_aside(3, "no such program")
        assert study.aside == {"a": "no such program", "3": "no such program"}
        assert [pull.arm for pull in study.pending] == ["b"]
        assert not study.decided
        study.set_aside("b", "nor this")
        assert study.decided
        with pytest.raises(InvalidValue, match="arm must be one of 'a', 'b', '3', got 'x'"):
            study.set_aside("x", "unknown")
        with pytest.raises(InvalidValue, match="why an arm is excluded must be printable text on one line"):
            study.set_aside("a", "two\nlines")
    assert there.decision == here.decision


def test_a_service_that_is_older_does_not_say_it_all(url, monkeypatch):
    there = connect(url, name="s", arms=["a", "b"], **FIELDS)
    whole = there._link.call

    def older(method, path, *others, **options):
        answer = whole(method, path, *others, **options)
        return {name: value for name, value in answer.items() if name not in ("spent", "leader", "challenger")}

    monkeypatch.setattr(there._link, "call", older)
    assert there.decision.pulls == 0
    for ask, field in {"spent": "spent", "contest": "leader"}.items():
        sentence = f"the service is older than this client, and does not say {field}: update the service"
        with pytest.raises(Unsupported, match=sentence):
            getattr(there, ask)


@pytest.mark.parametrize("rewards", [(0, 1), "gaussian"])
def test_rows_of_an_older_service_are_those_of_today(url, rewards):
    fields = {"risk": "std <= 0.3", "rewards": rewards}
    here, there = Study(["a", "b", "c"], **fields), connect(url, name="s", arms=["a", "b", "c"], **fields)
    for study in (here, there):
        study.record_all([("a", 0.5), ("b", 0.3), ("b", 0.4)] * 9)
    answer = there._shown_with(3)
    assert answers.table_in(answer, there.problem) == here.table()
    for row in answer["arms"]:
        del row["goal"], row["limits"]
    assert answers.table_in(answer, there.problem) == here.table()


def test_rows_with_several_limits_and_with_fields_that_are_not_known(url):
    there = connect(url, name="s", arms=["a", "b"], **FIELDS)
    answer = there._shown_with(2)
    report = {"limit": "mean(cost) <= 3", "value": 2.0, "lower": None, "upper": 4.0, "verdict": "open", "evidence": 0.5}
    for row in answer["arms"]:
        row["limits"].append(report | {"colour": "red"})
        row["goal"]["colour"] = "red"
    first = answers.row_in(answer["arms"][0], there.problem)
    assert first.limits[1] == LimitReport("mean(cost) <= 3", 2.0, None, 4.0, "open", 0.5)
    assert first.mean is first.risk is None


def test_a_picture_and_a_page_of_a_notebook(url):
    here, there = Study(["a", "b", "c"], **FIELDS), connect(url, name="s", arms=["a", "b", "c"], **FIELDS)
    play(here), play(there)
    assert there._repr_html_() == here._repr_html_() == there.decision._repr_html_()
    assert there.plot().get_title(loc="left") == here.plot().get_title(loc="left")


def written(function):
    """The signature as one would write it: what an annotation names may be imported, or named in quotes."""
    return re.sub(r"(\w+\.)+(?=\w)|'", "", str(inspect.signature(function)))


def test_what_a_study_has_a_served_one_has_too():
    public = {name for name in dir(Study) if not name.startswith("_")}
    at_hand = {  # made from what a client does not have
        "open",  # the storage: `connect` is what opens a served study
        "salvage",  # the storage, with a journal that the service refuses
        "check",  # the storage, with the bytes of the journal
        "from_events",  # nothing: it makes a study of events, in memory
        "together",  # the storage: the service has requests share a commit by itself
    }
    assert public - set(dir(ServedStudy)) == at_hand
    for name in public - at_hand:
        ours, theirs = getattr(Study, name), getattr(ServedStudy, name)
        if callable(ours):
            assert written(ours) == written(theirs), name
        assert inspect.getdoc(theirs), name


def test_no_socket_is_left_open(url):
    program = f"""
import threading, surefoot
study = surefoot.connect({url!r}, name="s", arms=["a", "b"])
def work():
    for pull in study.ask(2):
        study.tell(pull, 0.5)
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
next(study.history())
study.results()
del study
other = surefoot.connect({url!r}, name="s")
other.decision
"""
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_same_warnings_as_here(url):
    here, there = Study(["a", "b"], rewards=(0, 1)), connect(url, name="w", arms=["a", "b"], rewards=(0, 1))
    for study in (here, there):
        assert study.warnings == []
        study.record_all([("a", 0.2 if n < 300 else 0.8) for n in range(600)])
    assert there.warnings == here.warnings != []


def test_by_the_address_of_its_page_or_by_its_name(url):
    made = connect(url, name="a/b", arms=["x", "y"], rewards=(-1, 1), lease=5, goal="min")
    for again in (connect(f"{url}/studies/a~2fb"), connect(f"{url}/api/studies/a~2fb"), connect(url + "/", name="a/b")):
        assert again.problem == made.problem
    assert connect(url, name="a/b", arms=["x", "y"], rewards=(-1, 1), lease=5, goal="min").name == "a/b"
    with pytest.raises(Conflict, match="whose goal is 'min', not 'max'"):
        connect(url, name="a/b", arms=["x", "y"], rewards=(-1, 1), lease=5)
    made.delete()
    with pytest.raises(NoSuchStudy, match="there is no study 'a/b'"):
        connect(url, name="a/b")


def test_numbers_of_other_libraries(url):
    study = connect(url, name="numbers", arms=[1, np.int64(2)], delta=Decimal("0.1"), max_pulls=np.int64(9))
    assert (study.problem.names, study.problem.delta, study.problem.max_pulls) == (("1", "2"), 0.1, 9)
    (pull,) = study.ask(np.int64(1))
    study.tell(pull, np.float32(0.5))
    study.record(1, Fraction(1, 2))
    study.record(2, np.True_)
    assert study.pulls == 3
    with pytest.raises(InvalidValue, match=r"a result of arm 2 is missing \(pandas\.NA\)"):
        study.record(2, pd.NA)


def test_everything_a_worker_does(url):
    study = connect(url, name="s", arms=["a", "b"], lease=60, subgaussian=1.0)
    first, second, third = study.ask(3, worker="one")
    assert study.heartbeat_all([first, second.id]) == [True, True]
    study.abandon(third)
    assert study.heartbeat(third) is False
    study.record("a", 0.5)
    study.tell_all([(first, 0.1), (second, 0.2)])
    assert study.pulls == 3
    assert study.ask(2, request="r") == study.ask(2, request="r")
    study.close()
    assert study.decided
    assert study.decision.status == "undecided"
    assert study.decision.confidence is None
    assert isinstance(study.problem.rewards, surefoot.SubGaussian)


def test_errors_are_the_ones_a_study_here_raises(url):
    study = connect(url, name="s", arms=["a", "b"])
    (pull,) = study.ask(1)
    study.tell(pull, 0.5)
    with pytest.raises(Conflict, match=r"pull 1 was told as 0\.5 and cannot be told as 0\.6"):
        study.tell(pull, 0.6)
    with pytest.raises(InvalidValue, match="pull 7 does not exist: pulls 1 to 1 have been asked for"):
        study.tell(7, 0.5)
    with pytest.raises(InvalidValue, match=r"a result is missing \(NaN\)"):
        study.tell(pull, float("nan"))
    with pytest.raises(InvalidValue, match="what is sent must be names and finite numbers"):
        connect(url, name="t", arms=["a", "b"], delta=float("nan"))
    for address in ("ftp://x", "127.0.0.1:8000", ""):
        with pytest.raises(InvalidValue, match="the address of a service must be http://"):
            connect(address)
    with pytest.raises(InvalidValue, match="give the address of a study, or that of a service with the study's name"):
        connect(url)
    with pytest.raises(InvalidValue, match="got delta but no arms: leave out delta to open a study that exists"):
        connect(url, name="s", delta=0.1)


def test_tokens(storage):
    write, read = tokens.create(storage, "w"), tokens.create(storage, "r", "read")
    with served(storage) as url:
        assert len(connect(url, write, "s", ["a", "b"]).ask()) == 1
        assert connect(url, read, "s").pulls == 0
        with pytest.raises(NotAllowed, match="this token may only read"):
            connect(url, read, "s").ask()
        with pytest.raises(NotAllowed, match="this service needs a token"):
            connect(url, name="s")


def test_a_service_that_is_not_there_is_waited_for_and_given_up():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(StorageFailed, match=rf"127\.0\.0\.1:{port} could not be used: .*refused"):
        connect(f"http://127.0.0.1:{port}", name="s", patience=0.2)


class Forgetful:
    """A proxy that hands requests on and loses every other answer."""

    def __init__(self, url):
        self.target = url.removeprefix("http://").split(":")
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.lost = 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        for index in range(10**6):
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            with client, socket.create_connection(self.target) as server:
                server.settimeout(10)
                request = client.recv(65536)
                while b"\r\n\r\n" not in request or len(request.partition(b"\r\n\r\n")[2]) < length(request):
                    request += client.recv(65536)
                server.sendall(request.replace(self.url[7:].encode(), b":".join(p.encode() for p in self.target)))
                answer = server.recv(65536)
                while len(answer.partition(b"\r\n\r\n")[2]) < length(answer):
                    answer += server.recv(65536)
                if index % 2:
                    client.sendall(answer)
                else:
                    self.lost += 1


def length(message):
    for line in message.partition(b"\r\n\r\n")[0].lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def test_answers_that_are_lost_are_asked_for_again_and_nothing_counts_twice(url):
    here = Study(["a", "b"], risk="variance <= 0.1")
    connect(url, name="s", arms=["a", "b"], risk="variance <= 0.1")
    proxy = Forgetful(url)
    there = connect(proxy.url, name="s")
    for _ in range(5):
        for pull, same in zip(there.ask(2), here.ask(2), strict=True):
            assert pull == same
            for study in (here, there):
                study.tell(pull, 0.5)
    pulls = there.ask(2)
    assert pulls == here.ask(2)
    for _ in range(5):
        results = [(pull, 0.25) for pull in pulls]
        pulls = there.exchange(results, 2, worker="lab")
        assert pulls == here.exchange(results, 2, worker="lab")
    there.abandon(pulls[0])
    here.abandon(pulls[0])
    assert there.pulls == here.pulls == 20
    with pytest.raises(StorageFailed, match="it may have done what it was asked to"):  # by the second at the latest
        [there.record("a", 0.5) for _ in range(2)]
    assert proxy.lost > 10
    proxy.listening.close()
    assert connect(url, name="s").pulls in (21, 22)


def test_a_pull_that_fails(url):
    study = connect(url, name="s", arms=["a", "b"], failure=0.0)
    one, two, three = study.ask(3)
    study.fail(one, "timeout")
    study.tell_all([(two, 0.5), (three, Failed("exit code 1"))])
    assert study.pulls == 3
    assert sum(row.failures for row in study.table()) == 2
    assert study.problem.failure == 0.0


def test_fields_of_a_newer_service_are_ignored(url):
    study = connect(url, name="s", arms=["a", "b"])
    answer = study._link.call("GET", study._path)
    answer["decision"]["mood"] = answer["arms"][0]["mood"] = answer["mood"] = "fine"
    answer["problem"]["mood"] = "fine"
    study._link.call = lambda *arguments, **options: answer
    assert study.decision.status == "undecided"
    assert [row.name for row in study.table()] == ["a", "b"]
    assert study.problem == Study(["a", "b"]).problem
    text = "mood,pull,arm,item,reward,counted,worker,time\nfine,1,a,7,0.5,true,,2026-01-02T03:04:05+00:00\n"
    study._link.answer = lambda *arguments, **options: text.encode()
    assert [row[:5] for row in study.results()] == [(1, "a", 0.5, True, None)]
    study._link.answer = lambda *arguments, **options: b"pull,arm\n1,a\n"
    with pytest.raises(StorageFailed, match="the results that the service sent cannot be read"):
        study.results()


def test_an_empty_name_or_request_is_refused_and_not_replaced(url):
    with pytest.raises(InvalidValue, match="the name of a study must be printable text"):
        connect(url, name="")
    study = connect(url, name="s", arms=["a", "b"])
    with pytest.raises(InvalidValue, match="request must be printable text"):
        study.ask(request="")
