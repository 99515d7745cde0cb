"""The commands of spelling.toml: does a rule find the word that was meant? `python3 _spelling.py RULE "recieve receive"`."""

import difflib
import sys
from collections.abc import Callable, Iterable
from itertools import takewhile
from pathlib import Path

MEANT = [line.split()[1] for line in Path(__file__).with_name("spelling.txt").read_text().splitlines()]
RULES: dict[str, Callable[[str, str], float]] = {
    "blocks": lambda word, other: difflib.SequenceMatcher(None, word, other).ratio(),
    "beginning": lambda word, other: common(word, other),
    "end": lambda word, other: common(reversed(word), reversed(other)),
}


def common(letters: Iterable[str], others: Iterable[str]) -> int:
    """How many letters are the same before the first that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(letters, others, strict=False)))


def finds(rule: str, item: str) -> int:
    """1 if the word that the rule likes best is the one that was meant."""
    word, meant = item.split()
    return int(max(MEANT, key=lambda other: RULES[rule](word, other)) == meant)


if __name__ == "__main__":
    print(finds(*sys.argv[1:]))
