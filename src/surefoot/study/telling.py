"""Results of pulls that were asked for: all are checked before any takes effect."""

from collections.abc import Sequence

from surefoot.problem.metrics import Result
from surefoot.storage import Event
from surefoot.study.failed import Failed
from surefoot.study.pull import Pull, is_new, known
from surefoot.study.replica import Transaction


def tell(transaction: Transaction, results: Sequence[tuple[Pull | int, Result | Failed]]) -> None:
    state, fresh = transaction.state, dict[int, Event]()
    for pull, result in results:
        identity, arm, endings = known(pull, transaction.turn, state)
        outcome = state.outcome(result, arm)
        if identity in fresh:
            endings = [*endings, fresh[identity]]
        if is_new(identity, outcome, endings):
            fresh[identity] = outcome
    for identity, outcome in fresh.items():
        late = {} if state.counts(identity) else {"late": True}
        transaction.happen(outcome.pop("type"), pull=identity, **outcome, **late)
