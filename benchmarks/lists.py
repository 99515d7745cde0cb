"""A finite list: which of fifteen classifiers is the best on 1,438 held-out digits, and for what share of all evaluations?

The digits and the classifiers are those of scikit-learn. A fifth of the digits is learnt from. Each run draws the order of
the others anew.
"""

import csv
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import Instance, Problem, simulate

ORDERS = 200
AIMS = {0.01: "<= 0.2", 0.0: "<= 0.3"}  # by tolerance


def classifiers() -> dict[str, Any]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC, LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    return {
        "boosting": HistGradientBoostingClassifier(random_state=0),
        "centroid": NearestCentroid(),
        "discriminant": LinearDiscriminantAnalysis(),
        "extra trees": ExtraTreesClassifier(300, random_state=0),
        "forest": RandomForestClassifier(300, random_state=0),
        "linear svm": LinearSVC(random_state=0, max_iter=20_000),
        "logistic": LogisticRegression(max_iter=5_000),
        "naive Bayes": GaussianNB(),
        "nearest": KNeighborsClassifier(1),
        "nearest three": KNeighborsClassifier(3),
        "nearest nine": KNeighborsClassifier(9),
        "network": MLPClassifier((100,), random_state=0, max_iter=1_000),
        "ridge": RidgeClassifier(),
        "svm": SVC(gamma=0.001, C=10.0),
        "tree": DecisionTreeClassifier(random_state=0),
    }


def scores() -> tuple[list[str], NDArray[np.int64]]:
    """The classifiers, and a row for each digit that none learnt from: 1 where a classifier is right."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, kinds = load_digits(return_X_y=True)
    learnt, held_out, labels, truth = train_test_split(images, kinds, test_size=0.8, random_state=0)
    found = classifiers()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pixels that are always 0
        columns = [each.fit(learnt, labels).predict(held_out) == truth for each in found.values()]
    return list(found), np.column_stack(columns).astype(np.int64)


def instance(folder: str, names: list[str], table: NDArray[np.int64], tolerance: float, finite: bool) -> Instance:
    with open(Path(folder) / "scores.csv", "w", newline="") as file:
        csv.writer(file).writerows([names, *table.tolist()])
    items = {"data": str(Path(folder) / "scores.csv"), "finite": finite}
    problem = Problem(names, rewards="binary", design="items", items=items, tolerance=tolerance)
    return Instance(problem)


def measure() -> list[dict[str, Any]]:
    names, table = scores()
    means = np.sort(table.mean(axis=0))[::-1]
    rows: list[dict[str, Any]] = [
        {"what": f"{len(names)} classifiers on {len(table):,} digits: accuracy of the best", "value": means[0]},
        {"what": "accuracy of the next", "value": means[1]},
    ]
    with TemporaryDirectory() as folder:
        for tolerance, aim in AIMS.items():
            for finite in (True, False):
                found = simulate(instance(folder, names, table, tolerance, finite), trials=ORDERS, progress=False)
                summary = found.summary()
                what = f"share of evaluations, tolerance {tolerance:g}, {'finite' if finite else 'as a sample'}"
                share = summary["pulls"]["mean"] / table.size
                rows.append({"what": what, "value": share} | ({"aim": aim} if finite else {}))
                said = f"runs that were wrong, tolerance {tolerance:g}, {'finite' if finite else 'as a sample'}"
                rows.append({"what": said, "value": summary["wrong"] / ORDERS, "aim": "<= 0.05"})
                ended = f"runs that ended undecided, tolerance {tolerance:g}, {'finite' if finite else 'as a sample'}"
                rows.append({"what": ended, "value": summary["undecided"] / ORDERS} | ({"aim": "0"} if finite else {}))
    return rows
