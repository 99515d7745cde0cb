"""`python -m tests.wheel FOLDER`: build what is installed, and see that it is the package and nothing else.

It is a program and not a test, because building asks for a build backend that need not be on the machine.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path


def strangers(files: Iterable[str]) -> list[str]:
    """The files of a wheel that are neither the package's nor about it.

    >>> strangers(["surefoot/core/state.py", "surefoot-0.1.0.dist-info/METADATA", "verification/peeking.py"])
    ['verification/peeking.py']
    """
    return [file for file in files if "verification" in file or not file.startswith(("surefoot/", "surefoot-"))]


def main(folder: Path) -> int:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*build, "--wheel-dir", str(folder), "."], check=True)
    wheel = max(folder.glob("surefoot-*.whl"), key=lambda path: path.stat().st_mtime)
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
    for file in strangers(files):
        print(f"{wheel} must have nothing but the package in it, and has {file}", file=sys.stderr)
    return 1 if strangers(files) or "surefoot/__init__.py" not in files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
