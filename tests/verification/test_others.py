"""The search for instances on which another combination needs fewer pulls than the default."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from surefoot import Beta, Instance, Normal
from surefoot.core.registry import SEVERAL
from verification import against_others, race
from verification.against_others import Climb, Climbs, Effort
from verification.race import Find, Measured, Runs
from verification.search.points import random_point

INSTANCE = Instance({"A": Beta(mean=0.6, variance=0.01), "B": Beta(mean=0.5, variance=0.01)}, risk="variance <= 0.1")
RIVALS = [("va-lucb", "tight"), ("va-lucb", "sharp"), ("successive-elimination", "tight")]


@pytest.fixture
def scripted(monkeypatch):
    """Runs that take the pulls that a test says, by the name of the combination; and how many pulls were made of each."""
    pulls, made = {}, {}

    def begin(runs):
        def begun(trial):
            def advance(most):
                took = min(pulls[runs.name](trial), most)
                made[runs.name] = made.get(runs.name, 0) + took
                return SimpleNamespace(pulls=took)

            return advance

        return begun

    monkeypatch.setattr(Runs, "begin", property(begin))

    def script(default, tight, sharp, elimination):
        for name, own in zip(
            ("top-two with tight", "va-lucb with tight", "va-lucb with sharp", "successive-elimination with tight"),
            (default, tight, sharp, elimination),
            strict=True,
        ):
            pulls[name] = own if callable(own) else lambda trial, own=own: own
        return made

    return script


def test_an_instance_is_judged_by_the_best_other(scripted):
    made = scripted(500, 400, 300, 4_000)
    find = race.race(INSTANCE, RIVALS, 0)
    assert (find.default, find.other) == (Measured(500.0, 500.0), Measured(300.0, 300.0))
    assert (find.ratio, find.tail_ratio, find.rival) == (
        pytest.approx(5 / 3),
        pytest.approx(5 / 3),
        "va-lucb with sharp",
    )
    assert made["va-lucb with sharp"] == 300 * race.STAGES[-1]
    assert made["successive-elimination with tight"] <= race.FAR_BEHIND * 300 * race.STAGES[0] + 1  # it was no rival


def test_few_runs_are_enough_where_no_other_comes_near(scripted):
    made = scripted(500, 900, 900, 900)
    assert race.race(INSTANCE, RIVALS, 0, bar=1.2) is None
    first = race.STAGES[0]
    assert made["top-two with tight"] == 500 * first
    allowed = 500 * first * (1.0 + race.SPREAD / math.sqrt(first)) / 1.2
    assert all(made[f"{policy} with {bounds}"] <= allowed + 2 for policy, bounds in RIVALS)


def test_what_takes_few_pulls_anyway_is_no_find_and_needs_no_other(scripted):
    made = scripted(60, 30, 30, 30)
    assert race.race(INSTANCE, RIVALS, 0, bar=1.0) is None
    assert made == {"top-two with tight": 60 * race.STAGES[0]}
    assert race.race(INSTANCE, RIVALS, 0) is None  # nor without a bar


def test_what_nobody_decides_is_no_find(scripted):
    scripted(*[10**9] * 4)
    assert race.race(INSTANCE, RIVALS, 0, bar=0.5) is None


def test_a_run_that_never_ends_counts_for_so_many_pulls_of_whomever_it_is(scripted):
    scripted(lambda trial: 200 if trial else 10**9, 250, 300, lambda trial: 200 if trial else 10**9)
    find = race.race(INSTANCE, RIVALS, 0, stages=(36, 100), cap=10**6)
    assert find.default.mean == pytest.approx((99 * 200 + race.STARVED * 250) / 100)
    assert find.rival == "va-lucb with tight"


def test_runs_are_those_of_simulate():
    from surefoot import simulate

    runs = Runs(INSTANCE, "top-two", "tight", 3, 10_000)
    assert runs.reach(5)
    assert runs.pulls == [run.pulls for run in simulate(INSTANCE, trials=5, seed=3).runs]


def test_there_are_instances_of_one_arm_to_thirty_with_every_risk():
    generator = np.random.default_rng(1)
    for kind in against_others.KINDS:
        for risk in against_others.RISKS:
            if against_others.rivals(kind, risk):
                instances = [against_others.instance_at(kind, risk, random_point(generator)) for _ in range(60)]
                sizes = {len(instance.problem.arms) for instance in instances}
                assert min(sizes) == (2 if risk == "none" else 1)
                assert max(sizes) > 20


def test_whatever_is_registered_of_the_default_is_searched():
    for kind, risks in {"bounded": against_others.RISKS, "gaussian": against_others.RISKS.keys() - {"cvar"}}.items():
        for risk in risks:
            others = against_others.rivals(kind, risk)
            assert {("va-lucb", bounds) for bounds in SEVERAL["va-lucb"]} <= set(others)
            assert (("track-and-stop", "sharp") in others) == (kind == "gaussian" and risk in ("variance", "none"))
    assert against_others.rivals("gaussian", "cvar") == []


@pytest.mark.parametrize("arm", [Beta(mean=0.6, variance=0.01), Normal(mean=3.0, variance=4.0)])
@pytest.mark.parametrize("upper", [False, True])
def test_limits_on_means_are_kept_or_broken_by_a_part_of_the_deviation(arm, upper):
    kept, broken = (against_others.mean_limit(arm, away, 0.5, upper) for away in (0.1, -0.1))
    assert kept.allows(arm)
    assert not broken.allows(arm)
    assert abs(kept.bound - arm.mean) == pytest.approx(0.1 * math.sqrt(arm.variance))


@pytest.fixture
def steep(monkeypatch):
    """A race whose ratio is a coordinate of the instance: the share of the first arm's mean."""

    def ratio(instance, rivals, seed, bar):
        mean = instance.distributions[0].mean
        return Find(mean, mean, Measured(mean, mean), Measured(1.0, 1.0), "", instance) if mean >= bar else None

    monkeypatch.setattr(against_others, "race", ratio)


