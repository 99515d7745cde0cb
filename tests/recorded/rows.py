"""Rows of a recording: a case, what can be read of it, and digests of all the rest. One line each, sorted by case."""

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

FOLDER = Path(__file__).parent / "rows"
SHOWN = 160  # characters of a value that differs

Fields: TypeAlias = dict[str, Any]
Rows: TypeAlias = dict[str, Fields]  # by case


class Recorded(NamedTuple):
    """What one case gave: its row, and the text that the digests in it are of, to be compared where they differ."""

    case: str
    fields: Fields
    text: dict[str, list[str]] = {}  # noqa: RUF012, nobody writes to it

    @property
    def row(self) -> Fields:
        return self.fields | {part: digest(lines) for part, lines in self.text.items()}


def digest(lines: Iterable[str]) -> str:
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def path(section: str) -> Path:
    return FOLDER / f"{section}.jsonl"


def read(section: str) -> Rows:
    rows: Rows = {}
    if path(section).exists():
        for line in path(section).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows[row.pop("case")] = row
    return rows


def write(section: str, rows: Rows) -> None:
    lines = [json.dumps({"case": case} | rows[case], ensure_ascii=False) for case in sorted(rows)]
    FOLDER.mkdir(exist_ok=True)
    path(section).write_text("\n".join([*lines, ""]), encoding="utf-8")


def differences(recorded: Rows, found: Rows) -> list[str]:
    """What differs, a paragraph for each row."""
    paragraphs = []
    for case in sorted(recorded | found):
        if case not in found:
            paragraphs.append(f"{case}\n  was recorded and is not there any more")
        elif case not in recorded:
            paragraphs.append(f"{case}\n  was not recorded: {brief(found[case])}")
        elif parts := list(unlike(recorded[case], json.loads(json.dumps(found[case])))):
            paragraphs.append("\n  ".join([case, *parts]))
    return paragraphs


def unlike(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Where two values differ, and how."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old | new:
            if key not in new:
                yield f"{where}{key}: was {brief(old[key])}, is not there"
            elif key not in old:
                yield f"{where}{key}: was not there, is {brief(new[key])}"
            else:
                yield from unlike(old[key], new[key], f"{where}{key}.")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from unlike(*pair, f"{where}{index}.")
    elif old != new or type(old) is not type(new):
        yield f"{where.rstrip('.')}: was {brief(old)}, is {brief(new)}"


def brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"
