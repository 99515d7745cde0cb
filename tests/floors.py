"""Are the lower bounds of pyproject.toml versions that go together? `python -m tests.floors`, as `make floors` calls it."""

import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]


def floors() -> dict[str, Version]:
    """The least version of everything that Surefoot needs or can use."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    listed = [Requirement(text) for each in lists for text in each]
    # All of them are written name>=version.
    return {each.name: Version(next(iter(each.specifier)).version) for each in listed if each.name != "surefoot"}


def chosen(pins: str) -> dict[str, Version]:
    """The versions in a file of pins."""
    return {each.name: Version(next(iter(each.specifier)).version) for each in map(Requirement, pins.splitlines())}


def main(uv: str, pins: Path) -> int:
    resolving = [uv, "pip", "compile", "--quiet", "pyproject.toml", "--all-extras", "--resolution", "lowest-direct"]
    written = ["--python-version", "3.11", "--no-header", "--no-annotate", "--output-file", str(pins)]
    subprocess.run([*resolving, *written], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    found = chosen(pins.read_text(encoding="utf-8"))
    too_low = {name: floor for name, floor in floors().items() if found[name] != floor}
    for name, floor in too_low.items():
        print(f"{name}>={floor} cannot be installed beside the other lower bounds: the least that can is {found[name]}")
    return 1 if too_low else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
