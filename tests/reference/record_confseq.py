"""What confseq 0.0.11, the code of Howard, Ramdas and others, says of some rewards: written to confseq.json.

confseq is not among our dependencies: its source needs Boost, and a newer pybind11 than it asks for. To record anew, build
it so and run this file with a Python that has it and NumPy 1.
"""

import json
import math
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("confseq.json")
LOOKS = (1, 2, 5, 10, 30, 100, 300, 1000)
MISSES = (0.1, 0.0125)
PRIOR = 10.0  # of the normal mixture, in units of sigma squared


def rewards():
    generator = np.random.default_rng(0)
    return {
        "coin": (generator.random(1000) < 0.3).astype(float),
        "uniform": generator.random(1000),
        "steady": generator.normal(0.6, 0.01, 1000),
        "rare": np.where(generator.random(1000) < 0.02, 0.0, 0.9),
    }


def best_slope(x, miss, slopes):
    """Of the predictable plug-in bounds with a constant slope, each at its share of the level, the best so far."""
    from confseq.predmix import predmix_lower_cs

    guesses = (0.5 + np.append(0.0, np.cumsum(x)[:-1])) / np.arange(1, len(x) + 1)
    bounds = [
        predmix_lower_cs(
            x,
            v=(x - guesses) ** 2,
            lambdas_fn=lambda y, slope=slope: np.full(len(y), slope),
            psi_fn=lambda slope: -np.log(1 - slope) - slope,
            alpha=miss / len(slopes),
            running_intersection=True,
        )
        for slope in slopes
    ]
    return np.max(bounds, axis=0)


def record():
    from confseq.betting import betting_cs
    from confseq.boundaries import normal_mixture_bound
    from confseq.predmix import predmix_empbern_cs

    slopes = 0.75 * 0.5 ** np.arange(14)
    at = np.array(LOOKS) - 1
    found = {"mean": {}, "mixture": {}}
    for name, x in rewards().items():
        for miss in MISSES:
            plug_in = predmix_empbern_cs(x, alpha=2 * miss, running_intersection=True)
            betting = betting_cs(x, alpha=2 * miss, running_intersection=True)
            found["mean"][f"{name} {miss}"] = {
                "lower": best_slope(x, miss, slopes)[at].tolist(),
                "upper": (1.0 - best_slope(1.0 - x, miss, slopes))[at].tolist(),
                "plug_in": [ends[at].tolist() for ends in plug_in],
                "betting": [ends[at].tolist() for ends in betting],
            }
    for miss in MISSES:
        tuned = 2.0 * math.log(1.0 / miss) + math.log(1.0 + 2.0 * math.log(1.0 / miss))  # v_opt over its best rho
        found["mixture"][str(miss)] = [normal_mixture_bound(n, miss, PRIOR * tuned, miss, False) for n in LOOKS]
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(), indent=1) + "\n")
