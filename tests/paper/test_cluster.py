"""A Dask cluster as processes on loopback: the same bits as here, whatever dies."""

import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from surefoot import simulate
from surefoot.cli import main
from surefoot.errors import ClusterLost, InvalidValue, Unsupported
from surefoot.paper.instances import paper_instance
from surefoot.paper.reproduce import reproduce
from surefoot.paper.reproduction_plan import plan
from surefoot.paper.store import FILE, Store
from surefoot.simulation import cluster
from surefoot.simulation.cluster import chunks, connect, on_cluster
from surefoot.simulation.job import Job

LONG = paper_instance("cmp", 4)  # about 0.05 s a run under `paper`


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self):
        self.processes = []
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        for line in self.scheduler.stderr:
            if "Scheduler at:" in line:
                self.address = line.split()[-1]
                break
        threading.Thread(target=self.scheduler.stderr.read, daemon=True).start()  # lest the pipe fill up
        self.worker()

    def worker(self):
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", quiet=True)

    def start(self, role, *arguments, quiet=False):
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}", *arguments]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL if quiet else subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()


@contextmanager
def started():
    found = Cluster()
    try:
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="module")
def processes():
    with started() as found:
        yield found


@contextmanager
def client_of(processes, workers=1):
    client = connect(processes.address)
    client.wait_for_workers(workers, timeout=60)
    try:
        yield client
    finally:
        client.close()


def test_the_same_bits_even_if_a_worker_is_killed_in_the_middle(processes):
    job = Job(LONG, "va-lucb", "paper", trials=30, seed=3)
    here = simulate(LONG, bounds="paper", trials=30, seed=3).runs
    victim = processes.worker()
    with client_of(processes, workers=2) as client:
        assert simulate(LONG, bounds="paper", trials=10, seed=3, client=client).runs == here[:10]
        there = []
        for report in on_cluster([job], [(0, trial) for trial in range(30)], client, threading.Event()):
            if not there:
                victim.kill()
                victim.wait()
            there.append(report.run)
        assert tuple(sorted(there)) == here
        assert len(client.scheduler_info()["workers"]) == 1
        with pytest.raises(InvalidValue, match="workers must be left out on a Dask cluster, which has its own, got 2"):
            simulate(LONG, workers=2, client=client)


def test_a_lost_scheduler_is_said_and_keeps_what_was_finished(capsys, monkeypatch, tmp_path):
    """Killed as soon as a run is in the folder; the rest is then done here, to the same bits."""
    file = tmp_path / FILE
    with started() as processes, monkeypatch.context() as patch:
        with client_of(processes):
            pass  # the worker is there

        def add(self, entry, run, added=Store.add):
            added(self, entry, run)
            processes.scheduler.kill()

        patch.setattr(Store, "add", add)
        options = ["paper", "--case", "1c", "--quick", "--trials", "20", "--out", str(tmp_path)]
        assert main([*options, "--dask", processes.address]) == 1
    said = capsys.readouterr().err
    found = re.search(r"the Dask scheduler at tcp://\S+ was lost after (\d+) of 180 runs, which are kept in", said)
    assert 0 < int(found[1]) < 180
    kept = set(file.read_text().splitlines())
    assert len(kept) == 1 + int(found[1])
    entries = plan(["1c"], quick=True)
    resumed = reproduce(entries, tmp_path, trials=20, shown=False)
    assert kept < set(file.read_text().splitlines())
    assert resumed == reproduce(entries, tmp_path / "straight", trials=20, shown=False)
    assert file.read_bytes() == (tmp_path / "straight" / FILE).read_bytes()


def test_runs_that_kill_every_worker_are_said_with_the_last_one(monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    with started() as processes, client_of(processes) as client:
        asked = cluster.Cluster(client)
        asked.ask(0, os._exit, 1)
        with pytest.raises(ClusterLost, match=r"every worker .* died, the last one .*tcp://127.0.0.1:"):
            list(asked.answers(threading.Event()))


def test_other_versions_are_refused_before_anything_is_run(processes, monkeypatch):
    monkeypatch.setattr(cluster, "versions", lambda: {"surefoot": "9.9", "numpy": "1.0"})
    with client_of(processes) as client:
        with pytest.raises(
            Unsupported, match=r"workers must have the same versions as the client; tcp://.*numpy 1.0 here"
        ):
            simulate(LONG, trials=2, client=client)
        with pytest.raises(
            Unsupported, match=r"workers must have the same versions as the client: .*surefoot 9.9 here"
        ):
            client.submit(cluster.runs, None, [0], {"surefoot": "9.9"}).result()


def test_nobody_there(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER", 0.5)
    with pytest.raises(InvalidValue, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"):
        connect("tcp://127.0.0.1:9")


def test_pieces_are_all_the_runs_and_get_smaller():
    todo = [(job, trial) for job in (0, 1) for trial in range(97)]
    pieces = list(chunks(todo, slots=3))
    assert [(job, trial) for job, trials in pieces for trial in trials] == todo
    sizes = [len(trials) for job, trials in pieces if job == 0]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-3:] == [1, 1, 1]
    assert len(sizes) < 30
