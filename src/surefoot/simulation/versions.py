"""What results depend on, besides the problem and the seed."""

import functools
import hashlib
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

import surefoot


@functools.cache
def versions() -> dict[str, str]:
    """Versions of what the bits of a run depend on, and a digest of our own sources of runs."""
    digest = hashlib.sha256()
    root = Path(surefoot.__path__[0])
    for part in ("compiled.py", "problem.py", "risk.py", "core", "rewards", "simulation", "theory"):
        for path in [root / part] if part.endswith(".py") else sorted((root / part).rglob("*.py")):
            digest.update(path.read_bytes())
    return {
        "surefoot": surefoot.__version__,
        "numpy": np.__version__,
        "numba": metadata.version("numba"),
        "machine": platform.machine(),
        "sources": digest.hexdigest()[:12],
    }


def differences(ours: dict[str, str], theirs: dict[str, str]) -> str:
    """Where they differ, as "numpy 2.0 here, 2.1 there"; empty if nowhere."""
    return "; ".join(
        f"{name} {ours.get(name, 'none')} here, {theirs.get(name, 'none')} there"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    )
