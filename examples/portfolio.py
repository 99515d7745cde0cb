"""Which mix of shares and oil grew most, if the worst tenth of years must not be too bad?

Daily prices of 1999 to 2018 come with the package `arch`. A pull makes up a year: twelve months, each of 21 trading
days in a row, drawn from those twenty years with replacement. So pulls are independent by construction, and the
answer is about such years. That a year to come is one of them, its months unrelated to each other, is a model. Oil is
the spot price, which nobody can hold for nothing; a gain of more than 100 % counts as 100 %.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from arch.data import nasdaq, sp500, wti

from surefoot import Cvar, Study, find_best

MIXES = {  # of the S&P 500, the Nasdaq and oil; the rest is cash that earns nothing
    "S&P 500": (1, 0, 0),
    "Nasdaq": (0, 1, 0),
    "oil": (0, 0, 1),
    "S&P and Nasdaq": (1 / 2, 1 / 2, 0),
    "a third each": (1 / 3, 1 / 3, 1 / 3),
    "half cash": (1 / 2, 0, 0),
}
MONTH = 21  # trading days


def daily_returns() -> np.ndarray:
    """One row per trading day on which all three have a price."""
    prices = {
        "sp500": sp500.load()["Adj Close"],
        "nasdaq": nasdaq.load()["Adj Close"],
        "oil": wti.load()["DCOILWTICO"],
    }
    return pd.DataFrame(prices).dropna().pct_change().dropna().to_numpy()


def main(seed: int = 0) -> Study:
    returns = daily_returns()
    generator = np.random.default_rng(seed)

    def year(mix: tuple[float, ...]) -> float:
        starts = generator.integers(0, len(returns) - MONTH + 1, 12)
        days = (starts[:, None] + np.arange(MONTH)).ravel()
        return min(float(np.prod(1.0 + returns[days] @ mix)) - 1.0, 1.0)

    def measure(mix: tuple[float, ...]) -> Callable[[], float]:
        return lambda: year(mix)

    measures = {name: measure(mix) for name, mix in MIXES.items()}
    return find_best(measures, risk=Cvar(0.1, at_least=-0.28), rewards=(-1, 1), tolerance=0.02)


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
