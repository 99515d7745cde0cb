"""All sections of the recording, made on several processes. What a row says depends on its case alone."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import starmap
from multiprocessing import get_context
from types import ModuleType

from tests.recorded import answers, kernels, live, machine, own, released, rows, simulated
from tests.recorded.rows import Recorded, Rows

SECTIONS: dict[str, ModuleType] = {
    "kernels": kernels,
    "own": own,
    "simulated": simulated,
    "live": live,
    "answers": answers,
    "released": released,
}


def made(section: str, group: str) -> tuple[str, Rows]:
    """The rows of one group of cases."""
    return section, {recorded.case: recorded.row for recorded in SECTIONS[section].record(group)}


def make(sections: Sequence[str] = tuple(SECTIONS), workers: int | None = None) -> dict[str, Rows]:
    """All rows, by section and case."""
    found: dict[str, Rows] = {section: {} for section in sections}
    tasks = [(section, group) for section in sections for group in SECTIONS[section].groups()]
    for section, some in starmap(made, tasks) if workers == 1 else on_processes(tasks, workers):
        if both := found[section].keys() & some.keys():
            raise ValueError(f"{section} has two rows for {sorted(both)[0]!r}")
        found[section] |= some
    return found


def on_processes(tasks: list[tuple[str, str]], workers: int | None) -> Iterator[tuple[str, Rows]]:
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        for future in as_completed([pool.submit(made, *task) for task in tasks]):
            yield future.result()


def differences(found: dict[str, Rows]) -> list[str]:
    """The rows that differ from the recorded ones, a paragraph each."""
    return [
        f"{section}: {paragraph}"
        for section, some in found.items()
        for paragraph in rows.differences(rows.read(section), some)
    ]


def hint() -> str:
    """That it may be the machine, where it may be."""
    names = machine.unlike(rows.read(machine.SECTION))
    return f"This machine has other digits of {', '.join(names)} than the one that recorded the rows." if names else ""


def write(found: dict[str, Rows]) -> None:
    for section, some in found.items():
        rows.write(section, some)
    rows.write(machine.SECTION, machine.arithmetic())


def texts(wanted: str, sections: Sequence[str]) -> Iterator[Recorded]:
    """The cases whose names contain this, with the text that their digests are of."""
    for section in map(SECTIONS.__getitem__, sections):
        for group in section.groups():
            if wanted in group or group in wanted or section in (answers, released):
                yield from (recorded for recorded in section.record(group) if wanted in recorded.case)
