"""Whole studies on finite lists: exact over all orders, exact at the end, with holes, and resumed."""

import itertools

import numpy as np
import pytest

from surefoot import Study
from surefoot.core import verdicts
from surefoot.problem import Problem
from surefoot.study import snapshot
from surefoot.study.engine import Engine, Wanted
from surefoot.study.views.study_progress import StudyDisplay
from tests.statistical.binomial import too_many

NAMES = ("A", "B", "C")


def problem_of(table, **fields):
    items, arms = np.shape(table)
    return Problem(NAMES[:arms], design="items", items=items, finite=True, **fields)


def ended(problem, table, order, lost=()):
    """The engine of a study whose items came in this order, at its end; pulls of these cells are abandoned."""
    engine = Engine(problem, "top-two", "tight", seed=0)
    engine.order = np.array(order)
    number = 1
    while not engine.finished:
        for arm in engine.hand_out(number, Wanted(1)):
            item = engine.item(engine.queues.in_flight[number])
            if (item, arm) in lost:
                engine.abandon(number)
            else:
                engine.tell(number, (float(table[item][arm]),))
            number += 1
    return engine


def orders(table):
    """Every order of the items in which they differ, and how likely it is."""
    rows = [tuple(row) for row in table]
    found = {}
    for order in itertools.permutations(range(len(rows))):
        found.setdefault(tuple(rows[item] for item in order), []).append(order)
    total = sum(map(len, found.values()))
    return [(same[0], len(same) / total) for same in found.values()]


def right(problem, table, status, arm):
    """Is this the answer of the whole table, up to the tolerance?"""
    means = np.mean(table, axis=0)
    kept = [all(limit_kept(limit, column) for limit in problem.limits) for column in np.transpose(table)]
    if not any(kept):
        return status == verdicts.NO_ARM
    best = max(mean for mean, keeps in zip(means, kept, strict=True) if keeps)
    return status == verdicts.BEST and kept[arm] and means[arm] >= best - problem.tolerance - 1e-9


def limit_kept(limit, column):
    text, bound = str(limit).split("=")[0], limit.risk.bound
    if "variance" in text:
        return np.var(column) <= bound + 1e-9
    if "probability" in text:
        return np.mean(np.array(column) < 0.5) <= bound + 1e-9
    return np.mean(column) >= bound - 1e-9


