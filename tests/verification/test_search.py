"""`make verify`: finds what is broken, says what it did, goes on where it was, the same bits whoever does it."""

import functools
import math
import os
import re
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

from surefoot import Instance, Problem, simulate
from surefoot.core.registry import FAMILIES
from surefoot.errors import InvalidValue
from surefoot.problem import choice
from surefoot.problem.distributions import Bernoulli, Uniform
from surefoot.simulation import cluster
from tests.conftest import PROGRAMS
from tests.paper.test_cluster import started
from verification.search import pool
from verification.search.__main__ import main
from verification.search.adversaries import ADVERSARIES
from verification.search.binomial import Count, clopper_pearson
from verification.search.combinations import (
    LIMIT_TEST,
    MEAN_BOUND,
    Combination,
    combinations,
    controls,
    parts,
    representatives,
)
from verification.search.effort import FULL, QUICK
from verification.search.findings import Findings, Measured, SingleBoundFinding, findings
from verification.search.ledger import FILE, Ledger
from verification.search.limits import LIMITS
from verification.search.measure import count
from verification.search.page import html
from verification.search.plan import Plan, full, quick, seed_of
from verification.search.points import MOST_ARMS, instance, neighbour, random_point
from verification.search.rates import Rates
from verification.search.recheck import Recheck
from verification.search.run import doubtful, run
from verification.search.single_bound import Fail, SingleBound, single_bounds
from verification.search.tables import in_short
from verification.search.tables import rates as rates_table
from verification.search.tables import single_bounds as single_bound_table
from verification.search.weakened import weakened

TINY = QUICK._replace(instances=4, runs=5, restarts=1, moves=2, glance=10, look=10, confirmation=20, paths=((5, 50),))
DEFAULT = Combination("va-lucb", "sharp", "bounded", "variance")
BROKEN = DEFAULT._replace(broken=LIMIT_TEST)
FEW = quick()._replace(effort=TINY, tasks=[Rates(DEFAULT), Rates(BROKEN), SingleBound(DEFAULT, "uniform")])


def test_intervals_are_those_of_clopper_and_pearson():
    for failures, runs in ((0, 1), (1, 1), (0, 20_000), (3, 200), (19_999, 20_000), (612, 10_000), (50, 50)):
        low, high = clopper_pearson(failures, runs)
        assert low == 0.0 if failures == 0 else binom.sf(failures - 1, runs, low) == pytest.approx(0.005, rel=1e-6)
        assert high == 1.0 if failures == runs else binom.cdf(failures, runs, high) == pytest.approx(0.005, rel=1e-6)


def test_only_a_significant_rate_fails():
    assert not Measured(0.05, Count(60, 940)).fails  # 6 %, which may be luck
    assert Measured(0.05, Count(600, 9_400)).fails
    assert not Measured(0.05, Count(600, 9_400, 10_000)).fails  # undecided runs are runs
    assert Fail("L", 100, 150, 1000, 0.1).too_often
    assert not Fail("L", 100, 110, 1000, 0.1).too_often


def bounding(combination):
    """The parts that say something of one arm: neither the policy, nor what compares two arms for it."""
    return [found for found in parts(combination) if found[0] not in ("policy", "comparison")]


def test_everything_registered_is_verified():
    assert [tuple(combination[:4]) for combination in combinations()] == PROGRAMS
    assert {task.combination for task in full().tasks if isinstance(task, Rates)} == {*combinations(), *controls()}
    watched = {module for task in single_bounds(broken=False) for module in bounding(task.combination)}
    assert watched == {module for found in combinations() for module in bounding(found)}
    assert {risk for _, _, _, risk in PROGRAMS} == set(LIMITS)
    assert FULL.instances * FULL.runs + FULL.confirmation >= 20_000
    assert max(pulls for _, pulls in FULL.paths) == 10**6


def test_each_part_is_broken_once():
    broken = {(part, module) for control in controls() for part, module, _ in parts(control) if control.broken}
    assert {name for _, name in broken if name.startswith("weakened_")} == {
        f"weakened_{family.rsplit('.', 1)[-1]}"
        for combination in combinations()
        for part, family, _ in parts(combination)
        if part == "mean_bound"
        if combination.program.policy.weakened is None or combination.policy == "va-lucb"
    }
    tests = {control.program.limits for control in controls() if control.broken == LIMIT_TEST}
    assert tests == {
        found.program.limits for found in combinations() if any(part.test.weakened for part in found.program.limits)
    }


