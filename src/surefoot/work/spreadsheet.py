"""Text in a CSV that a spreadsheet may open: there, a cell that begins like a formula is one, whoever wrote it."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
MARK = "'"  # what spreadsheets take for "this is text"


def guarded(text: str) -> str:
    """Text that no spreadsheet computes.

    >>> guarded("=1+1"), guarded("-5"), guarded("B")
    ("'=1+1", "'-5", 'B')
    """
    return MARK + text if text.lstrip(MARK).startswith(FORMULA) else text


def unguarded(text: str) -> str:
    """The text that was guarded.

    >>> unguarded(guarded("=1+1")), unguarded("'B'")
    ('=1+1', "'B'")
    """
    return text[1:] if text.startswith(MARK) and text.lstrip(MARK).startswith(FORMULA) else text
