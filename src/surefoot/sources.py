"""Which of our source files a module is made of: its own, and those of all that it imports, directly or not.

Whatever was computed once and kept (a snapshot, a compiled program, finished runs) is kept with a digest of the sources that
made it, and is not taken for the work of others.

An import counts wherever it stands, also inside a function, but not under `if TYPE_CHECKING:`. The packages on the way to a
module count as they are; what they import in turn counts only if a name is taken from them. So who needs one module of a
package does not depend on all of it. Imports are found by their words, because parsing takes 30 times as long; the tests
compare with the parser, and with what Python has loaded.
"""

import os
import re
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

HERE = os.path.dirname(__file__)
TYPES_ONLY = re.compile(rb"if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)*")
FROM = re.compile(rb"from (surefoot[\w.]*) import (\([^)]*\)|[^\n]*)")
PLAIN = re.compile(rb"import (surefoot[\w.]*)")
NAME = re.compile(rb"(?:^|[(,])(?:\s|#[^\n]*\n)*(\w+)")


class Source(NamedTuple):
    digest: bytes
    imports: frozenset[str]  # modules


def digest(*modules: str) -> str:
    """Of all the sources that these modules are made of; empty if one is not there, as in a program that was frozen."""
    found = blake2b(digest_size=12)
    try:
        sources = sorted(reached(*modules).items())
    except (KeyError, OSError):
        return ""
    for name, source in sources:
        found.update(name.encode() + b"\0" + source.digest)
    return found.hexdigest()


def reached(*modules: str) -> dict[str, Source]:
    """These modules and all that they import, directly or not, with the packages on the way."""
    found: dict[str, Source] = {}
    passed: dict[str, Source] = {}  # packages on the way
    waiting = list(modules)
    while waiting:
        if (name := waiting.pop()) not in found:
            found[name] = read(name)
            waiting += found[name].imports
            passed |= {package: read(package) for package in packages(name) if package in files()}
    return passed | found


def packages(name: str) -> list[str]:
    """The packages that a module is in."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


@cache
def files() -> dict[str, str]:
    """Every source file of ours, by its module."""
    found = {}
    for folder, inside, names in os.walk(HERE):
        inside[:] = [name for name in inside if name.isidentifier() and name != "__pycache__"]
        package = os.path.relpath(folder, os.path.dirname(HERE)).replace(os.sep, ".")
        for name in names:
            if name.endswith(".py"):
                module = package if name == "__init__.py" else f"{package}.{name[:-3]}"
                found[module] = os.path.join(folder, name)
    return found


@cache
def read(name: str) -> Source:
    """The source of a module of ours, as it was when this process first asked for it."""
    with open(files()[name], "rb") as file:
        text = file.read()
    return Source(blake2b(text, digest_size=16).digest(), frozenset(imports(text)))


def imports(text: bytes) -> set[str]:
    """The modules of ours that a source imports, or takes names from."""
    text = TYPES_ONLY.sub(b"", text)
    found = {module.decode() for module in PLAIN.findall(text)}
    for module, names in FROM.findall(text):
        for name in NAME.findall(names):
            inside = f"{module.decode()}.{name.decode()}"
            found.add(inside if inside in files() else module.decode())
    return found
