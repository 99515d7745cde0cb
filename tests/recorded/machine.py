"""What this machine makes of the functions that kernels use: where that differs, rows may differ for no other reason."""

import math

import numpy as np

from tests.recorded.rows import Rows, digest

SECTION = "machine"
POINTS = [0.013 + 0.37 * k for k in range(500)]
FUNCTIONS = ("log", "log1p", "exp", "expm1", "lgamma", "sqrt")


def arithmetic() -> Rows:
    """A row for each function: of the system's library, and of numpy where kernels have constants from it."""
    rows: Rows = {}
    for name in FUNCTIONS:
        function, sign = getattr(math, name), -1.0 if name in ("exp", "expm1") else 1.0
        rows[name] = {"digest": digest(function(sign * point).hex() for point in POINTS)}
    rows["log1p of numpy"] = {"digest": digest(value.hex() for value in np.log1p(np.array(POINTS)).tolist())}
    return rows


def unlike(recorded: Rows) -> list[str]:
    """The functions that have other digits here than where the rows were recorded."""
    here = arithmetic()
    return [name for name in here if recorded.get(name) != here[name]]
