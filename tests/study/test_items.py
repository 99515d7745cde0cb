"""Live studies whose arms are tried on the same items: places, losses, workers, resuming, what people see."""

import json

import numpy as np
import pytest

from surefoot import Instance, Items, Study, simulate
from surefoot.core import differences
from surefoot.errors import BadJournal, InvalidValue, Unsupported
from surefoot.study import snapshot

ITEMS = 300
DRAW = np.random.default_rng(1)
COMMON = DRAW.random(ITEMS)
SCORES = {
    arm: ((0.7 * COMMON + 0.3 * DRAW.random(ITEMS)) < p) * 1.0 for arm, p in {"A": 0.75, "B": 0.5, "C": 0.4}.items()
}
NAMES = [f"question {number}" for number in range(ITEMS)]


def study_of(**fields):
    return Study(list(SCORES), **({"design": "items", "items": ITEMS} | fields))


def number_of(item):
    return int(item.split()[1]) if isinstance(item, str) else item


def score(pull):
    return SCORES[pull.arm][number_of(pull.item)]


def driven(study, seed=0, workers=1, lost=0.0, abandoned=0.0):
    """Told to its end by so many workers, in any order, with losses."""
    generator, flying = np.random.default_rng(seed), []
    while not study.decided:
        flying += study.ask(workers - len(flying)) if len(flying) < workers else []
        if not flying:
            break
        pull, chance = flying.pop(int(generator.integers(len(flying)))), generator.random()
        if chance < lost:
            study.fail(pull, "lost")
        elif chance < lost + abandoned:
            study.abandon(pull)
        else:
            study.tell(pull, score(pull))
    return study


def state_of(study):
    """All that a study knows, to the bit."""
    return json.loads(json.dumps(snapshot.plain_items(study._engine))), [
        str(row.tolist()) for row in study._engine.state.items.results
    ]


def test_every_arm_goes_through_one_order():
    study = driven(study_of(items=NAMES, seed=3))
    assert (study.decision.status, study.decision.arm) == ("best", "A")
    by_arm = {arm: [row.item for row in study.results() if row.arm == arm] for arm in SCORES}
    order = [NAMES[index] for index in Items(ITEMS).order(3)]
    for items in by_arm.values():
        assert items == order[: len(items)]
    assert "on the" in str(study.decision)
    assert "items that both were tried on" in str(study.decision)


def test_a_stream_of_items_counts_from_0():
    study = Study(["A", "B"], design="items")
    for _ in range(10):
        for pull in study.ask():
            assert isinstance(pull.item, int)
            study.tell(pull, 0.5)
    assert {row.item for row in study.results() if row.arm == "A"} == set(range(5))


def test_a_study_of_independent_arms_has_no_items():
    study = Study(["A", "B"])
    (pull,) = study.ask(1)
    assert pull.item is None
    study.tell(pull, 0.5)
    assert "item" not in study.results().heads
    assert "items" not in study.events[1]


def test_a_study_takes_the_steps_of_a_simulated_run(tmp_path):
    """The results of the table, drawn by a run, told to a study in the same order: the same pulls and the same decision."""
    lines = [",".join(str(SCORES[arm][item]) for arm in SCORES) for item in range(ITEMS)]
    (tmp_path / "scores.csv").write_text("\n".join([",".join(SCORES), *lines]))
    instance = Instance(study_of(items={"data": str(tmp_path / "scores.csv")}).problem)
    (run,) = simulate(instance, trials=1, seed=5, progress=False).runs
    generator, rows = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0,))), []
    study = study_of(items=None)
    while not study.decided:
        for pull in study.ask():
            if pull.item == len(rows):
                rows.append(int(generator.random() * ITEMS))
            study.tell(pull, SCORES[pull.arm][rows[pull.item]])
    assert (study.decision.arm, study.pulls) == (list(SCORES)[run.arm], run.pulls)


# --- losses


def test_a_lost_pull_is_handed_out_anew_for_the_same_item():
    study = study_of()
    first, second, third = study.ask(3)
    study.fail(first, "no network")
    again = study.ask(1)[0]
    assert (again.arm, again.item) == (first.arm, first.item)
    assert again.id != first.id
    for pull in (second, third, again):
        study.tell(pull, score(pull))
    assert study.pulls == 3


def test_results_wait_for_a_lost_place():
    study = study_of()
    pulls = study.ask(6)
    mine = [pull for pull in pulls if pull.arm == "A"]
    study.fail(mine[0], "lost")
    study.tell(mine[1], score(mine[1]))
    assert study.pulls == 0
    again = next(pull for pull in study.ask(1) if pull.arm == "A")
    assert again.item == mine[0].item
    study.tell(again, score(again))
    assert study.pulls == 2


