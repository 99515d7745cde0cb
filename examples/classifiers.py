"""Which classifier knows irises best from nine labelled flowers, if its accuracy must not depend too much on which nine?

The flowers are Fisher's, which come with scikit-learn. A pull draws three flowers of each kind at random, learns from
them, and returns the share of the other 141 that are told rightly. Splits are drawn anew each time, so that pulls are
independent by construction, given these 150 flowers. That flowers to come are like them is a model.
"""

from collections.abc import Callable

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from surefoot import Study, Variance, find_best

CLASSIFIERS = {
    "nearest flower": KNeighborsClassifier(1),
    "nearest five": KNeighborsClassifier(5),
    "tree": DecisionTreeClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
}


def main(seed: int = 0) -> Study:
    flowers, kinds = load_iris(return_X_y=True)
    generator = np.random.default_rng(seed)

    def measure(classifier: ClassifierMixin) -> Callable[[], float]:
        def accuracy() -> float:
            seen = [generator.choice(np.flatnonzero(kinds == kind), 3, replace=False) for kind in range(3)]
            learnt = np.isin(np.arange(len(kinds)), seen)
            classifier.fit(flowers[learnt], kinds[learnt])
            return float(np.mean(classifier.predict(flowers[~learnt]) == kinds[~learnt]))

        return accuracy

    measures = {name: measure(classifier) for name, classifier in CLASSIFIERS.items()}
    return find_best(measures, risk=Variance(at_most=0.01), rewards=(0, 1), tolerance=0.02)


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
