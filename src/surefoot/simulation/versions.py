"""What the bits of a run depend on, besides the problem and the seed."""

import functools
import platform
from importlib import metadata

import surefoot
from surefoot import sources


@functools.cache
def versions() -> dict[str, str]:
    """Versions, and a digest of the sources of ours that make a run what it is."""
    return {
        "surefoot": surefoot.__version__,
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
        "machine": platform.machine(),
        "sources": sources.digest("surefoot.simulation.job"),
    }


def differences(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Where they differ; empty if nowhere.

    >>> differences({"numpy": "2.4", "numba": "0.68"}, {"numpy": "2.3", "numba": "0.68"})
    'numpy 2.4 here, 2.3 there'
    """
    return "; ".join(
        f"{name} {ours.get(name, 'none')} here, {theirs.get(name, 'none')} there"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    )
