"""Items: what is a valid problem on them, their order, and the comparison on common places against a naive one."""

import math

import numpy as np
import pytest

from surefoot import Bernoulli, Beta, Instance, Items, Problem, Uniform, simulate
from surefoot.core import differences, stepping, verdicts
from surefoot.core.answers import best
from surefoot.core.assembly import assemble
from surefoot.core.bounds import tight
from surefoot.core.comparisons import on_items
from surefoot.errors import InvalidValue, Unsupported
from surefoot.problem import choice
from surefoot.problem.kernel_question import question_of
from tests.unit.test_differences import naive

ARMS = {"a": Bernoulli(0.7), "b": Bernoulli(0.6), "c": Beta(mean=0.5, variance=0.05)}


def problem(**fields):
    return Problem(["a", "b", "c"], design="items", **fields)


# --- problems


@pytest.mark.parametrize(
    "items",
    [None, 1438, ["one", "two", "two"], {"count": 3}, Items(correlation=0.5), Items(7, correlation=0.25)],
)
def test_a_problem_on_items_is_read_back_as_it_was_written(items):
    asked = problem(items=items)
    assert Problem.loads(asked.dumps()) == asked
    assert asked.but(delta=0.1).items == asked.items
    assert asked.but(design="independent").items is None


def test_items_of_a_file_are_its_lines_without_blank_ones(tmp_path):
    (tmp_path / "prompts.txt").write_text("first\n\n  second \nfirst\n")
    (tmp_path / "problem.toml").write_text(
        'design = "items"\nrewards = [0, 1]\n[items]\nlist = "prompts.txt"\n[[arms]]\nname = "a"\n'
    )
    items = Problem.load(tmp_path / "problem.toml").items
    assert (items.names, items.count) == (("first", "second", "first"), 3)


def test_a_long_list_is_kept_as_a_digest():
    names = [str(number) for number in range(10_001)]
    read = Problem.loads(problem(items=names).dumps()).items
    assert (read.count, read.names, read.digest) == (10_001, (), problem(items=names).items.digest)
    assert problem(items=names[::-1]).items.digest != read.digest
    with pytest.raises(InvalidValue, match="give the same items when you open the study"):
        read.name(3)


