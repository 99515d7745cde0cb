"""Find the best of callables that measure the arms: a study of them, driven to its decision."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from surefoot.errors import Interrupted, InvalidValue, MeasureFailed, SurefootError, no_result
from surefoot.problem.fields import Limits, Metrics, Rewards
from surefoot.problem.items import GivenItems
from surefoot.problem.metrics import Result
from surefoot.problem.risks import Risk
from surefoot.storage import Where, connect
from surefoot.study import Pull, Study
from surefoot.study.views.study_progress import StudyDisplay
from surefoot.work.measures import Item, Measure, PullFailed
from surefoot.work.runner import Effort, Runner

WORKER = "find_best"  # noted in the journal beside each pull


def find_best(
    measures: Mapping[str, Callable[..., Result]],
    *,
    risk: Risk | str | None = None,
    rewards: Rewards | None = None,
    goal: str | None = None,
    delta: float | None = None,
    tolerance: float | None = None,
    risk_slack: float | None = None,
    max_pulls: int | None = None,
    failure: Result | None = None,
    metrics: Metrics | None = None,
    limits: Limits | None = None,
    baseline: str | None = None,
    design: str | None = None,
    items: GivenItems | None = None,
    finite: bool | None = None,
    replacement: bool | None = None,
    policy: str | None = None,
    bounds: str | None = None,
    seed: int = 0,
    lease: float | None = None,
    workers: int = 1,
    retries: int = 2,
    storage: Where | None = None,
    name: str | None = None,
    progress: bool | None = None,
    watch: Callable[[Study], None] | None = None,
) -> Study:
    """Call the measures until there is a decision, and return the study.

    A pull fails if its call raises an exception or returns no number (None, NaN or text). It is then tried again; after
    `retries` more failures in a row its arm is excluded, and the decision says so. If `failure` is given, a failed pull
    counts as that instead. A number outside the range excludes its arm at once. If every arm is excluded, `MeasureFailed`
    is raised; Ctrl-C raises `Interrupted`. Both say where the study is.

    :param measures: for each arm, by its name, a function that makes one pull and returns its result. With
        `design="items"` it is called with the item.
    :param risk: the limit that the answer must keep, such as `Variance(at_most=0.04)` or `"variance <= 0.04"`.
    :param rewards: what every result is known to be: `(low, high)`, `"binary"`, `"gaussian"` or `SubGaussian(sigma)`.
    :param goal: `"max"`: the largest mean is the best; or `"min"`. Of several metrics: `"max mean(accuracy)"`.
    :param delta: the probability of a wrong decision that you accept.
    :param tolerance: the smallest difference of means that you care about.
    :param risk_slack: by how much the answer may exceed the limit.
    :param max_pulls: the study ends after so many pulls, decided or not. None: it goes on until it is decided.
    :param failure: what a failed pull counts as: a number, or a number per metric. None: another pull takes its place.
    :param metrics: if a pull returns several numbers, what is known of each: `{"accuracy": (0, 1), "latency": "any"}`.
    :param limits: several limits, all of which must be kept: `["quantile(0.95, latency) <= 2", "mean(cost) <= 3"]`.
    :param baseline: the arm that limits such as `"mean(cost) <= 1.02 * baseline"` compare the others with.
    :param design: `"independent"`; `"items"`: all arms are tried on the same items; `"rounds"`: they are tried together.
    :param items: the items: their number, or a list of texts. None: an endless stream 0, 1, 2, …
    :param finite: is the question about exactly these items, each tried once by each arm? Else they are a sample.
    :param replacement: are items drawn with replacement? For expected results, where a second trial would differ.
    :param policy: the rule that chooses the arms to pull. None: the one that needs the fewest pulls.
    :param bounds: the family of confidence bounds. None: the one that needs the fewest pulls.
    :param seed: the seed of the random choices that a policy makes.
    :param lease: seconds within which a pull must be told; else another one takes its place. None: no such limit.
    :param workers: how many calls are made at once, each in a thread.
    :param retries: how many more failures in a row are allowed before the arm is excluded.
    :param storage: where the study is kept: a file, `sqlite:///file.db`, `postgresql://user@host/database`. None: in memory.
        The same call resumes a study that is kept; without a lease, only one process may do so at a time.
    :param name: the name of the study there.
    :param progress: show the progress? None: only in a terminal or a notebook.
    :param watch: a function that is called with the study after each result.

    >>> from surefoot import find_best
    >>> study = find_best({"A": lambda: 0.2, "B": lambda: 0.7}, risk="variance <= 0.04", rewards=(0, 1))
    >>> study.decision.arm
    'B'
    """
    check(measures, storage, name)
    effort = Effort(workers, retries)
    kept = connect("memory://" if storage is None else storage)
    study = Study.open(
        kept,
        name or WORKER,
        list(measures),
        risk=risk,
        rewards=rewards,
        goal=goal,
        delta=delta,
        tolerance=tolerance,
        risk_slack=risk_slack,
        max_pulls=max_pulls,
        failure=failure,
        metrics=metrics,
        limits=limits,
        baseline=baseline,
        design=design,
        items=items,
        finite=finite,
        replacement=replacement,
        policy=policy,
        bounds=bounds,
        seed=seed,
        lease=lease,
    )
    named = dict(zip(study.problem.names, measures.values(), strict=True))
    calls, place = Calls(named, on_items=study.problem.has_items), Place(kept.url, name)
    with StudyDisplay(progress, begun=study.pulls) as display:

        def seen(study: Study) -> None:
            display(study)
            if watch:
                watch(study)

        note = quiet if progress is False else display.note
        runner = Runner(study, calls, effort, seen, note, worker=WORKER)
        run(
            runner,
            place,
            left_over=[] if lease else [pull for pull in study.pending if study.worker_of(pull) == WORKER],
        )
    if len(study.aside) == len(study.problem.arms):
        arm, why = next(iter(study.aside.items()))
        message = f"no arm could be measured: measuring arm {arm!r} failed: {why}."
        raise MeasureFailed(f"{message} {place.of_excluded}", study) from calls.last
    return study


def check(measures: object, storage: Where | None, name: str | None) -> None:
    """Refuse what cannot be measured or kept."""
    if not isinstance(measures, Mapping) or not all(map(callable, measures.values())):
        raise InvalidValue("measures must be a mapping of names to callables, such as {'A': measure_a, 'B': measure_b}")
    if (storage is None) != (name is None):
        got = "a name and no storage" if storage is None else "a storage and no name"
        raise InvalidValue(f"storage and name must be given together, got {got}")


def run(runner: Runner, place: "Place", left_over: list[Pull]) -> None:
    """Make the pulls; whatever is raised meanwhile says where the study is."""
    study = runner.study
    try:
        runner.make(left_over)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted after {study.pulls} pulls. {place.of_interrupted}", study, study) from None
    except BaseException as error:  # also of `watch`, and what a call ends the program with
        error.add_note(place.of_failed)
        raise
    finally:
        with suppress(SurefootError):  # what went wrong before is what matters
            for pull in list(runner.running.values()):
                study.abandon(pull)


class Place:
    """Where a study is, for errors to say: in a storage if it has a name."""

    def __init__(self, url: str, name: str | None) -> None:
        opened = f"Study.open({url!r}, {name!r}) opens the study"
        kept, in_error = name is not None, "The study is in memory only: `study` of this error has it."
        goes_on = f"{opened}, and the same call of find_best resumes it."
        self.of_interrupted = goes_on if kept else in_error
        self.of_failed = goes_on if kept else "The study was in memory only."
        excluded = f"{opened}. Its arms stay excluded: begin another study with another name."
        self.of_excluded = excluded if kept else in_error


class Calls:
    """Callables as the measures of a run."""

    def __init__(self, measures: Mapping[str, Callable[..., Result]], on_items: bool = False) -> None:
        self.on_items = on_items
        self.of = {name: self.measure(call) for name, call in measures.items()}
        self.last: Exception | None = None  # that one of them raised

    def measure(self, call: Callable[..., Result]) -> Measure:
        def made(pull: int, item: Item = None) -> Result:
            try:
                result = call(item) if self.on_items else call()
            except Exception as error:
                self.last = error
                raise PullFailed(f"{type(error).__name__}: {error}") from error
            if why := no_result(result):
                raise PullFailed(f"its result {why}")
            return result

        return made

    def stop(self) -> None:
        """Calls that run end by themselves; nobody waits for them."""


def quiet(text: str) -> None:
    """Say nothing."""