def test_an_expired_pull_is_handed_out_anew_for_the_same_item(monkeypatch):
    from surefoot.study import leases

    study, now = study_of(lease=10), [1000.0]
    monkeypatch.setattr(leases, "steady", lambda: now[0])
    (late,) = study.ask(1)
    now[0] += 60
    (again,) = study.ask(1)
    assert (again.arm, again.item) == (late.arm, late.item)
    study.tell(late, 0.0)  # recorded, not counted
    study.tell(again, score(again))
    assert study.pulls == 1
    assert [row.counted for row in study.results()] == [False, True]


def test_an_abandoned_item_is_left_out_of_its_arms_pairs():
    study = study_of(max_pulls=60)
    dropped, *others = study.ask(3)
    study.abandon(dropped)
    for pull in others:
        study.tell(pull, score(pull))
    driven(study)
    items = study._engine.state.items
    assert np.isnan(items.results[0][0])
    pair = study._engine.comparison.catch_up(study._engine.state, 0, 1)
    assert pair.count == pair.place - 1
    assert dropped.item not in [row.item for row in study.results() if row.arm == dropped.arm]


@pytest.mark.parametrize("workers", [1, 5, 40])
def test_workers_and_losses_leave_each_place_with_one_result(workers):
    study = driven(study_of(max_pulls=250), workers, workers, lost=0.1, abandoned=0.05)
    engine = study._engine
    order = Items(ITEMS).order(0)
    for index, arm in enumerate(SCORES):
        row = engine.state.items.results[index]
        told = {r.item: r.result for r in study.results() if r.arm == arm and r.counted}
        assert all(told[int(order[place])] == value for place, value in enumerate(row) if not np.isnan(value))
        assert engine.state.items.reached[index] == len(row)
    for pair, record in engine.state.items.pairs.items():
        first, second = (engine.state.items.results[arm][: record.place] for arm in divmod(pair, 3))
        values = np.array(first) - np.array(second)
        values = values[~np.isnan(values)]
        assert (record.count, record.total) == (len(values), values.sum())


# --- the end of a list


def test_a_list_that_is_used_up_ends_the_study_with_its_recommendation():
    study = driven(study_of(items=5), workers=4)
    assert study.decided
    assert (study.decision.status, study.decision.arm) == ("undecided", None)
    assert study.pulls <= 15
    assert study.recommendation.answer is not None
    assert study.ask(10) == []


def test_no_arm_is_asked_for_more_items_than_there_are():
    study = study_of(items=2)
    pulls = study.ask(50)
    assert len(pulls) == 6
    assert len(set(pulls)) == len({(pull.arm, pull.item) for pull in pulls}) == 6
    for pull in pulls:
        study.tell(pull, score(pull))
    assert study.decided


def test_an_abandoned_last_item_ends_the_study():
    study = Study(["A", "B"], design="items", items=1)
    first, second = study.ask(2)
    study.tell(first, 1.0)
    study.abandon(second)
    assert study.decided


# --- resuming


def test_a_journal_is_read_to_the_same_bits():
    study = driven(study_of(items=NAMES), 7, 6, lost=0.1, abandoned=0.05)
    again = Study.from_events(study.events)
    assert state_of(again)[1] == state_of(study)[1]
    assert again.decision == study.decision
    pairs, others = (one._engine.state.items.pairs for one in (study, again))
    for pair in others:
        assert differences.log_evidence(pairs[pair], 0.0) == differences.log_evidence(others[pair], 0.0)