def test_representatives_meet_every_part():
    found = combinations()
    chosen = representatives(found)
    assert len(chosen) < len(found) / 4
    assert set().union(*map(parts, chosen)) == set().union(*map(parts, found))
    assert f"{len(found) - len(chosen)} of {len(found)} combinations" in quick().left_out[0]


@pytest.mark.parametrize("combination", combinations(), ids=str)
def test_points_are_instances_that_the_combination_takes(combination):
    generator = np.random.default_rng(1)
    point, arms = random_point(generator), set()
    for _ in range(60):
        found = instance(combination, point, 1_000)
        problem = found.problem
        assert choice.program(problem, combination.policy, combination.bounds, found.question(combination.policy))
        assert Instance(Problem.loads(problem.dumps())).problem == problem  # what the report prints is what was run
        assert 0.0 < problem.delta <= 0.5
        arms.add(len(problem.arms))
        point = neighbour(point, generator) if generator.random() < 0.5 else random_point(generator)
        assert ((point >= 0.0) & (point <= 1.0)).all()
    assert max(arms) == MOST_ARMS
    assert min(arms) <= 2


@pytest.mark.parametrize("risk", [risk for risk in LIMITS if risk != "none"])
@pytest.mark.parametrize("upper", [False, True])
def test_limits_are_just_within_reach_and_just_not(risk, upper):
    for arm in (Bernoulli(0.3), Uniform(0.1, 0.9)):
        for away in (1e-9, 1e-2, 1.0):
            assert LIMITS[risk](arm, away, 0.4, upper).allows(arm)
            if away < 1.0:
                assert not LIMITS[risk](arm, -away, 0.4, upper).allows(arm)


def test_runs_are_those_of_simulate():
    generator = np.random.default_rng(3)
    for name in (DEFAULT, Combination("risk-averse-ucb", "paper", "bounded", "variance")):
        asked = instance(name, random_point(generator), 500)
        found = simulate(asked, name.policy, name.bounds, trials=40, seed=9, progress=False).summary()
        assert count(name, asked, 40, 9) == (found["wrong"], found["correct"], found["undecided"])


@pytest.mark.long
def test_the_search_finds_what_is_broken():
    """Not only a test that decides early, but a mean bound that is too small."""
    for broken in (BROKEN, DEFAULT._replace(bounds="paper", risk="none", broken=MEAN_BOUND)):
        task = Rates(broken)
        (found,) = findings([task.run(QUICK, seed_of(task, 0))]).rates
        assert found.worst.fails
        task = Rates(broken._replace(broken=""))
        (found,) = findings([task.run(QUICK, seed_of(task, 0))]).rates
        assert not found.fails


def test_the_worst_instance_can_be_run_again_from_the_report(tmp_path):
    task = Rates(Combination("va-lucb", "sharp", "bounded", "probability"))
    effort = TINY._replace(instances=10, glance=30, confirmation=200)
    (found,) = findings([task.run(effort, 5)]).rates
    path = tmp_path / found.file
    path.write_text(found.instance)
    words = found.command.split()
    policy, bounds, trials, seed = (
        words[words.index(f"--{name}") + 1] for name in ("policy", "bounds", "trials", "seed")
    )
    again = simulate(path, policy, bounds, trials=int(trials), seed=int(seed), progress=False).summary()
    assert (again["wrong"], again["correct"], again["undecided"]) == found.worst.count


@pytest.mark.parametrize("kind", ADVERSARIES)
def test_one_arm_is_watched_on_both_sides_of_its_limit(kind):
    combination = Combination("va-lucb", "sharp", kind, "variance")
    for arm, law in ADVERSARIES[kind].items():
        task = SingleBound(combination, arm)
        assert task.instance(1.0).feasible == (True,)
        assert task.instance(-1.0).feasible == (law.variance < 1e-9,)  # no smaller variance is asked about


LATE = """
def interval(own, metric, parameters, clock):
    return inner.interval(own, metric, parameters, clock) if metric.pulls <= 300.0 else (metric.mean, metric.mean)
"""


class FailsLate(Combination):
    """Whose mean bound is right for 300 pulls, and then the sample mean itself."""

    @property
    def program(self):
        return super().program._replace(mean_bound=late(self.bounds, self.kind))


