"""Which arms may still be the best, where arms are compared on the same items."""

import numpy as np

from surefoot import Study


def test_an_arm_that_the_differences_rule_out_is_no_candidate_while_two_others_are_tied():
    study = Study(["a", "b", "bad"], rewards=(0, 1), design="items", max_pulls=1_200)
    generator = np.random.default_rng(1)
    for item in range(400):
        luck = generator.random()
        for arm, bar in {"a": 0.9, "b": 0.9, "bad": 0.5}.items():
            study.record(arm, float(luck < bar), item=item)
    assert study.decision.status == "undecided"
    assert study.recommendation.candidates == ("a", "b")
    assert [row.ruled_out for row in study.table()] == [False, False, True]