def test_a_climb_ends_above_its_starts_and_is_the_same_again(steep):
    climb = Climb("bounded", "variance", 0)
    start, end = climb.run(Effort(5, 0), 7), climb.run(Effort(5, 60), 7)
    assert end["ratio"] > start["ratio"] > against_others.MODEST
    instance = against_others.instance_at("bounded", "variance", np.array(end["point"]))
    assert instance.distributions[0].mean == end["ratio"]
    assert climb.run(Effort(5, 60), 7) == end != Climb("bounded", "variance", 1).run(Effort(5, 60), 7)


def test_climbs_that_are_done_are_kept_and_the_next_run_does_the_others(steep, tmp_path, capsys):
    effort = Effort(2, 2)

    def climbed(many, minutes=math.inf):
        with Climbs(tmp_path / "climbs.jsonl", effort, 0) as climbs:
            against_others.search(climbs, effort, 0, "bounded variance", many, minutes)
        return climbs, capsys.readouterr().err.count("\n")

    assert climbed(3, minutes=0.0)[1] == 0
    first, lines = climbed(2)
    assert (len(first.ends), lines) == (2, 2)
    second, lines = climbed(3)
    assert (len(second.ends), lines) == (3, 1)
    assert first.ends.items() <= second.ends.items()
    worst = [instance.distributions[0].mean for _, instance in second.worst(2)]
    assert worst == sorted((end["ratio"] for end in second.ends.values()), reverse=True)[:2]


def test_the_table_has_the_families_and_the_worst_finds_measured_anew(steep, tmp_path, monkeypatch):
    seeds = []

    def measured(kind, risk, instance, seed):
        seeds.append(seed)
        mean = 100.0 * instance.distributions[0].mean
        return Find(mean / 50.0, 1.5, Measured(mean, 2.0 * mean), Measured(50.0, 80.0), "va-lucb with tight", instance)

    monkeypatch.setattr(against_others, "measured", measured)
    table = tmp_path / "table.md"
    options = ["--out", str(tmp_path), "--only", "gaussian none", "--climbs", "3", "--table", str(table)]
    against_others.main(options)
    families, worst = table.read_text().split("\nThe worst of 3 climbs")
    assert families.count("`va-lucb with tight`") == len(list(against_others.families())) == seeds.count(0)
    assert worst.count("`va-lucb with tight`") == seeds.count(1) == 3
    ratios = [float(line.split("|")[1]) for line in worst.splitlines() if "`va-lucb" in line]
    assert ratios == sorted(ratios, reverse=True)