@functools.cache
def late(bounds: str, kind: str) -> ModuleType:
    module = weakened(FAMILIES[bounds, kind])
    exec(LATE, vars(module))
    return module


def test_many_short_paths_do_not_hide_what_few_long_ones_show():
    task = SingleBound(FailsLate(*DEFAULT._replace(risk="none")), "uniform")
    result = task.run(QUICK._replace(paths=((200, 100), (30, 1_000))), seed=1)
    fails = {(fail.what, fail.pulls): fail for fail in (Fail(**found) for found in result["fails"])}
    for what in ("L", "U"):
        short, long = fails[what, 100], fails[what, 1_000]
        assert (short.paths, long.paths) == (200, 30)
        assert not short.too_often
        assert long.too_often
        pooled = Fail(what, 1_000, short.failures + long.failures, 230, long.level)
        assert not pooled.too_often
    assert findings([result]).single_bounds[0].fails


def test_the_worst_arm_is_shown_beside_all_arms_of_which_none_was_chosen():
    coin = [Fail("U", 100, 3, 30, 0.05), Fail("U", 100, 0, 30, 0.05), Fail("U", 900, 9, 10, 0.05)]
    found = SingleBoundFinding(
        DEFAULT, {"uniform": [Fail("U", 100, 1, 30, 0.05), Fail("L", 100, 7, 30, 0.1)], "coin": coin}
    )
    assert found.worst("U", 100) == ("coin", coin[0])
    assert found.on_all("U", 100) == Count(4, 86)
    (row,) = [row for row in single_bound_table([found]).rows if row[3:5] == ["U", "100"]]
    assert row[5:7] == ["coin", "3 / 30"]
    assert row[8:] == ["4.4 %", "5 %", "holds"]


def test_what_failed_too_often_is_watched_again_and_judged_by_fresh_paths_alone():
    def result(failures, paths):
        fails = [asdict(Fail("L", 1_000, failures, paths, 0.1)), asdict(Fail("U", 1_000, 1, paths, 0.1))]
        return {"combination": list(DEFAULT), "arm": "uniform", "fails": fails}

    task, first = SingleBound(DEFAULT, "uniform"), result(14, 60)
    assert doubtful([task], {task.name: first}) == [Recheck(task)]
    assert doubtful([task], {task.name: result(9, 60)}) == []
    assert doubtful([broken := SingleBound(BROKEN, "uniform")], {broken.name: first}) == []
    assert len(findings([first]).objections()) == 1
    by_chance = findings([first, result(40, 600) | {"recheck": True}])
    assert by_chance.objections() == []
    (sentence,) = [sentence for sentence in in_short(by_chance) if sentence.startswith("Watched again")]
    assert "L had failed in 14 of 60 paths of 1,000 pulls, 10.00% allowed" in sentence
    indeed = findings([first, result(100, 600) | {"recheck": True}])
    assert "L failed on the arm 'uniform' in 100 of 600 paths" in indeed.objections()[0]


@pytest.mark.long
def test_a_bound_that_fails_fails_again(tmp_path, capsys):
    task = SingleBound(FailsLate(*DEFAULT._replace(risk="none")), "uniform")
    effort = QUICK._replace(paths=((20, 1_000),))
    found, _ = run(Plan(effort, [task], []), tmp_path, workers=1)
    assert "of 200 paths of 1,000 pulls" in found.objections()[0]
    assert "2 of 2 tasks" in capsys.readouterr().err
    again, _ = run(Plan(effort, [task], []), tmp_path, workers=1)
    assert again == found
    assert capsys.readouterr().err == ""


def test_objections():
    sound = findings([Rates(DEFAULT).run(TINY, 1)])
    assert sound.objections() == []
    (rate,) = sound.rates
    bad = replace(rate, worst=Measured(0.05, Count(600, 9_400)))
    (sentence,) = Findings([bad], []).objections()
    assert "wrong in 600 of 10,000 runs on an instance it found" in sentence
    missed = replace(rate, combination=BROKEN)
    assert Findings([missed], []).objections() == [f"the search did not notice: {BROKEN}"]
    failing = SingleBoundFinding(DEFAULT, {"coin": [Fail("U", 100, 200, 1000, 0.1)]})
    (sentence,) = Findings([], [failing]).objections()
    assert "U failed on the arm 'coin' in 200 of 1,000 paths of 100 pulls, 10.00% allowed" in sentence
    assert Findings([], [replace(failing, combination=BROKEN)]).objections() == []
    assert "**too often wrong**" in rates_table([bad]).rows[0]
    page = html(Findings([bad], [failing]), ["most of it"], {"seed": "0"})
    assert "Not all is as it should be" in page
    assert "<b>too often wrong</b>" in page


