"""The result of a pull that failed."""

from typing import NamedTuple

from surefoot.errors import InvalidValue

LONGEST = 200  # characters that are kept


class Failed(NamedTuple):
    """The result of a failed pull, with the reason: `study.tell_all([(pull, Failed("timeout"))])`."""

    why: str

    def checked(self) -> str:
        """The reason, on one line."""
        if not isinstance(self.why, str):
            raise InvalidValue(f"why a pull failed must be text, got {self.why!r}")
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in self.why).split())
        return line[:LONGEST] or "no reason given"
