"""What the bits of a run depend on, besides the problem and the seed."""

import functools
import hashlib
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import surefoot

SOURCES = (
    *("compiled.py", "problem.py", "risk", "core", "rewards", "theory/gaps.py"),
    *(f"simulation/{name}.py" for name in ("chance", "draws", "instance", "job", "kernel")),
)


@functools.cache
def versions() -> dict[str, str]:
    """Versions, and a digest of the sources of ours that make a run what it is."""
    root = Path(surefoot.__path__[0])
    sources = [path for part in SOURCES for path in (root.joinpath(part), *sorted(root.joinpath(part).rglob("*.py")))]
    return {
        "surefoot": surefoot.__version__,
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
        "machine": platform.machine(),
        "sources": digest(path for path in sources if path.is_file()),
    }


def digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


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
