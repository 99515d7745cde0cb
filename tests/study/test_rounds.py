"""Live studies in rounds: which arms are in a round, in which order, what is waited for, what is left out."""

import json
from itertools import groupby, pairwise

import numpy as np
import pytest

from surefoot import Bernoulli, Instance, Items, Study, find_best, simulate
from surefoot.errors import InvalidValue, Unsupported
from surefoot.study import snapshot

MEANS = {"A": 0.8, "B": 0.5, "C": 0.3, "D": 0.1}


def study_of(**fields):
    return Study(list(MEANS), **({"design": "rounds", "rewards": (0, 1)} | fields))


def drifting(pull, generator):
    """A result whose mean drifts by a season of 30 rounds that all arms share."""
    season = 0.1 * np.sin(2 * np.pi * pull.item / 30)
    return float(generator.random() < MEANS[pull.arm] + season)


def driven(study, seed=0, workers=None, lost=0.0, abandoned=0.0):
    """Told to its end, in any order, with losses; the rounds as they were handed out: a list of arms for each."""
    generator, flying, handed = np.random.default_rng(seed), [], []
    while not study.decided:
        new = study.ask(None if workers is None else workers - len(flying))
        handed += new
        flying += new
        assert len({pull.item for pull in flying}) == 1  # none of the next round before all of this one
        pull, chance = flying.pop(int(generator.integers(len(flying)))), generator.random()
        if chance < lost:
            study.fail(pull, "lost")
        elif chance < lost + abandoned:
            study.abandon(pull)
        else:
            study.tell(pull, drifting(pull, generator))
    return [[pull.arm for pull in pulls] for _, pulls in groupby(handed, key=lambda pull: pull.item)]


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_all_arms_in_play_are_in_each_round_once(workers):
    study = study_of()
    rounds = driven(study, workers=workers)
    assert (study.decision.status, study.decision.arm) == ("best", "A")
    sets = [set(arms) for arms in rounds]
    assert all(len(arms) == len(set(arms)) for arms in rounds[:-1])
    assert sets[0] == set(MEANS)
    assert all(later <= earlier for earlier, later in pairwise(sets))  # those dropped stay out
    assert len(sets[-2]) < len(MEANS)
    assert "rounds that both were in" in str(study.decision)


def test_the_order_within_a_round_is_random_and_that_of_the_seed():
    first, again, other = (driven(study_of(seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    counts = np.mean([arms.index("A") < arms.index("B") for arms in first if len(arms) > 1])
    assert 0.2 < counts < 0.8


def test_a_lost_pull_is_handed_out_anew_in_its_round_and_one_given_up_leaves_it_out():
    study = study_of(seed=4)
    pulls = {pull.arm: pull for pull in study.ask()}
    assert study.ask() == []
    study.fail(pulls["A"], "power")
    (again,) = study.ask()
    assert (again.arm, again.item) == ("A", 0)
    study.tell(again, 1)
    study.tell(pulls["B"], 0)
    study.abandon(pulls["C"])
    assert study.ask() == []
    study.tell(pulls["D"], 0)
    assert sorted((pull.arm, pull.item) for pull in study.ask()) == [(arm, 1) for arm in "ABCD"]
    results = [list(row) for row in study._engine.state.items.results]
    assert [row[0] for row in results[:2]] == [1.0, 0.0]
    assert np.isnan(results[2][0])


def test_an_arm_that_is_excluded_leaves_the_rounds():
    study = study_of()
    study.ask()
    study.set_aside("D", "broken")
    for pull in study.pending:
        study.tell(pull, 0.5)
    assert {pull.arm for pull in study.ask()} == {"A", "B", "C"}


def test_a_tolerance_lets_it_end_and_arms_conceded_are_no_longer_pulled():
    generator, study = np.random.default_rng(3), Study(["A", "B"], rewards=(0, 1), design="rounds", tolerance=0.2)
    while not study.decided:
        for pull in study.ask():
            study.tell(pull, float(generator.random() < 0.5))
    assert study.decision.status == "best"


@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_resuming_is_never_having_stopped(tmp_path, lost):
    """From the journal alone, and from a snapshot."""
    fields = {"design": "rounds", "rewards": (0, 1), "seed": 5}
    url = str(tmp_path / "s.db")
    study = Study.open(url, "s", list(MEANS), **fields)
    driven(study, seed=2, lost=lost, abandoned=lost / 2)
    again = Study.open(url, "s")
    assert str(again.decision) == str(study.decision)
    assert json.dumps(snapshot.plain_items(again._engine)) == json.dumps(snapshot.plain_items(study._engine))
    events = study.events
    replay = Study(list(MEANS), **fields)
    assert events[0]["problem"] == replay.events[0]["problem"]


def test_a_study_takes_the_steps_of_a_simulated_run():
    """The same numbers, to the pull, whatever engine: results are a function of arm and round."""
    instance = Instance({name: Bernoulli(mean) for name, mean in MEANS.items()}, design="rounds", delta=0.1)
    compiled, interpreted = (
        [(run.arm, run.pulls) for run in simulate(instance, trials=6, seed=3, engine=engine, progress=False).runs]
        for engine in ("compiled", "interpreted")
    )
    assert compiled == interpreted


def test_functions_are_called_without_the_number_of_the_round():
    study = find_best({"A": lambda: 0.9, "B": lambda: 0.1}, rewards=(0, 1), design="rounds", progress=False)
    assert study.decision.arm == "A"


def test_a_problem_file_says_it(tmp_path):
    study = study_of()
    text = study.problem.dumps()
    assert 'design = "rounds"' in text
    assert type(study.problem).loads(text) == study.problem


@pytest.mark.parametrize(
    ("fields", "error", "said"),
    [
        ({"items": 5}, InvalidValue, 'design = "rounds" has no list of items: leave items out'),
        ({"items": ["a"]}, InvalidValue, 'design = "rounds" has no list of items'),
        ({"rewards": "gaussian"}, Unsupported, 'design = "rounds" needs a range for reward'),
        ({"policy": "va-lucb"}, Unsupported, 'va-lucb with bounds .* cannot decide design = "rounds"; policy'),
        ({"limits": ["mean <= baseline"], "baseline": "A"}, Unsupported, 'cannot go with design = "rounds" yet'),
        ({"design": "runds"}, InvalidValue, "design must be one of 'independent', 'items', 'rounds', got 'runds'"),
    ],
)
def test_what_has_no_proof_is_refused(fields, error, said):
    with pytest.raises(error, match=said):
        study_of(**fields)


def test_results_that_were_not_asked_for_are_refused():
    with pytest.raises(Unsupported, match="takes only results of pulls that it asked for"):
        study_of().record("A", 0.5)


def test_seasons_are_what_simulated_arms_have_in_common():
    arms = {"A": Bernoulli(0.6), "B": Bernoulli(0.5)}
    seasonal = Instance(arms, design="rounds", items=Items(correlation=0.9, season=50))
    assert simulate(seasonal, trials=20, progress=False).summary()["correct"] == 20
    with pytest.raises(InvalidValue, match="season of items must be a whole number of at least 0, got -1"):
        Items(season=-1)
