"""The pages for whoever changes Surefoot are true: the table of plug points, the diagram, the files and names in them."""

import ast
import inspect
import re
import runpy
import sys
from importlib import import_module
from pathlib import Path

import pytest

from surefoot.core import parts, records
from surefoot.core.links import against, both, elsewhere, one
from surefoot.core.program import Program
from surefoot.core.registry import ANSWERS, FAMILIES, OWN_FAMILIES, POLICIES
from surefoot.core.skeletons import ANSWER, BOUND, POLICY, TEST
from surefoot.problem.distributions import DISTRIBUTIONS, Distribution
from surefoot.problem.risks import RISKS, Risk
from surefoot.storage import Storage

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "surefoot"
KERNELS = (ROOT / "docs" / "kernels.md").read_text()
FAMILY = [*FAMILIES.values(), *(family for own in OWN_FAMILIES.values() for family in own.values())]
PARTS = {  # what is registered at each plug point of a program
    "mean bound": {family.mean_bound for family in FAMILY},
    "limit test": {test for family in FAMILY for test in family.limit_tests.values()},
    "answer": set(ANSWERS.values()),
    "ranker": {family.ranker for family in FAMILY},
    "policy": set(POLICIES.values()),
}
PROTOCOLS = {
    "mean bound": parts.MeanBound,
    "limit test": parts.LimitTest,
    "answer": parts.Answer,
    "ranker": parts.Ranker,
    "policy": parts.Policy,
}
SKELETONS = {"mean bound": BOUND, "limit test": TEST, "answer": ANSWER, "policy": POLICY}
CLASSES = {  # what is registered is of these; of a storage, a function that makes one
    "risk": (Risk, list(RISKS)),
    "distribution": (Distribution, list(DISTRIBUTIONS.values())),
    "storage": (Storage, []),
}
CALLED = {"limit test": "test"}  # by the link that has it; what others call `limit_test` is a chain of links
LINKS = [one, both, elsewhere, against]
HEADS = ["plug point", "file", "a line in", "must have", "declares", "may have", "sees"]


def table():
    """The rows by plug point, each a dictionary by the heads."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in KERNELS.splitlines() if line[:1] == "|"]
    assert rows[0] == HEADS
    return {row[0]: dict(zip(HEADS, row, strict=True)) for row in rows[2:] if len(row) == len(HEADS)}


ROWS = table()


def names(plug_point, head):
    return set(re.findall(r"`([^`]+)`", ROWS[plug_point][head]))


def asked(part, *packages):
    """What the code takes from a module that it calls so: `mean_bound.interval`, `getattr(policy, "PAIRS", False)`."""
    found = set()
    for package in packages or ("core", "problem", "study", "simulation"):
        for path in (PACKAGE / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and last_name(node.value) == part and not of_an_arm(node):
                    found.add(node.attr)
                if isinstance(node, ast.Call) and last_name(node.func) in ("getattr", "hasattr"):
                    if last_name(node.args[0]) == part and isinstance(node.args[1], ast.Constant):
                        found.add(node.args[1].value)
    return found


KEPT = {field for policy in POLICIES.values() for field in records.fields(policy.Evidence)}


def of_an_arm(node):
    """Is it a field that a policy keeps of an arm: `arm.policy.owed`?"""
    return isinstance(node.value, ast.Attribute) and node.value.attr == "policy" and node.attr in KEPT


def last_name(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def defined(module):
    """The public names that a module defines itself, constants among them."""
    mine = {name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    return {name for name in mine | {name for name in vars(module) if name.isupper()} if not name.startswith("_")}


def public(kind):
    """The public names in a class itself, those with an annotation alone among them."""
    return {name for name in {*vars(kind), *inspect.get_annotations(kind)} if not name.startswith("_")}


def test_every_plug_point_has_a_row():
    parts = {"limits": "limit test"}  # of which there may be several
    assert {parts.get(part, part.replace("_", " ")) for part in Program._fields} == {*PARTS, "shows", "items", "finite"}
    assert set(ROWS) == {*PARTS, *CLASSES}


@pytest.mark.parametrize("plug_point", PARTS)
def test_a_row_has_the_names_that_the_protocol_asks_for(plug_point):
    protocol = PROTOCOLS[plug_point]
    functions = {name for name, value in vars(protocol).items() if inspect.isfunction(value)} & public(protocol)
    skeleton = [SKELETONS[plug_point]] if plug_point in SKELETONS else []
    returned = set.intersection(*map(defined, [*PARTS[plug_point], *skeleton])) - public(protocol)
    assert names(plug_point, "must have") == functions | returned
    assert names(plug_point, "declares") == public(protocol) - functions


@pytest.mark.parametrize("plug_point", PARTS)
def test_a_part_has_the_names_of_its_row(plug_point):
    must = names(plug_point, "must have") | names(plug_point, "declares")
    may = names(plug_point, "may have")
    for module in PARTS[plug_point]:
        assert {name for name in must if not hasattr(module, name)} == set(), module.__name__
    for name in may:
        having = [hasattr(module, name) for module in PARTS[plug_point]]
        assert any(having), name
        assert not all(having), name
    assert may == asked(CALLED.get(plug_point, plug_point.replace(" ", "_"))) - must - {"__name__"}


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link.__name__)
def test_a_link_has_what_is_asked_of_all_limits_together(link):
    wanted = asked("limit_test", "core") | asked("display", "core")
    assert {"observe", "verdict", "shares", "shows", "sample_breaks", "observe_for_display"} <= wanted
    assert wanted <= set(vars(link))


def test_what_a_bound_may_have_is_what_its_protocols_add():
    assert names("mean bound", "may have") == public(parts.ClockedBound) | public(parts.PairedBound)


@pytest.mark.parametrize("plug_point", PARTS)
def test_a_part_is_where_its_row_says(plug_point):
    (pattern,) = names(plug_point, "file")
    found = {Path(module.__file__) for module in PARTS[plug_point]}
    assert found <= set(PACKAGE.glob(pattern))


@pytest.mark.parametrize("plug_point", CLASSES)
def test_a_class_asks_for_the_names_of_its_row(plug_point):
    kind, registered = CLASSES[plug_point]
    asked_for, without_value, usual = public(kind), set(), set()
    if not getattr(kind, "_is_protocol", False):
        asked_for, without_value = set(kind.__abstractmethods__), public(kind) - set(vars(kind))
        usual = public(kind) - asked_for - without_value
    beside = [defined(sys.modules[own.__module__]) - {"TYPE_CHECKING"} for own in registered]  # a distribution's kernel
    assert names(plug_point, "must have") == asked_for | (set.intersection(*beside) if beside else set())
    assert names(plug_point, "declares") == without_value
    assert names(plug_point, "may have") == {name for name in usual for own in registered if differs(own, kind, name)}


def differs(own, kind, name):
    return inspect.getattr_static(own, name) is not inspect.getattr_static(kind, name)


@pytest.mark.parametrize("plug_point", CLASSES)
def test_a_class_is_where_its_row_says(plug_point):
    kind, registered = CLASSES[plug_point]
    (pattern,) = names(plug_point, "file")
    assert {Path(inspect.getsourcefile(each)) for each in [kind, *registered]} <= set(PACKAGE.glob(pattern))


@pytest.mark.parametrize("plug_point", ROWS)
def test_a_line_is_added_where_its_row_says(plug_point):
    assert names(plug_point, "a line in")
    for place in names(plug_point, "a line in"):
        registry, file = place.split(" of ")
        assert hasattr(import_module("surefoot." + re.sub(r"(/__init__)?\.py$", "", file).replace("/", ".")), registry)


def test_adding_a_part_is_a_file_and_a_line_where_its_row_says():
    counts = [[cell.strip() for cell in line.strip("|").split("|")] for line in KERNELS.splitlines() if "| 1 |" in line]
    lines = {row[0].removeprefix("a").removeprefix("n").split(",")[0].strip(): row[2].strip("`") for row in counts}
    rows = {"bound": "mean bound", "limit": "risk"} | {
        each: each for each in ("limit test", "policy", "answer", "distribution")
    }
    assert lines.keys() == rows.keys()
    for added, file in lines.items():
        assert any(place.endswith(f" of {file}") for place in names(rows[added], "a line in"))


def test_the_diagram_is_of_this_code():
    script = ROOT / "docs" / "images" / "architecture.py"
    drawing = runpy.run_path(str(script))
    drawn = script.with_suffix(".svg").read_text(encoding="utf-8")
    assert drawing["picture"]() == drawn, f"draw it anew: python {script.relative_to(ROOT)}"
    for layer in (layer for row in drawing["layers"]() for layer in row):
        assert f'class="name">{layer}<' in drawn
        assert drawing["words"](layer)


def held(page):
    """What a page claims of the present: of a decision, not its alternatives, which do not exist."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    return re.sub(r"^## Alternatives.*?(?=^## |\Z)", "", text, flags=re.DOTALL | re.MULTILINE)


PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md", ROOT / "docs" / "kernels.md"]
PAGES += sorted((ROOT / "docs" / "decisions").glob("*.md"))
OTHERS = ["numpy.random.Generator", "numba.njit", "argmax", "fetch", "EventSource"]  # names of others' code
FOLDERS = ("src", "verification", "tests", "benchmarks", "docs", "examples", ".ci")


@pytest.fixture(scope="module")
def files():
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    return [path for path in [*found, *ROOT.glob("*.toml")] if "_build" not in path.parts]


DEFINED = re.compile(
    r"(?:def|class|import|from) ([\w.]+)|^(\w+) ?[:=]|(\w+): |[\"'](\w+)[\"']|(?:import|,) (\w+)", re.MULTILINE
)


@pytest.fixture(scope="module")
def words(files):
    """What the code defines, imports, annotates or quotes, and its files; a local variable is not enough."""
    found = {part for path in files for part in (path.stem, path.name)}
    code = [path for path in files if path.suffix in (".py", ".js") and not path.name.startswith("test_")]
    for path in [*code, ROOT / "Makefile", ROOT / "pyproject.toml"]:
        for groups in DEFINED.findall(path.read_text(encoding="utf-8")):
            found.update(word for group in groups for word in group.split("."))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_names_that_a_page_mentions_exist(page, files, words):
    ends = {str(path.relative_to(ROOT)) for path in files} | {
        str(path.relative_to(ROOT).with_suffix("")) for path in files
    }
    missing = []
    for mentioned in re.findall(r"`([^`\n]+)`", held(page)):
        if re.fullmatch(r"[\w.]+(/[\w.-]+)+", mentioned):
            missing += [] if any(f"/{end}".endswith(f"/{mentioned}") for end in ends) else [mentioned]
        elif mentioned not in OTHERS and re.fullmatch(r"[a-zA-Z_][\w.]*(\(.*\))?", mentioned):
            name = re.match(r"[\w.]+", mentioned)[0]
            missing += [mentioned for word in name.split(".") if word and word not in words]
    assert missing == []