@pytest.mark.parametrize("workers", [1, 6])
def test_a_study_goes_on_from_a_snapshot_as_if_it_had_never_stopped(workers):
    study = study_of(items=NAMES, max_pulls=400)
    generator, flying = np.random.default_rng(2), []
    for _ in range(60):
        flying += study.ask(workers)
        generator.shuffle(flying)
        for pull in flying[: len(flying) // 2 + 1]:
            (study.fail(pull, "lost") if generator.random() < 0.1 else study.tell(pull, score(pull)))
        del flying[: len(flying) // 2 + 1]
        if study.decided:
            break
    state = study._replica.state
    kept = snapshot.taken(state, study.position)
    restored = snapshot.restored(study.events[0], kept)
    assert restored is not None
    assert snapshot.taken(restored, study.position).body == kept.body
    before, after = state.engine, restored.engine
    number = state.asked + 1
    from surefoot.study.engine import Wanted

    assert after.hand_out(number, Wanted(9)) == before.hand_out(number, Wanted(9))
    assert [after.item(asked) for asked in after.in_flight.values()] == [
        before.item(asked) for asked in before.in_flight.values()
    ]


def test_a_stored_study_is_opened_again(tmp_path):
    file = tmp_path / "studies.db"
    study = Study.open(file, "s", list(SCORES), design="items", items=NAMES)
    for pull in study.ask(5):
        study.tell(pull, score(pull))
    again = Study.open(file, "s")
    assert again.ask(1) == [pull for pull in again.pending if pull.item in NAMES]
    assert again.results() == study.results()


def test_a_long_list_is_given_again_to_go_on(tmp_path):
    names = [f"question {number}" for number in range(10_050)]
    file = tmp_path / "studies.db"
    Study.open(file, "s", ["A", "B"], design="items", items=names)
    assert Study.open(file, "s", ["A", "B"], design="items", items=names).ask(1)[0].item in names
    opened = Study.open(file, "s")
    with pytest.raises(InvalidValue, match="give the same items when you open the study"):
        opened.ask(1)
    assert len(opened.events) == 2  # nothing was handed out by the refused call
    with pytest.raises(Exception, match="whose items is"):
        Study.open(file, "s", ["A", "B"], design="items", items=names[::-1])


def test_a_journal_with_other_items_is_refused():
    study = driven(study_of(max_pulls=20))
    events = [dict(event) for event in study.events]
    events[3]["items"] = [(events[3]["items"][0] + 1) % ITEMS]
    with pytest.raises(BadJournal, match="its items must be"):
        Study.from_events(events)


def test_pulls_that_another_version_chose_are_taken_as_written():
    study = study_of()
    events = study.events
    time = events[0]["time"]
    order = Items(ITEMS).order(0).tolist()
    chosen = {"type": "asked", "time": time, "pull": 1, "arms": [2, 2, 0], "items": [order[0], order[1], order[0]]}
    again = Study.from_events([*events, chosen])
    assert [(pull.arm, pull.item) for pull in again.pending] == [("C", order[0]), ("C", order[1]), ("A", order[0])]
    for pull in again.pending:
        again.tell(pull, score(pull))
    assert driven(again).decision.arm == "A"


# --- results that nobody asked for


def test_a_result_is_recorded_for_the_next_item_of_its_arm():
    study = study_of()
    order = Items(ITEMS).order(0).tolist()
    study.record("A", 1.0, item=order[0])
    study.record_all([("B", 0.0, order[0]), ("A", 1.0, order[1])])
    assert study.pulls == 3
    with pytest.raises(InvalidValue, match=f"must be one on item {order[2]}, .* got item {order[0]}"):
        study.record("A", 1.0, item=order[0])
    with pytest.raises(InvalidValue, match="got no item"):
        study.record("A", 1.0)
    assert study.pulls == 3
    assert [row.item for row in study.results()] == [order[0], order[0], order[1]]
    with pytest.raises(InvalidValue, match='only with design = "items"'):
        Study(["A", "B"]).record("A", 0.5, item=3)


def test_no_result_is_recorded_beyond_the_list():
    study = Study(["A", "B"], design="items", items=1)
    study.record("A", 1.0, item=0)
    with pytest.raises(InvalidValue, match="was tried on all 1 items"):
        study.record("A", 1.0, item=0)


# --- what people see


def test_what_people_see_goes_by_differences():
    study = study_of()
    for _ in range(12):
        for pull in study.ask():
            study.tell(pull, score(pull))
    assert study.contest[0] == "A"
    assert study.pulls_left > 0
    recommendation = study.recommendation
    assert recommendation.answer == ("A",)
    assert 0 <= recommendation.confidence <= 0.95
    assert recommendation.gap is None or recommendation.gap <= 1
    assert "item" in study.results().heads
    assert list(study.results().to_pandas().columns)[2] == "item"
    assert study.warnings == []


def test_looking_changes_nothing():
    quiet, watched = study_of(), study_of()
    while not quiet.decided:
        for pull in quiet.ask():
            quiet.tell(pull, score(pull))
        for pull in watched.ask():
            watched.tell(pull, score(pull))
        watched.recommendation, watched.table(), watched.pulls_left, watched.decision
    assert [e | {"time": 0} for e in quiet.events] == [e | {"time": 0} for e in watched.events]


def test_an_excluded_leader_gives_the_others_back():
    study = study_of(max_pulls=400)
    while study.contest[0] is None or not any(arm.beaten_by for arm in study._engine.state.arms):
        for pull in study.ask():
            study.tell(pull, score(pull))
    study.set_aside(study.contest[0], "broken")
    driven(study)
    assert study.decision.arm == "B" or study.decision.status == "undecided"


def test_limits_work_as_ever():
    study = study_of(risk="mean >= 0.3", items=ITEMS)
    driven(study)
    assert study.decision.arm == "A"


def test_limits_against_a_baseline_are_kept_in_snapshots():
    limits = {"limits": ["mean >= baseline - 0.05"], "baseline": "B"}
    study = study_of(**limits)
    for _ in range(20):
        for pull in study.ask(4):
            if not study.decided:
                study.tell(pull, score(pull))
    kept = snapshot.taken(study._replica.state, study.position)
    restored = snapshot.restored(study.events[0], kept)
    assert snapshot.taken(restored, study.position).body == kept.body
    driven(study)
    assert study.decision.arm == "A"
    assert Study.from_events(study.events).decision == study.decision


def test_parts_without_a_proof_are_refused_when_a_study_is_made():
    with pytest.raises(Unsupported, match="top-two"):
        study_of(policy="va-lucb")
