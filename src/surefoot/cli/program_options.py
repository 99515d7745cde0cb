"""--policy and --bounds, for every command that decides something."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import Any

FEWEST = "whichever needs the fewest pulls"


class OneOf(argparse.Action):
    """An option for the name of a part. Which names there are is looked up when somebody reads the help, and not before: to
    import the kernels takes three times as long as to import all else.
    """

    def __init__(self, names: Callable[[], Iterable[str]], **settings: Any) -> None:
        self.names = names
        super().__init__(**settings)

    @property
    def help(self) -> str:
        return self.words.format(", ".join(self.names()))

    @help.setter
    def help(self, words: str) -> None:
        self.words = words

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)


def policies() -> Iterable[str]:
    from surefoot.core.registry import POLICIES

    return POLICIES


def bounds() -> Iterable[str]:
    from surefoot.core.registry import BOUNDS

    return BOUNDS


def add_options(command: argparse.ArgumentParser, default: str = FEWEST) -> None:
    rule = f"rule that says which arm to pull and when to stop: {{}} (default: {default})"
    command.add_argument("--policy", action=OneOf, names=policies, help=rule)
    family = f"family of confidence bounds: {{}} (default: {default})"
    command.add_argument("--bounds", action=OneOf, names=bounds, help=family)
