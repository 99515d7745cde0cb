"""Which treatment gives more days, if at most half of the patients may die within 60?

The Veterans' Administration lung cancer trial gave 137 men a standard treatment or a test treatment, at random; its
data come with the package `scikit-survival`. A pull draws one of the men of a group with replacement, and returns how
many days he lived. So pulls are independent by construction, and the answer is about these men. That patients to come
are like them is a model, and how well so few stand for the treatment is not part of the guarantee. The nine men who
were alive when last seen are left out, as nobody knows their days.
"""

from collections.abc import Callable

import numpy as np
from sksurv.datasets import load_veterans_lung_cancer

from surefoot import Probability, Study, find_best


def main(seed: int = 0) -> Study:
    patients, outcomes = load_veterans_lung_cancer()
    generator = np.random.default_rng(seed)

    def measure(treatment: str) -> Callable[[], float]:
        days = outcomes["Survival_in_days"][outcomes["Status"] & (patients["Treatment"] == treatment)]
        return lambda: float(generator.choice(days))

    measures = {treatment: measure(treatment) for treatment in ("standard", "test")}
    return find_best(measures, risk=Probability("<", 60, at_most=0.5), rewards=(0, 1000))


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
