"""A service that is killed in the middle, again and again: nothing that was acknowledged is lost, nothing counts twice."""

import random
import re
import threading
import time
import urllib.request

import pytest

from surefoot import Study, connect
from tests.service.serving import Process
from tests.storage.conftest import EMPTY, folder, server  # noqa: F401

WORKERS, KILLS = 6, 6


@pytest.fixture(params=["sqlite", "postgresql"])
def process(request, tmp_path):
    """On each storage that outlives a process."""
    process = Process(EMPTY[request.param](request), tmp_path / "log")
    yield process
    if process.process.poll() is None:
        process.kill()


def calls_and_commits(url):
    """That a service has made since it was started."""
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        text = answer.read().decode()
    return [int(re.search(rf"^surefoot_{name}_total (\d+)$", text, re.M)[1]) for name in ("calls", "commits")]


def work(url, seed, told, sent, stop):
    """One by one, or three at a time by exchanges."""
    study, generator = connect(url, name="s", patience=60), random.Random(seed)
    pulls = study.ask(3)
    while not stop.is_set():
        results = [(pull, round(generator.random(), 6)) for pull in pulls]
        if seed % 2:
            sent.append([pull.id for pull in pulls])
            pulls = study.exchange(results, 3, worker=f"worker {seed}")
        else:
            for pull, reward in results:
                study.tell(pull, reward)
            pulls = study.ask(2, worker=f"worker {seed}")
        told += [(pull.id, pull.arm, reward) for pull, reward in results]  # acknowledged


def test_killed_and_started_again(process):
    names = [f"arm {index}" for index in range(5)]
    connect(process.url, name="s", arms=names, risk="variance <= 0.0833", delta=1e-9)
    told, sent, stop = [], [], threading.Event()
    workers = [threading.Thread(target=work, args=(process.url, seed, told, sent, stop)) for seed in range(WORKERS)]
    for worker in workers:
        worker.start()
    shared = 0
    for _ in range(KILLS):
        before = len(told)
        while len(told) < before + 60:
            time.sleep(0.01)
        calls, commits = calls_and_commits(process.url)
        shared += calls - commits
        process.kill()
        process.start()
    before = len(told)
    while len(told) < before + 20:
        time.sleep(0.01)
    stop.set()
    for worker in workers:
        worker.join()
    assert process.terminate() == 0

    assert shared > 0  # or else it says nothing of requests whose commit was shared
    study = Study.open(process.database, "s")
    kept = [(event["pull"], event["reward"]) for event in study.events if event["type"] == "told"]
    asked = [pull for event in study.events if event["type"] == "asked" for pull in event["arms"]]
    assert len(told) >= KILLS * 60
    assert len({pull for pull, _, _ in told}) == len(told)  # no pull was handed to two workers
    assert len({pull for pull, _ in kept}) == len(kept)  # none is there twice
    assert {(pull, reward) for pull, _, reward in told} <= set(kept)  # none is missing
    assert len(kept) == len(told)  # all who were asked to stop had their answers
    places = {event["pull"]: place for place, event in enumerate(study.events) if event["type"] == "told"}
    assert len(sent) > 20
    for batch in sent:  # whole, and nothing between its results
        assert [places[pull] - places[batch[0]] for pull in batch] == [0, 1, 2]
    assert [names[asked[pull - 1]] for pull, _, _ in told] == [arm for _, arm, _ in told]
    again = Study.from_events(study.events)
    assert (again.decision, again.table()) == (study.decision, study.table())
