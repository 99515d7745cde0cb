"""Do the interpreted tests notice when a kernel is changed? `python -m tests.mutants [PAGE]`; it goes on where it stopped.

As long as the kernels are the same, mutants that were killed stay killed: only the others are tried again, so that a run
after adding a test is short. Remove build/mutants to begin anew.
"""

import hashlib
import importlib
import json
import shutil
import sys
import time
from pathlib import Path

from tests.mutants import page, running, sample

SIZE = 300
ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
LEFT_OUT = shutil.ignore_patterns(".*", "build", "_build", "__pycache__")


def main() -> None:
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT)
    for heavy in ("hypothesis", "mpmath", "numpy", "scipy.stats", "sqlalchemy"):  # once, for all the forks
        importlib.import_module(heavy)
    mutants, every = sample.sample(tree, SIZE)
    begun = time.monotonic()
    tests, ambient = running.watched(tree)
    say(f"{len(tests)} tests, watched in {time.monotonic() - begun:.0f} s")
    unchanged = mutants[0]._replace(code=(tree / mutants[0].path).read_text(), function="")
    if how := running.killed(tree, unchanged, running.order(unchanged, tests, ambient)):
        sys.exit(f"{how} though nothing is changed")  # the negative control
    sources = b"".join(path.read_bytes() for path in sorted((tree / sample.CORE).rglob("*.py")))
    found = WORK / f"killed-{hashlib.sha256(sources).hexdigest()[:12]}.json"
    kept: dict[str, str] = json.loads(found.read_text()) if found.exists() else {}
    survivors = []
    for number, mutant in enumerate(mutants, 1):
        if mutant.name not in kept:
            begun = time.monotonic()
            how = running.killed(tree, mutant, running.order(mutant, tests, ambient))
            say(f"{number:3} {time.monotonic() - begun:5.1f} s  {how or 'SURVIVES'}  {mutant.line} {mutant.name}")
            if how:
                kept[mutant.name] = how
                found.write_text(json.dumps(kept, indent=1))
        if mutant.name not in kept:
            survivors.append(mutant)
    say(f"{len(mutants) - len(survivors)} of {len(mutants)} killed")
    for mutant in page.unexplained(survivors):
        say(f"not explained in survivors.toml: {mutant.name}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page.table(mutants, survivors, every))


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
