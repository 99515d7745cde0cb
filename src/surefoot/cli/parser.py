"""Reading argv: options in full, numbers in plain digits, no empty text; and the nearest option where one is misspelled."""

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from surefoot.errors import nearest, parsed_number


class Parser(argparse.ArgumentParser):
    """A parser whose errors are sentences, and whose commands have parsers of the same kind."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)
        self._negative_number_matcher = re.compile(r"-\.?[0-9]")  # -1e3 is a number too

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            first = next((word for word in unknown if word.startswith("-")), unknown[0]).partition("=")[0]
            what = "option" if first.startswith("-") else "argument"
            self.error(f"there is no {what} {first} here{nearest(first, self._option_string_actions)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"surefoot: {message} (`{self.prog} --help` explains)\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = list(action.choices)
            self.refuse(action, f"one of {', '.join(known)}", f"{value!r}{nearest(value, known)}")

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        if isinstance(action, argparse._SubParsersAction):  # the words of a command, for its own parser
            return text
        read, what = READERS.get(action.type, READERS[None])
        try:
            return read(text)
        except ValueError:
            self.refuse(action, what, repr(text[:100]))

    def _check_help(self, action: argparse.Action) -> None:
        """Python 3.14 reads the help of each option when it is added, which would import the kernels for `OneOf`."""

    def refuse(self, action: argparse.Action, wanted: str, got: str) -> NoReturn:
        name = "/".join(action.option_strings) or action.metavar or action.dest
        self.error(f"{name} must be {wanted}, got {got}")


def whole(text: str) -> int:
    """The whole number that text means."""
    parsed_number(text)  # refuses what `int` would take, as it does for other numbers
    return int(text)


def some(text: str) -> str:
    """Text that is not empty."""
    if not text:
        raise ValueError(text)
    return text


READERS: dict[Any, tuple[Callable[[str], Any], str]] = {
    int: (whole, "a whole number"),
    float: (parsed_number, "a number"),
    None: (some, "some text"),
}
