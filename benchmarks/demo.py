"""The demo's question by each design: pulls that decide which compressor saves most, if its saving must be steady."""

import random
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from surefoot import find_best
from surefoot.study import Study
from surefoot.work import demo

SEEDS = range(3)
MEASURES: dict[str, Callable[[str], float]] = {name: cache(of) for name, of in demo.measures().items()}


def independent(seed: int) -> Study:
    """Each pull draws a file of its own, with replacement."""
    draw, files = random.Random(seed).choice, demo.files()
    measures = {name: partial(lambda of: of(draw(files)), of) for name, of in MEASURES.items()}
    return find_best(measures, progress=False, **demo.PROBLEM, tolerance=0.01)


def drawn(seed: int) -> Study:
    """All compressors have the same files, drawn with replacement."""
    return find_best(
        MEASURES,
        design="items",
        items=demo.files(),
        replacement=True,
        tolerance=0.01,
        seed=seed,
        progress=False,
        **demo.PROBLEM,
    )


def finite(seed: int) -> Study:
    """All compressors have the same files, and the answer is about these."""
    return demo.decide(seed, progress=False)


DESIGNS = {
    "each pull a file of its own, tolerance 0.01": independent,
    "the same files, drawn with replacement, tolerance 0.01": drawn,
    "the same files, a finite list, no tolerance": finite,
}


def measure() -> list[dict[str, Any]]:
    rows = []
    for name, design in DESIGNS.items():
        studies = [design(seed) for seed in SEEDS]
        answers = sorted({study.decision.arm or study.decision.status for study in studies})
        mean = sum(study.pulls for study in studies) / len(studies)
        rows.append({"what": f"pulls of the demo, {name} (answers: {', '.join(answers)})", "value": mean})
    return rows


if __name__ == "__main__":
    for row in measure():
        print(f"{row['what']}: {row['value']:,.0f}")
