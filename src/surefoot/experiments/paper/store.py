"""Finished runs in a file of lines, so that a sweep that was interrupted goes on where it was."""

import json
import os
from collections import defaultdict
from pathlib import Path
from types import TracebackType

from surefoot.errors import InvalidValue
from surefoot.experiments import instances
from surefoot.experiments.paper.plan import Entry
from surefoot.simulation.results import Run
from surefoot.simulation.versions import differences, digest, versions

FILE = "runs.jsonl"


class Store:
    """The runs of one seed in a folder: a line that says what made them, then a line for each run.

    A line is written at once and whole. If the machine dies in the middle of one, it is not there. Leaving the store puts
    the lines in order, so that the file does not depend on who finished first.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.path = folder / FILE
        self.made_by = {"seed": str(seed), "instances": digest([Path(instances.__file__)])} | versions()
        self.runs: dict[Entry, dict[int, Run]] = defaultdict(dict)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            text = self.path.read_bytes() if self.path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            self.read(whole.decode("utf-8", errors="replace").splitlines())
            self.file = open(self.path, "ab", buffering=0)  # noqa: SIM115
            self.file.truncate(len(whole))
            if not whole:
                self.write(self.made_by)
        except OSError as error:
            raise InvalidValue(f"cannot write {self.path}: {error.strerror}") from error

    def read(self, lines: list[str]) -> None:
        for number, line in enumerate(lines, start=1):
            try:
                found = json.loads(line)
                if number == 1:
                    made_by = {str(name): str(value) for name, value in found.items()}
                else:
                    entry, run = Entry(*found[:4]), Run(*map(int, found[4:]))
                    self.runs[entry][run.trial] = run
            except (ValueError, TypeError, AttributeError) as error:
                raise InvalidValue(f"line {number} of {self.path} is no run; delete the file to begin anew") from error
            if number == 1 and (differ := differences(self.made_by, made_by)):
                kept = f"{self.path} holds runs that were made otherwise ({differ})"
                raise InvalidValue(f"{kept}; give another folder, or delete the file to begin anew")

    def add(self, entry: Entry, run: Run) -> None:
        self.runs[entry][run.trial] = run
        self.write([*entry, *run])

    def write(self, line: object) -> None:
        self.file.write(json.dumps(line).encode() + b"\n")

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()
        lines = [self.made_by, *([*entry, *run] for entry, runs in self.runs.items() for run in runs.values())]
        ordered = [lines[0], *sorted(lines[1:], key=str)]
        beside = self.path.with_suffix(".new")
        beside.write_text("".join(json.dumps(line) + "\n" for line in ordered), encoding="utf-8")
        os.replace(beside, self.path)
