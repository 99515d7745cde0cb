"""The order in which results count, whatever the order they are told in."""

import math

import pytest

from surefoot.study.queues import Queues


def handed_out(*arms):
    queues = Queues()
    queues.choose(list(arms), step=1)
    for number in range(1, len(arms) + 1):
        queues.hand_out(number, queues.chosen.popleft())
    return queues


def taken(queues, arm):
    results = []
    while asked := queues.next_told(arm):
        results.append((asked.number, asked.results))
    return results


def test_a_result_waits_for_the_pulls_before_it():
    queues = handed_out(0, 0, 1, 0)
    queues.tell(2, (0.2,))
    queues.tell(3, (0.3,))
    assert taken(queues, 0) == []
    assert taken(queues, 1) == [(3, (0.3,))]
    assert queues.waiting_results() == 1
    assert (queues.length(0), queues.length(1)) == (3, 0)
    queues.tell(1, (0.1,))
    assert taken(queues, 0) == [(1, (0.1,)), (2, (0.2,))]
    assert queues.oldest() == 4


def test_those_behind_a_pull_that_is_taken_back_move_up():
    queues = handed_out(0, 0)
    queues.tell(2, (0.2,))
    back = queues.take_back(1)
    assert (back.arm, back.step, back.results) == (0, 1, None)
    assert taken(queues, 0) == [(2, (0.2,))]
    assert (queues.spent, queues.oldest()) == (1, math.inf)


def test_those_taken_back_in_the_midst_of_others_count_no_more():
    queues = handed_out(0, 0, 0, 0, 0)
    for number in (3, 2):
        queues.take_back(number)
    assert queues.length(0) == 3
    assert [asked.number for asked in queues.queued()] == [1, 4, 5]
    assert queues.rows() == [[0, [1, 4, 5]]]
    queues.tell(4, (0.4,))
    assert taken(queues, 0) == []
    queues.tell(1, (0.1,))
    assert taken(queues, 0) == [(1, (0.1,)), (4, (0.4,))]
    assert (queues.length(0), queues.gone) == (1, {})
    queues.take_back(5)
    assert (queues.length(0), [*queues.arms()]) == (0, [])


def test_a_recorded_result_stands_behind_the_pulls_handed_out_before_it():
    queues = handed_out(0, 1)
    recorded = queues.record(0, (0.5,), step=2)
    assert taken(queues, 0) == []
    told = queues.tell(1, (0.1,))
    assert [queues.next_told(0), queues.next_told(0)] == [told, recorded]
    assert [told.moment, recorded.moment] == [(1, 0), (2, 2)]
    assert (queues.of_arm.keys(), queues.spent) == ({1}, 3)


def test_a_step_is_complete_when_all_its_pulls_are_done_with():
    queues = handed_out(0, 1)
    assert not queues.done_with(queues.tell(1, (0.1,)))
    assert queues.done_with(queues.take_back(2))
    assert queues.open_by_step == {}


@pytest.mark.parametrize("arm", [0, 1])
def test_what_is_chosen_and_not_handed_out_can_be_forgotten(arm):
    queues = handed_out(2)
    queues.choose([0, 1, 0], step=2)
    queues.forget_arm(arm)
    assert [asked.arm for asked in queues.chosen] == [other for other in (0, 1, 0) if other != arm]
    left = 3 - (0, 1, 0).count(arm)
    assert queues.open_by_step == ({2: left} if left > 1 else {})
    queues.forget_chosen()
    assert not queues.chosen
    assert queues.open_by_step == {}