TABLES = {
    "one item": [[1, 0]],
    "two items, a tie": [[1, 0], [0, 1]],
    "a tie": [[1, 0], [0, 1], [1, 0], [0, 1], [1, 1], [0, 0]],
    "one item apart": [[1, 0], [0, 1], [0, 1], [1, 1], [0, 0], [0, 0], [1, 0]],
    "seven items": [[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [0, 0], [1, 1]],
    "scores": [[0.5, 0.2], [0.1, 0.9], [0.4, 0.4], [0.3, 0.6], [0.9, 0.1]],
    "three arms": [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]],
    "three that tie": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


@pytest.mark.parametrize("delta", [0.5, 0.05])
@pytest.mark.parametrize("tolerance", [0.0, 0.15])
@pytest.mark.parametrize("name", TABLES)
def test_an_answer_is_wrong_in_no_more_orders_than_delta_allows(name, tolerance, delta):
    problem, wrong = problem_of(TABLES[name], tolerance=tolerance, delta=delta), 0.0
    for order, chance in orders(TABLES[name]):
        engine = ended(problem, TABLES[name], order)
        assert engine.status != verdicts.UNDECIDED  # the answer always comes
        wrong += chance * (not right(problem, TABLES[name], engine.status, engine.best))
    assert wrong <= delta + 1e-12


@pytest.mark.parametrize("delta", [0.5, 0.1])
@pytest.mark.parametrize(
    "risk",
    [
        "variance <= 0.2",
        "variance <= 0.1",
        "probability(reward < 0.5) <= 0.4",
        "mean >= 0.5",
        "probability(reward < 0.5) <= 0.2",
    ],
)
@pytest.mark.parametrize("name", ["a tie", "scores", "three arms"])
def test_so_it_is_with_a_limit(name, risk, delta):
    limited = {"limits": [risk.replace("mean", "mean(reward)")]} if "mean" in risk else {"risk": risk}
    problem, wrong = problem_of(TABLES[name], delta=delta, **limited), 0.0
    for order, chance in orders(TABLES[name]):
        engine = ended(problem, TABLES[name], order)
        assert engine.status != verdicts.UNDECIDED
        wrong += chance * (not right(problem, TABLES[name], engine.status, engine.best))
    assert wrong <= delta + 1e-12


def test_with_next_to_no_delta_every_order_gives_the_answer_of_the_table():
    """Then only what is certain decides."""
    for table in TABLES.values():
        for tolerance in (0.0, 0.15):
            problem = problem_of(table, tolerance=tolerance, delta=1e-90)
            for order, _ in orders(table):
                engine = ended(problem, table, order)
                assert right(problem, table, engine.status, engine.best)


def test_an_item_that_was_given_up_stays_unknown_within_its_range():
    """It decides nothing: the study ends undecided if it could have, and decides if it could not."""
    table = [[1, 0.5], [1, 0], [0, 0], [0, 1]]
    problem = problem_of(table, delta=1e-90)
    close = ended(problem, table, range(4), lost={(0, 0)})
    assert (close.status, close.finished) == (verdicts.UNDECIDED, True)
    clear = ended(problem, [[1, 0], [1, 0], [1, 0], [1, 1]], range(4), lost={(0, 0)})
    assert (clear.status, clear.best) == (verdicts.BEST, 0)


def test_a_list_that_misses_cells_at_random_is_told_wrongly_no_more_often_than_allowed():
    generator, wrong, runs = np.random.default_rng(4), 0, 300
    table = [[1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [1, 1], [0, 0], [1, 1]]  # B is better, by one item
    problem = problem_of(table, delta=0.3)
    for _ in range(runs):
        lost = {(item, arm) for item in range(8) for arm in range(2) if generator.random() < 0.2}
        engine = ended(problem, table, generator.permutation(8), lost)
        wrong += engine.status == verdicts.BEST and engine.best == 0
    assert not too_many(wrong, runs, 0.3)


def study_of(table, where=None, **fields):
    given = {"design": "items", "items": len(table), "finite": True, **fields}
    names = NAMES[: len(table[0])]
    return Study.open(where, "list", names, **given) if where else Study(names, **given)


def test_a_study_on_a_list_always_answers(tmp_path):
    """Live, resumed at each pull, and with several pulls in flight."""
    generator = np.random.default_rng(2)
    table = (generator.random((40, 3)) < [0.5, 0.6, 0.62]).astype(float)
    best = NAMES[int(np.argmax(table.mean(axis=0)))]
    live, kept = study_of(table, seed=3, delta=1e-60), study_of(table, tmp_path / "kept.db", seed=3, delta=1e-60)
    while not live.decided:
        for pull, same in zip(live.ask(4), kept.ask(4), strict=True):
            assert (pull.arm, pull.item) == (same.arm, same.item)
            result = table[pull.item][NAMES.index(pull.arm)]
            live.tell(pull, result)
            kept.tell(same, result)
        kept = Study.open(tmp_path / "kept.db", "list")
    assert (live.decision.arm, kept.decision.arm) == (best, best)
    assert str(live.decision) == str(kept.decision)


def test_items_of_a_finite_list_are_given_once_and_with_replacement_more_often():
    for fields, most in (({"finite": True}, 1), ({"replacement": True}, None)):
        study = Study(["A", "B"], design="items", items=["x", "y", "z"], delta=1e-30, **fields)
        seen = []
        for _ in range(12):
            for pull in study.ask():
                seen.append((pull.arm, pull.item))
                study.tell(pull, 0.5)
        counts = [seen.count(cell) for cell in set(seen)]
        assert {item for _, item in seen} == {"x", "y", "z"}
        if most:
            assert (len(seen), max(counts)) == (6, 1)
            assert study.decided
        else:
            assert max(counts) > 1
            by_arm = [[item for arm, item in seen if arm == name] for name in ("A", "B")]
            shorter = min(map(len, by_arm))
            assert by_arm[0][:shorter] == by_arm[1][:shorter]  # one order for both
            assert not study.decided


def test_a_study_on_a_list_goes_on_from_a_snapshot_as_if_it_had_never_stopped():
    generator = np.random.default_rng(9)
    table = (generator.random((60, 3)) < [0.5, 0.6, 0.62]).astype(float)
    study = study_of(table, tolerance=0.01, risk="variance <= 0.245")
    for _ in range(40):
        for pull in study.ask(2):
            study.tell(pull, table[pull.item][NAMES.index(pull.arm)])
    state = study._replica.state
    kept = snapshot.taken(state, study.position)
    restored = snapshot.restored(study.events[0], kept)
    assert restored is not None
    assert snapshot.taken(restored, study.position).body == kept.body
    number = state.asked + 1
    while not state.engine.finished:
        arms = [engine.hand_out(number, Wanted(1)) for engine in (state.engine, restored.engine)]
        assert arms[0] == arms[1] != []
        for engine in (state.engine, restored.engine):
            item = engine.item(engine.in_flight[number])
            engine.tell(number, (float(table[item][arms[0][0]]),))
        number += 1
    assert (restored.engine.status, restored.engine.best) == (state.engine.status, state.engine.best)


def test_a_tie_is_said_as_a_tie_and_one_item_as_one():
    def played(table):
        study = study_of(table, delta=1e-30)
        while not study.decided:
            for pull in study.ask():
                study.tell(pull, table[pull.item][NAMES.index(pull.arm)])
        return study

    tie = played([[0.5, 0.5]] * 3)
    assert "Every other arm surely has no better mean (the nearest is B, whose mean is the same on the 3 items" in str(
        tie.decision
    )
    assert "lower" not in str(tie.table())
    one = played([[1.0, 0.0]])
    assert "on the 1 item that both were tried on" in str(one.decision)
    assert "100 % of one trial of each arm on this one item" in str(one.decision)


def test_progress_shows_items_done_of_all():
    study = study_of([[1.0, 0.0]] * 1_200, delta=1e-90)
    for pull in study.ask(2):
        study.tell(pull, 0.5)
    assert "1 of 1,200 items" in StudyDisplay(shown=False).heading(study)
