"""What happens to SQLite files while they are in use, and what is acknowledged then."""

import contextlib
import os
import shutil

from surefoot.errors import StorageFailed


def remove(path):
    path.unlink()


def move(path):
    path.rename(f"{path}.moved")


def empty(path):
    path.unlink()
    path.touch()


def copy(path):
    """As an editor or a backup does it: another file of the same content."""
    shutil.copy(path, f"{path}.copy")
    os.replace(f"{path}.copy", path)


def each(act, path, suffixes):
    for suffix in suffixes:
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile, so that SQLite removed it
            act(path.with_name(path.name + suffix))


def tell(study, pulls, acknowledged):
    """Tell them; those that were refused, with what was said."""
    refused = {}
    for pull in pulls:
        try:
            study.tell(pull, 0.5)
            acknowledged.add(pull)
        except StorageFailed as error:
            refused[pull] = str(error)
    return refused


def study_storage(study):
    return study._replica.journal.database
