"""Finished work in a file of lines, so that work that was interrupted goes on where it was."""

import json
import os
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from surefoot.errors import InvalidValue
from surefoot.simulation.versions import differences


class Lines(ABC):
    """A line of JSON that says what made the others, then a line for each piece of work.

    A line is written at once and whole. If the machine dies in the middle of one, it is not there. Leaving puts the lines
    in order, so that the file does not depend on who finished first.
    """

    NAME: str  # of a piece of work

    def __init__(self, path: Path, made_by: dict[str, str]) -> None:
        self.path, self.made_by = path, made_by
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_bytes() if path.exists() else b""
            whole = text[: text.rfind(b"\n") + 1]
            for number, line in enumerate(whole.decode("utf-8", errors="replace").splitlines(), start=1):
                self.read(number, line)
            self.file = open(path, "ab", buffering=0)  # noqa: SIM115
            self.file.truncate(len(whole))
            if not whole:
                self.write(made_by)
        except OSError as error:
            raise InvalidValue(f"cannot write {path}: {error.strerror}") from error

    def read(self, number: int, line: str) -> None:
        try:
            record = json.loads(line)
            if number > 1:
                self.take(record)
            differ = differences(self.made_by, dict(record)) if number == 1 else ""
        except (ValueError, TypeError, KeyError) as error:
            what = f"line {number} of {self.path} is not a {self.NAME}"
            raise InvalidValue(f"{what}; delete the file to begin anew") from error
        if differ:
            kept = f"{self.path} holds {self.NAME}s that were made with other settings ({differ})"
            raise InvalidValue(f"{kept}; give another folder, or delete the file to begin anew")

    @abstractmethod
    def take(self, record: Any) -> None:
        """Keep what a line says."""

    def write(self, line: object) -> None:
        self.file.write(json.dumps(line).encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()
        first, *others = self.path.read_bytes().splitlines(keepends=True)
        beside = self.path.with_suffix(".new")
        beside.write_bytes(b"".join([first, *sorted(set(others))]))
        os.replace(beside, self.path)
