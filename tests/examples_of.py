"""Tables of examples that say what is missing, to whoever registers a part that they do not know."""

from typing import Any


class ExamplesOf(dict[str, Any]):
    """By the name of a part. `place` is where the table stands."""

    def __init__(self, place: str, examples: dict[str, Any]) -> None:
        super().__init__(examples)
        self.place = place

    def __missing__(self, name: str) -> Any:
        raise AssertionError(f"{name!r} is registered and has no example: add one to {self.place}")
