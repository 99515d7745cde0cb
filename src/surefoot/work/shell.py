"""Commands that we print for people to run."""

import shlex
from collections.abc import Iterable


def shell_command(name: str, given: Iterable[str], options: dict[str, object]) -> str:
    """`surefoot NAME GIVEN… OPTIONS…` as a shell takes it, whatever dashes, quotes and blanks are in it.

    An option that is True stands alone, and one with a list is repeated.

    >>> shell_command("delete", ["my study"], {"--db": "-x.db", "--yes": True})
    "surefoot delete 'my study' --db=-x.db --yes"
    >>> shell_command("delete", ["-x"], {"--db": "x.db"})
    'surefoot delete --db x.db -- -x'
    """
    words = []
    for option, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            text = str(one).removesuffix(".0") if isinstance(one, float) else str(one)
            words += [option] if one is True else [f"{option}={text}"] if text.startswith("-") else [option, text]
    given = list(given)
    dashed = any(word.startswith("-") for word in given)
    return shlex.join(["surefoot", name, *([*words, "--", *given] if dashed else [*given, *words])])