def test_a_problem_without_items_is_written_as_before():
    assert "items" not in Problem(["a", "b"]).dumps()
    assert "design" not in Problem(["a", "b"]).dumps()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"design": "item"}, "design must be one of 'independent', 'items', 'rounds', got 'item'"),
        ({"design": "independent", "items": 3}, 'items go with design = "items", got items and design'),
        ({"items": 0}, "items must be a whole number of at least 1, got 0"),
        ({"items": []}, "a list of items must have at least one, got none"),
        ({"items": ["x", ""]}, "each item of a list must be some text, got ''"),
        ({"items": {"count": 3, "list": ["x"]}}, "got list and count"),
        ({"items": {"finite": True}}, "finite of items needs a list or a count of items: a stream has no end"),
        ({"items": {"cuont": 3}}, "items has no field 'cuont'.*count"),
        ({"items": {"correlation": 2}}, "correlation of items must be in .0, 1., got 2"),
        ({"items": {"list": 7}}, "list of items must be a file with one per line"),
    ],
)
def test_items_that_cannot_be_are_refused(fields, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        Problem(["a", "b"], **({"design": "items"} | fields))


@pytest.mark.parametrize(
    ("asked", "parts", "sentence"),
    [
        ({}, ("va-lucb", "tight"), "policy 'top-two' with bounds 'tight' would work"),
        ({"rewards": "gaussian"}, (), 'design = "items" needs a range for reward'),
    ],
)
def test_what_has_no_proof_is_refused(asked, parts, sentence):
    with pytest.raises(Unsupported, match=sentence):
        choice.program(problem(**asked), *parts)


def test_too_many_arms_are_refused():
    with pytest.raises(Unsupported, match="takes at most 1,000 arms, got 1,001"):
        choice.program(Problem([str(arm) for arm in range(1_001)], design="items"))


# --- the order


def test_the_order_is_a_permutation_drawn_by_the_seed():
    order = Items(1_000).order(7)
    assert sorted(order.tolist()) == list(range(1_000))
    assert order.tolist() == Items(1_000).order(7).tolist() != Items(1_000).order(8).tolist()
    assert order[:5].tolist() == [263, 328, 538, 900, 254]  # journals rely on it
    assert Items().order(7) is None


# --- the budget


@pytest.mark.parametrize("arms", [1, 2, 5, 40, 400])
@pytest.mark.parametrize("risk", [None, "variance <= 0.04", "quantile(0.1) >= 0.2"])
def test_the_budget_on_items_adds_up_to_delta(arms, risk):
    asked = Problem([str(arm) for arm in range(arms)], risk=risk, design="items")
    budget = choice.program(asked).error_budget(question_of(asked))
    limits = sum(limit.infeasible + limit.floor for limit in budget.limits)
    relied_upon = budget.upper if risk == "variance <= 0.04" else 0.0
    others = (arms - 1) * max([budget.pair, *(limit.feasible for limit in budget.limits)])
    if arms > 1:
        assert others + limits + relied_upon == pytest.approx(asked.delta)
    assert all(arms * limit.feasible <= asked.delta * (1 + 1e-9) for limit in budget.limits)


def test_pairs_on_items_have_more_than_pairs_of_independent_arms():
    asked = question_of(problem())
    assert best.on_items(asked).pair > best.by_pairs(asked).pair


# --- the comparison


def state_of(rows, **fields):
    """A state with these results, of each arm in the order of places; None is an item that was left out."""
    asked = Problem([str(arm) for arm in range(len(rows))], design="items", **fields)
    program = choice.program(asked)
    kernels = assemble(stepping, program.parts)
    state = program.start(question_of(asked), packed=False)
    for arm, row in enumerate(rows):
        for value in row:
            if value is None:
                on_items.leave_out(state, arm)
            else:
                kernels.fold(state, arm, (value,))
    return state, kernels


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_evidence_is_on_the_places_that_both_arms_have(margin):
    generator = np.random.default_rng(3)
    first, second = generator.random(50).tolist(), generator.random(70).tolist()
    first[7] = second[20] = None
    state, _ = state_of([first, second])
    values = [one - other for one, other in zip(first, second, strict=False) if None not in (one, other)]
    assert len(values) == 48
    for sign, pair in ((1, (0, 1)), (-1, (1, 0))):
        expected = math.log(naive([sign * value for value in values], margin))
        assert on_items.log_evidence(state, *pair, margin) == pytest.approx(expected, abs=1e-9)


def test_evidence_folded_late_is_the_same_as_evidence_folded_early():
    generator = np.random.default_rng(4)
    first, second = generator.random(40).tolist(), generator.random(40).tolist()
    late, _ = state_of([first, second])
    early, kernels = state_of([first[:1], second[:1]])
    for one, other in zip(first[1:], second[1:], strict=True):
        kernels.fold(early, 0, (one,))
        on_items.log_evidence(early, 0, 1, 0.0)
        kernels.fold(early, 1, (other,))
    assert on_items.log_evidence(early, 0, 1, 0.0) == on_items.log_evidence(late, 0, 1, 0.0)


def test_intervals_of_single_arms_decide_nothing():
    """By their intervals alone the first arm would surpass the second; on the one item they have in common it does not."""
    state, kernels = state_of([[1.0] * 200, [0.0]])
    for _ in range(200):
        state.arms[1].goal.upper = 0.1
    assert state.arms[0].goal.lower > state.arms[1].goal.upper
    ranking = kernels.ranker.rank(state)
    assert kernels.policy.stop(state, ranking, 300).status == verdicts.UNDECIDED


def test_the_leader_is_the_arm_that_is_ahead_on_common_items():
    """The second arm has seen the easy items only, on which it is worse."""
    easy, hard = [1.0, 1.0, 1.0, 1.0], [0.0] * 20
    state, kernels = state_of([[*easy, *hard], [0.9, 0.9, 0.9, 0.9]])
    assert kernels.ranker.rank(state).leader == 1
    kernels.policy.stop(state, kernels.ranker.rank(state), 30)
    assert kernels.policy.stop(state, kernels.ranker.rank(state), 31).status == verdicts.UNDECIDED
    assert state.items.leader[0] == 0
    assert kernels.policy.choose(state, kernels.ranker.rank(state), None) == 1
    assert state.asked[0] == 1  # the one that is behind


def test_an_arm_without_items_left_is_not_pulled():
    state, kernels = state_of([[1.0] * 4, [0.9] * 4, [0.1] * 2], items=4)
    for _ in range(2):
        kernels.policy.stop(state, kernels.ranker.rank(state), 12)
        assert kernels.policy.choose(state, kernels.ranker.rank(state), None) == 1
        assert state.asked[0] == 2
        kernels.fold(state, 2, (0.1,))
    assert kernels.policy.choose(state, kernels.ranker.rank(state), None) == 0


def test_a_pair_is_looked_at_once_more_at_the_end_of_a_list():
    record = on_items.catch_up(state_of([[1.0] * 100, [0.0] * 100], items=101)[0], 0, 1)
    assert differences.log_evidence(record, 0.0) > 10
    state, _ = state_of([[1.0] * 100, [0.0] * 100], items=101)
    on_items.note_look(state, 0, 1)
    assert not on_items.has_news(state, 0, 1)
    for arm in (0, 1):
        on_items.put(state, arm, 0.5)
    assert on_items.has_news(state, 0, 1)
    on_items.note_look(state, 0, 1)
    assert not on_items.has_news(state, 0, 1)


# --- limits against a baseline

AGAINST = ["mean(y) <= 1.5 * baseline + 0.1", "probability(x > 0.5) >= baseline - 0.2"]
TWO = {"metrics": {"x": (0, 1), "y": (0, 1)}, "goal": "max mean(x)", "limits": AGAINST, "baseline": "0"}


def naive_of(values, shift, x):
    """docs/items.md: a weighted mean over bets of products of (1 + b (shift + D))/(1 + b x)."""
    return sum(
        math.exp(weight) * math.prod((1 + b * (shift + value)) / (1 + b * x) for value in values)
        for weight, b in zip(tight.LOG_WEIGHTS, tight.BETS, strict=True)
    )


def test_limits_against_the_baseline_are_decided_by_differences():
    generator = np.random.default_rng(8)
    asked = Problem(["0", "1"], design="items", **TWO)
    program = choice.program(asked)
    kernels, state = assemble(stepping, program.parts), program.start(question_of(asked), packed=False)
    rows = generator.random((2, 30, 2)).tolist()
    rows[1] = rows[1][:25]
    for arm, pulls in enumerate(rows):
        for place, pull in enumerate(pulls):
            if (arm, place) == (1, 3):
                kernels.folding.leave_out(state, arm)
            else:
                kernels.fold(state, arm, tuple(pull))
    program.baseline.refresh(state, state.arms, 1)
    common = [(rows[1][place], rows[0][place]) for place in range(25) if place != 3]
    y = [one[1] - 1.5 * other[1] for one, other in common]
    x = [(one[0] > 0.5) - float(other[0] > 0.5) for one, other in common]
    own = state.arms[1].limit
    assert own.kept[0] == pytest.approx(math.log(naive_of([-value for value in y], 1.0, 1.0 - 0.1)), abs=1e-8)
    assert own.broken[0] == pytest.approx(math.log(naive_of(y, 1.5, 1.5 + 0.1)), abs=1e-8)
    assert own.kept[1] == pytest.approx(math.log(naive_of(x, 1.0, 1.0 - 0.2)), abs=1e-8)
    assert own.broken[1] == pytest.approx(math.log(naive_of([-value for value in x], 1.0, 1.0 + 0.2)), abs=1e-8)


@pytest.mark.long
def test_limits_against_the_baseline_are_the_same_compiled_and_interpreted():
    arms = {
        name: {"x": Bernoulli(p), "y": Beta(mean=q, variance=0.02)}
        for name, p, q in [("0", 0.6, 0.3), ("1", 0.75, 0.3), ("2", 0.8, 0.75)]
    }
    instance = Instance(arms, design="items", items=Items(correlation=0.7), **TWO)
    assert instance.right_answers == ("1",)
    compiled = simulate(instance, trials=8, max_pulls=5_000, progress=False)
    assert compiled.decisions()["best"] == {"1": 8}
    interpreted = simulate(instance, trials=2, max_pulls=5_000, engine="interpreted", progress=False)
    assert compiled.runs[:2] == interpreted.runs


# --- simulations


def test_compiled_and_interpreted_runs_are_the_same(tmp_path):
    rows = np.random.default_rng(5).random((60, 1)) * 0.6 + np.random.default_rng(6).random((60, 3)) * 0.3
    lines = [",".join(map(str, row)) for row in np.add(rows, [0.1, 0.05, 0.0])]
    (tmp_path / "scores.csv").write_text("\n".join(["a,b,c", *lines]))
    table = Problem(["a", "b", "c"], design="items", items={"data": str(tmp_path / "scores.csv")})
    mixed = {"a": Bernoulli(0.6), "b": Beta(mean=0.5, variance=0.05), "c": Uniform(0.2, 0.6)}
    several = {name: {"x": mixed[name], "y": Bernoulli(p)} for name, p in [("a", 0.1), ("b", 0.5), ("c", 0.1)]}
    limits = {"limits": ["variance(x) <= 0.2", "mean(y) <= 0.3"], "goal": "max mean(x)", "tolerance": 0.02}
    instances = [
        Instance(table),
        Instance(mixed, design="items", items=Items(correlation=0.8)),
        Instance(several, design="items", items=Items(correlation=0.5), metrics={"x": (0, 1), "y": "binary"}, **limits),
        Instance({"a": Bernoulli(0.5), "b": Bernoulli(0.5)}, design="items", items=Items(40)),
    ]
    for instance in instances:
        runs = [
            simulate(instance, trials=3, engine=engine, max_pulls=1_500, progress=False).runs
            for engine in ("compiled", "interpreted")
        ]
        assert runs[0] == runs[1]


@pytest.mark.parametrize("items", [Items(40), Items()])
def test_lists_and_streams_are_numbers_of_one_type_to_a_compiled_program(items):
    """Each type would be compiled by itself."""
    asked = problem(items=items)
    assert type(choice.program(asked).start(question_of(asked), packed=True).items.last) is float


def test_more_results_than_there_was_room_for_are_kept(monkeypatch):
    instance = Instance(ARMS, design="items", items=Items(correlation=0.5))
    monkeypatch.setattr(on_items, "ROOM", 8)
    small = simulate(instance, trials=3)
    monkeypatch.undo()
    assert small.runs == simulate(instance, trials=3).runs
    assert min(run.pulls for run in small.runs) > 40


def test_a_list_that_is_used_up_ends_undecided_with_a_recommendation():
    arms = {"a": Bernoulli(0.5), "b": Bernoulli(0.5), "c": Bernoulli(0.5)}
    sweep = simulate(Instance(arms, design="items", items=30), trials=5, progress=False)
    assert all(run.status == verdicts.UNDECIDED and run.pulls <= 90 and run.recommended >= 0 for run in sweep.runs)


def test_correlated_arms_take_fewer_pulls():
    means = {
        correlation: simulate(
            Instance(ARMS, design="items", items=Items(correlation=correlation)), trials=60, progress=False
        ).summary()["pulls"]["mean"]
        for correlation in (0.0, 0.8)
    }
    assert means[0.8] < 0.6 * means[0.0]


@pytest.mark.parametrize("correlation", [0.0, 0.7, 1.0])
def test_simulated_arms_keep_their_distributions(correlation):
    """Each arm by itself is drawn from its own distribution, whatever the correlation; with 1 equal arms are equal."""
    arms = ARMS | {"d": Bernoulli(0.7)}
    instance = Instance(arms, design="items", items=Items(correlation=correlation))
    from surefoot.simulation import item_draws

    draws, generator = item_draws.fresh(instance.draws(), 4_000), np.random.default_rng(1)
    rows = np.array(
        [[item_draws.draw_or_take(draws[0], arm, place, generator) for arm in range(4)] for place in range(4_000)]
    )
    for column, distribution in zip(rows.T, instance.distributions, strict=True):
        assert abs(column.mean() - distribution.mean) < 5 * math.sqrt(distribution.variance / 4_000)
        assert column.var() == pytest.approx(distribution.variance, rel=0.1)
    assert (rows[:, 0] == rows[:, 3]).all() == (correlation == 1.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,0\n,1\n", "must have a number in each cell, got none in row 2 of 'a'"),
        ("a,c\n1,0\n", "must have a column 'b', got a, c"),
        ("a,b\n1,7\n", "column 'b' of .* must be"),
        ("a,b\n", "must be a whole number of at least 1|must have a row for each item"),
    ],
)
def test_a_table_that_cannot_be_is_refused(tmp_path, text, sentence):
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(InvalidValue, match=sentence):
        Instance(Problem(["a", "b"], design="items", items={"data": str(tmp_path / "scores.csv")}))


