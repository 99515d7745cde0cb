"""Which classifier is the best on this test set, and how few evaluations show it?

The digits come with scikit-learn. The classifiers learn from a fifth of them. The question is about the other 1,438, each
classified once: a finite list. A pull is one digit, classified by one classifier.
"""

from collections.abc import Callable

from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from surefoot import Study, find_best

CLASSIFIERS = {
    "support vectors": SVC(gamma=0.001, C=10.0),
    "nearest three": KNeighborsClassifier(3, algorithm="kd_tree"),
    "logistic": LogisticRegression(max_iter=5_000),
    "discriminant": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
}


def main() -> Study:
    images, kinds = load_digits(return_X_y=True)
    learnt, held_out, labels, truth = train_test_split(images, kinds, test_size=0.8, random_state=0)

    def measure(classifier: ClassifierMixin) -> Callable[[int], float]:
        classifier.fit(learnt, labels)
        return lambda item: float(classifier.predict(held_out[item : item + 1])[0] == truth[item])

    measures = {name: measure(classifier) for name, classifier in CLASSIFIERS.items()}
    return find_best(
        measures, rewards="binary", design="items", items=len(truth), finite=True, tolerance=0.005, progress=False
    )


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
