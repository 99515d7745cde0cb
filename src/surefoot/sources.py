"""Which of our source files a module is made of: its own, and those of all that it imports, directly or not.

Whatever was computed once and kept (a snapshot, a compiled program, finished runs) is kept with a digest of the sources that
made it, and is not taken for the work of others.

An import counts wherever it stands, also inside a function, but not under `if TYPE_CHECKING:`. The packages on the way to a
module count as they are; what they import in turn counts only if a name is taken from them. So who needs one module of a
package does not depend on all of it. Imports are found by their words, because parsing takes 30 times as long; the tests
compare with the parser, and with what Python has loaded.

A source that has changed since this process began is as good as missing: the process runs what it was before.

A module outside of this package (`verification`, in the repository) may ask as well: then what it imports from its own
package counts like what it imports from this one.
"""

import os
import re
import sys
import time
from functools import cache
from typing import NamedTuple

BEGUN = time.time()

TYPES_ONLY = re.compile(rb"if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)*")
NAME = re.compile(rb"(?:^|[(,])(?:\s|#[^\n]*\n)*(\w+)")


class Source(NamedTuple):
    digest: bytes
    imports: frozenset[str]  # modules


def digest(*modules: str) -> str:
    """Of all the sources that these modules are made of; empty if one is not there, as in a program that was frozen, or has
    changed since.
    """
    from hashlib import blake2b

    hashed = blake2b(digest_size=12)
    try:
        sources = sorted(reached(*modules).items())
    except (KeyError, OSError):
        return ""
    for name, source in sources:
        hashed.update(name.encode() + b"\0" + source.digest)
    return hashed.hexdigest()


def reached(*modules: str) -> dict[str, Source]:
    """These modules and all that they import, directly or not, with the packages on the way."""
    sources: dict[str, Source] = {}
    passed: dict[str, Source] = {}  # packages on the way
    waiting = list(modules)
    while waiting:
        if (name := waiting.pop()) not in sources:
            sources[name] = read(name)
            waiting += sources[name].imports
            passed |= {package: read(package) for package in packages(name) if package in files(home(name))}
    return passed | sources


def packages(name: str) -> list[str]:
    """The packages that a module is in."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


def home(name: str) -> str:
    """The outermost package that a module is in."""
    return name.partition(".")[0]


@cache
def files(package: str = __package__) -> dict[str, str]:
    """Every source file of a package, by its module."""
    paths = {}
    root: str = vars(sys.modules[package])["__path__"][0]
    for folder, inside, names in os.walk(root):
        inside[:] = [name for name in inside if name.isidentifier() and name != "__pycache__"]
        parent = os.path.relpath(folder, os.path.dirname(root)).replace(os.sep, ".")
        for name in names:
            if name.endswith(".py"):
                module = parent if name == "__init__.py" else f"{parent}.{name[:-3]}"
                paths[module] = os.path.join(folder, name)
    return paths


@cache
def read(name: str) -> Source:
    """The source of a module, as this process runs it."""
    from hashlib import blake2b

    with open(files(home(name))[name], "rb") as file:
        status = os.fstat(file.fileno())
        if max(status.st_mtime, status.st_ctime) > BEGUN:
            raise FileNotFoundError(f"{name} has changed since it was loaded")
        text = file.read()
    return Source(blake2b(text, digest_size=16).digest(), frozenset(imports(text, home(name))))


def imports(text: bytes, package: str = __package__) -> set[str]:
    """The modules of ours, or of its own package, that a source imports or takes names from."""
    text = TYPES_ONLY.sub(b"", text)
    names_from, plain = statements(package)
    modules = {module.decode() for module in plain.findall(text)}
    for module, names in names_from.findall(text):
        for name in NAME.findall(names):
            inside = f"{module.decode()}.{name.decode()}"
            modules.add(inside if inside in files(home(inside)) else module.decode())
    return modules


@cache
def statements(package: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """How imports from this package, or the one given, are written: of names, and plain ones."""
    module = rf"((?:{__package__}|{package})(?:\.\w+)*)"
    return (
        re.compile(rf"from {module} import (\([^)]*\)|[^\n]*)".encode()),
        re.compile(rf"import {module}\b".encode()),
    )