def test_a_table_has_a_column_for_each_arm_and_metric(tmp_path):
    (tmp_path / "scores.csv").write_text("a:x,a:y,b:x,b:y\n1,0.5,0,0.25\n1,0.5,1,0.75\n")
    metrics = {"x": "binary", "y": (0, 1)}
    asked = Problem(
        ["a", "b"], design="items", items={"data": str(tmp_path / "scores.csv")}, metrics=metrics, goal="max mean(y)"
    )
    assert asked.items.count == 2
    instance = Instance(asked)
    assert [arm.mean for arm in instance.distributions] == [0.5, 0.5]
    assert instance.of(instance.sources[1], "x").mean == 0.5


def test_what_is_claimed_of_items_is_written_and_read():
    for claim in ("finite", "replacement"):
        problem = Problem(["a", "b"], design="items", items=["x", "y"], **{claim: True})
        assert getattr(problem.items, claim)
        assert Problem.loads(problem.dumps()) == problem
        assert getattr(Problem(["a", "b"], design="items", items={"count": 3, claim: True}).items, claim)
    for fields, sentence in (
        ({"items": 3, "finite": True, "replacement": True}, "finite or drawn with replacement, got both"),
        ({"items": {"count": 3, "finite": 1.5}}, "finite of items must be true or false, got 1.5"),
        ({"replacement": True}, "replacement of items needs a list or a count"),
    ):
        with pytest.raises(InvalidValue, match=sentence):
            Problem(["a", "b"], design="items", **fields)
    with pytest.raises(InvalidValue, match='finite goes with design = "items"'):
        Problem(["a", "b"], finite=True)


@pytest.mark.parametrize("limit", ["cvar(0.1, score) >= 0.2", "mean(speed) <= 3"])
def test_what_has_no_proof_for_lists_is_refused(limit):
    metrics = {"score": (0, 1), "speed": "gaussian"}
    given = {"metrics": metrics, "goal": "max mean(score)", "limits": [limit]}
    problem = Problem(["a", "b"], design="items", items=5, finite=True, **given)
    with pytest.raises(Unsupported, match="cannot be decided on a finite list, for "):
        choice.program(problem)