def test_one_page_that_needs_nothing_else(tmp_path, capsys):
    only = "alone · va-lucb · tight · bounded · variance · uniform"
    arguments = ["--quick", "--out", str(tmp_path), "--workers", "1", "--only", only]
    assert main([*arguments, "--table", str(tmp_path / "table.md")]) == 0
    page = (tmp_path / "report.html").read_text()
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert "<h2>What this report leaves out</h2>" in page
    assert "Nothing was found against any guarantee" in page
    assert "| tight | bounded | variance | INFEASIBLE |" in (tmp_path / "table.md").read_text()
    assert "0 failed more often than they may" in capsys.readouterr().out
    assert main([*arguments, "--seed", "-1"]) == 2
    assert "seed must be" in capsys.readouterr().err


def test_a_name_that_no_task_has_is_refused(tmp_path, capsys):
    assert main(["--only", "nonsense", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("surefoot: no task has 'nonsense' in its name, which is such as '")
    assert not said.out
    assert not (tmp_path / "out").exists()


def test_the_number_of_processes_changes_nothing(tmp_path):
    for workers in (1, 2):
        run(FEW, tmp_path / str(workers), workers=workers)
    assert (tmp_path / "1" / FILE).read_bytes() == (tmp_path / "2" / FILE).read_bytes()


@pytest.mark.long
def test_a_cluster_changes_nothing(tmp_path):
    plan = FEW._replace(tasks=FEW.tasks[-1:])
    run(plan, tmp_path / "here", workers=1)
    with started() as dask:
        client = cluster.connect(dask.address)
        run(plan, tmp_path / "there", client=client)
        client.close()
    assert (tmp_path / "here" / FILE).read_bytes() == (tmp_path / "there" / FILE).read_bytes()


def test_what_is_finished_is_not_done_again(tmp_path, monkeypatch):
    found, _ = run(FEW, tmp_path, workers=1)
    whole = (tmp_path / FILE).read_bytes()
    lines = whole.splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(b"".join(lines[:-1]) + lines[-1][:50])  # a line that was cut off
    asked = []
    monkeypatch.setattr("verification.search.run.on_processes", spied(asked))
    assert run(FEW, tmp_path, workers=1)[0] == found
    assert len(asked) == 1
    assert (tmp_path / FILE).read_bytes() == whole


def spied(asked):
    def on_processes(tasks, *rest):
        asked.extend(tasks)
        return pool.on_processes(tasks, *rest)

    return on_processes


def test_results_made_otherwise_are_refused(tmp_path):
    with Ledger(tmp_path, TINY, 0):
        pass
    with pytest.raises(InvalidValue, match="seed 1 here, 0 there"):
        Ledger(tmp_path, TINY, 1)
    (tmp_path / FILE).write_text("{}\nnothing\n")
    with pytest.raises(InvalidValue):
        Ledger(tmp_path, TINY, 0)


def test_interrupted_it_ends_soon_and_keeps_what_it_finished(tmp_path):
    command = [sys.executable, "-m", "verification.search", "--out", str(tmp_path), "--workers", "1"]
    only = ["--only", "alone · va-lucb · sharp · bounded · none"]
    process = subprocess.Popen([*command, *only], stderr=subprocess.PIPE, text=True, env=os.environ)
    line = process.stderr.readline()
    assert re.match(r"surefoot: 1 of \d+ tasks", line)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "the same command goes on from there" in rest
    assert len((tmp_path / FILE).read_text().splitlines()) >= 2


def test_no_seed_serves_two_tasks():
    tasks = full().tasks
    assert len({seed_of(task, 0) for task in tasks}) == len({task.name for task in tasks}) == len(tasks)
    assert all(0 <= seed_of(task, 0) < 2**64 for task in tasks)
    assert seed_of(tasks[0], 0) != seed_of(tasks[0], 1)
    assert not math.isnan(FULL.glances(30_000))
