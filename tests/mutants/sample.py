"""Mutants of the kernels as cosmic-ray makes them: a fixed random sample of all there are."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

CORE = Path("src/surefoot/core")
SALT = "surefoot"  # of the sample

# Bit operators and `is` on numbers raise an exception wherever they are reached: such mutants would only flatter the tests.
# Variables are not replaced, because that needs names to put in their place; there is no `except` to replace.
POINTLESS = ("Shift", "Bit", "Invert", "_Is", "Exception", "Variable")


class Mutant(NamedTuple):
    path: str
    line: int
    before: str  # that line, and what becomes of it
    after: str
    function: str  # where it is, nothing for what runs when the module is imported
    code: str  # of the whole module

    @property
    def name(self) -> str:
        return f"{Path(self.path).relative_to(CORE)} {self.function or '-'}: {self.before} -> {self.after}"


class Place(NamedTuple):
    path: Path
    operator: str
    occurrence: int
    rank: (
        str  # by which the sample is drawn: of what the line says, not of where it is, so that edits elsewhere keep it
    )


def sample(root: Path, size: int) -> tuple[list[Mutant], int]:
    """So many mutants, and how many there are to draw from."""
    every = sorted(places(root), key=lambda place: place.rank)
    found: dict[str, Mutant] = {}
    for place in every:
        if len(found) == size:
            break
        if mutant := mutated(root, place):
            found.setdefault(place.rank, mutant)
    return list(found.values()), len(every)


def places(root: Path) -> Iterator[Place]:
    """Everything that some operator can change."""
    operators = {name: get_operator(name) for name in operator_names() if not any(part in name for part in POINTLESS)}
    for path in sorted((root / CORE).rglob("*.py")):
        code = path.read_text()
        nodes, lines = list(ast_nodes(get_ast(code))), code.splitlines()
        alike: Counter[str] = Counter()
        for name, operator in operators.items():
            positions = [where for node in nodes for where in operator().mutation_positions(node)]
            for occurrence, ((line, column), _) in enumerate(positions):
                said = f"{SALT} {path.relative_to(root)} {name} {column} {lines[line - 1].strip()}"
                alike[said] += 1
                rank = hashlib.sha256(f"{said} {alike[said]}".encode()).hexdigest()
                yield Place(path.relative_to(root), name, occurrence, rank)


def mutated(root: Path, place: Place) -> Mutant | None:
    """The mutant, unless it is the same program, as with 1e250 + 1 for 1e250."""
    code = (root / place.path).read_text()
    other = mutate_code(code, get_operator(place.operator)(), place.occurrence)
    tree = ast.parse(code)
    if ast.dump(ast.parse(other)) == ast.dump(tree):
        return None
    old, new = code.splitlines(), other.splitlines()
    line = next(number for number, (one, two) in enumerate(zip(old, new, strict=False), 1) if one != two)
    after = new[line - 1].strip() if len(new) == len(old) else ""
    return Mutant(str(place.path), line, old[line - 1].strip(), after, enclosing(tree, line), other)


def enclosing(tree: ast.Module, line: int) -> str:
    """The name of the function that a line is in; of one with a decorator nothing, as it may be called once for all."""
    waiting: list[tuple[str, Any]] = [("", node) for node in tree.body]
    while waiting:
        prefix, node = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            return "" if node.decorator_list else prefix + node.name
        if isinstance(node, ast.ClassDef):
            waiting += [(f"{prefix}{node.name}.", inner) for inner in node.body]
    return ""
