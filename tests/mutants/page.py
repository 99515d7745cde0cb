"""The table of docs/mutants.md: how many were killed, and of every other one why it does not matter."""

import tomllib
from collections import Counter
from pathlib import Path

from scipy.stats import binomtest

from tests.mutants.sample import CORE, Mutant

REASONS: dict[str, str] = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text())


def unexplained(survivors: list[Mutant]) -> list[Mutant]:
    return [mutant for mutant in survivors if mutant.name not in REASONS]


def table(mutants: list[Mutant], survivors: list[Mutant], every: int) -> str:
    killed = len(mutants) - len(survivors)
    interval = binomtest(killed, len(mutants)).proportion_ci(0.95, "exact")
    low, high = 100 * interval.low, 100 * interval.high
    lines = [
        f"**{killed} of {len(mutants)} mutants are killed, {100 * killed / len(mutants):.1f} %** "
        f"(exact 95 % interval: {low:.1f} to {high:.1f} %). They are drawn from {every:,}.",
        "",
        "| module | mutants | killed |",
        "|---|---:|---:|",
    ]
    drawn, left = Counter(mutant.path for mutant in mutants), Counter(mutant.path for mutant in survivors)
    lines += [f"| `{inside(path)}` | {drawn[path]} | {drawn[path] - left[path]} |" for path in sorted(drawn)]
    lines += ["", "The survivors:", "", "| where | change | why no test notices |", "|---|---|---|"]
    for mutant in sorted(survivors):
        change = f"{code(mutant.before)} → {code(mutant.after)}"
        lines.append(f"| `{inside(mutant.path)}:{mutant.line}` | {change} | {REASONS.get(mutant.name, '')} |")
    return "\n".join(lines) + "\n"


def inside(path: str) -> str:
    return str(Path(path).relative_to(CORE))


def code(text: str) -> str:
    return f"`{text.split('  #')[0]}`".replace("|", "\\|") if text else "*nothing*"
