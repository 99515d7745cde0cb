"""Files that people wrote: text and TOML of a size and depth that memory holds, or a sentence about what is wrong."""

import re
from os import PathLike
from typing import Any

from surefoot.errors import InvalidValue

LARGEST = 2**28  # bytes
DEEPEST = 1_000  # parts of a dotted key: reading one takes memory with the square of them


def read_text(path: str | PathLike[str], what: str) -> str:
    """The text of a file; `what` it should be is the beginning of the sentence that refuses it."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # a null character in a path is a ValueError
        raise InvalidValue(f"{what} a readable file: {path}: {getattr(error, 'strerror', error)}") from error
    if len(content) > LARGEST:
        raise InvalidValue(f"{what} a file of at most {LARGEST // 2**20} MB, got more: {path}")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"{what} a file in UTF-8: {path}: {error}") from error


def read_toml(text: str, what: str) -> dict[str, Any]:
    """The table that TOML text means."""
    import tomllib

    if any(part.count(".") > DEEPEST for part in re.split(r"[=\n,{}\[\]]", text)):
        raise InvalidValue(f"{what} valid TOML: a key has more than {DEEPEST:,} parts")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number too long to read is a ValueError too
        raise InvalidValue(f"{what} valid TOML: {error}") from error
