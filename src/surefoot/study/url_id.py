"""A study's name as one part of a URL, and back.

Letters, digits, - and _ stand for themselves, any other byte of the name in UTF-8 is ~ and two hexadecimal digits. Only
characters that no browser, proxy or shell touches are left, which cannot be said of %2F.
"""

import re

from surefoot.errors import InvalidValue

PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
IDENTITY = re.compile(r"(?:[A-Za-z0-9_-]|~[0-9a-f]{2})+")


def identity(name: str) -> str:
    """What a study is called in a URL.

    >>> identity("dose / week")
    'dose~20~2f~20week'
    """
    return "".join(chr(byte) if byte in PLAIN else f"~{byte:02x}" for byte in name.encode())


def name_of(identity: str) -> str:
    """The name of the study that a URL means.

    >>> name_of("dose~20~2f~20week")
    'dose / week'
    """
    if IDENTITY.fullmatch(identity):
        found = re.sub(rb"~(..)", lambda code: bytes.fromhex(code[1].decode()), identity.encode())
        try:
            return found.decode()
        except UnicodeDecodeError:
            pass
    raise InvalidValue(
        f"a study's id must be letters, digits, -, _ and ~ with two hexadecimal digits, got {identity!r}"
    )
