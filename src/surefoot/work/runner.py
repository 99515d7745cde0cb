"""Make the pulls that a study asks for, several at once, until it is decided, spent or told to stop."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Protocol, TypeAlias

from surefoot.errors import Conflict, InvalidValue, whole
from surefoot.problem.metrics import Result
from surefoot.study import Pull, Study
from surefoot.work.measures import Measure, NotStarted, PullFailed

WORKER = "surefoot run"  # noted in the journal beside each pull
BEAT = 20.0  # seconds between words that pulls are still being made

Outcome: TypeAlias = Result | PullFailed
Made: TypeAlias = tuple[Pull, Outcome | BaseException]  # what a thread brings of a pull; an exception ends the program


@dataclass(frozen=True, slots=True)
class Effort:
    """How many pulls at once, how often to try one again, up to how many pulls in all."""

    workers: int = 1
    retries: int = 2
    max_pulls: int | None = None

    def __post_init__(self) -> None:
        whole("workers", self.workers, at_least=1)
        whole("retries", self.retries, at_least=0)
        if self.max_pulls is not None:
            whole("max-pulls", self.max_pulls, at_least=1)


def shown(result: Result) -> str:
    """A result in a sentence."""
    if isinstance(result, Mapping):
        return ", ".join(f"{name} {value:g}" for name, value in result.items())
    return f"{result:g}"


class Measured(Protocol):
    """How pulls are made."""

    @property
    def of(self) -> Mapping[str, Measure]:
        """By the arm's name."""

    def stop(self) -> None:
        """End those that are being made."""


class Runner:
    """Each pull that is being made has a thread, which then makes another. A pull that fails counts as the problem's
    `failure`; or another takes its place, and if that has happened too often in a row, its arm is excluded, and the others
    go on.
    """

    def __init__(
        self,
        study: Study,
        measures: Measured,
        effort: Effort,
        watch: Callable[[Study], None] = lambda study: None,
        note: Callable[[str], None] = lambda text: None,
        keep_lock: Callable[[], None] = lambda: None,
        worker: str = WORKER,
    ) -> None:
        self.study, self.measures, self.watch, self.note, self.keep_lock = study, measures, watch, note, keep_lock
        self.worker = worker
        self.workers, self.retries, self.max_pulls = effort.workers, effort.retries, effort.max_pulls
        self.running: dict[int, Pull] = {}
        self.threads = 0
        self.to_make: SimpleQueue[Pull | None] = SimpleQueue()  # None: a thread may end
        self.failed_in_a_row: Counter[str] = Counter()  # pulls of each arm, since one brought a result
        self.results: SimpleQueue[Made | None] = SimpleQueue()  # None: wake up
        self.stopping = False

    def interrupt(self) -> None:
        """Finish the pulls that are running; the second time, stop at once. For a signal's handler."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        self.results.put(None)

    def make(self, left_over: list[Pull]) -> None:
        """Make pulls, first those left over by a run that was cut off."""
        try:
            for pull in left_over:
                self.start(pull)
            self.exchange([])
            while self.study_goes_on() or self.running:
                self.exchange(self.next_results())
                self.watch(self.study)
        finally:
            self.measures.stop()
            for _ in range(self.threads):
                self.to_make.put(None)

    @property
    def spent(self) -> bool:
        """Has the study as many pulls as this run may bring it to?"""
        return self.max_pulls is not None and self.study.spent >= self.max_pulls

    def study_goes_on(self) -> bool:
        return not (self.stopping or self.study.decided or self.spent)

    def asked(self) -> list[Pull]:
        """Pulls for the workers that are free."""
        free = self.workers - len(self.running)
        if self.max_pulls is not None:
            free = min(free, self.max_pulls - self.study.spent)
        return self.study.ask(free, worker=self.worker) if free > 0 and self.study_goes_on() else []

    def start(self, pull: Pull) -> None:
        """Give a pull to a thread that is free: to begin a thread takes longer than many a pull."""
        self.running[pull.id] = pull
        if self.threads < len(self.running):
            self.threads += 1
            threading.Thread(target=self.make_pulls, daemon=True).start()  # when the program ends, nobody waits for it
        self.to_make.put(pull)

    def make_pulls(self) -> None:
        """What a thread does."""
        while pull := self.to_make.get():
            self.attempt(pull)

    def attempt(self, pull: Pull) -> None:
        """Make a pull, in its thread."""
        outcome: Outcome | BaseException
        try:
            outcome = self.measures.of[pull.arm](pull.id, pull.item)
        except PullFailed as error:
            outcome = error
        except Exception as error:  # a thread that dies in silence would be waited for
            outcome = PullFailed(f"{type(error).__name__}: {error}")
        except BaseException as error:  # that ends the program
            outcome = error
        self.results.put((pull, outcome))

    def exchange(self, results: list[Made]) -> None:
        """Tell results and ask for further pulls, by one commit; then begin these."""
        told = [(pull, it) for pull, it in results if isinstance(it, PullFailed) or not isinstance(it, BaseException)]
        ends = [it for _, it in results if isinstance(it, BaseException) and not isinstance(it, PullFailed)]
        pulls, is_ours = list[Pull](), False
        try:
            self.keep_lock()
            is_ours = True
        finally:  # what was measured is told, even if another run has begun
            with self.study.together():
                for pull, outcome in told:
                    self.tell(pull, outcome)
                if is_ours and not ends:
                    pulls = self.asked()
        for end in ends:
            raise end
        for pull in pulls:
            self.start(pull)

    def next_results(self) -> list[Made]:
        """Wait for a result, and take all there are. With nothing running here, others have what is missing."""
        results: list[Made] = []
        try:
            result = self.results.get(timeout=BEAT if self.running else 0.2)
        except Empty:
            self.study.heartbeat_all(list(self.running.values()))
            return results
        with suppress(Empty):
            while True:
                if result:
                    results.append(result)
                elif self.running:
                    self.note("the running pulls will finish; Ctrl-C again stops at once")
                result = self.results.get_nowait()
        return results

    def tell(self, pull: Pull, outcome: Outcome) -> None:
        try:
            if isinstance(outcome, PullFailed):
                self.fail(pull, outcome)
            else:
                self.study.tell(pull, outcome)
                self.failed_in_a_row.pop(pull.arm, None)
        except InvalidValue as error:  # never tried again: that would choose among rewards
            self.exclude(pull.arm, str(error)[:200])
        except Conflict:  # its arm was excluded, or another run told it
            pass
        del self.running[pull.id]

    def fail(self, pull: Pull, outcome: PullFailed) -> None:
        failure, why = self.study.problem.failure, str(outcome)
        if failure is None:
            self.failed_in_a_row[pull.arm] += 1
            given_up, then = self.failed_in_a_row[pull.arm] > self.retries, "is tried again"
        else:
            given_up, then = isinstance(outcome, NotStarted), f"counts as {shown(failure)}"
        if given_up:
            self.exclude(pull.arm, why)
        else:
            self.study.fail(pull, why)
            self.note(f"{pull.arm}: pull {pull.id} failed and {then}: {why}")

    def exclude(self, arm: str, why: str) -> None:
        if arm not in self.study.aside:
            self.study.set_aside(arm, why)
            self.note(f"{arm} is excluded: {why}")
