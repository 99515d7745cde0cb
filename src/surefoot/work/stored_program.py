"""The policy and the bounds of a study that is kept: as named by whoever begins it, and the same from then on."""

from surefoot.errors import Conflict, NoSuchStudy
from surefoot.storage import Storage


def stored_program(storage: Storage, study: str, policy: str | None, bounds: str | None) -> dict[str, str | None]:
    """Those that a study was begun with, or those named if it is still to be begun; refused where they contradict."""
    named = {"policy": policy, "bounds": bounds}
    try:
        created = next(storage.journal(study).since(0, 1), None)
    except NoSuchStudy:
        created = None
    if created is None:
        return named
    for field, name in named.items():
        if name not in (None, created[field]):
            raise Conflict(
                f"the study {study!r} was begun with --{field} {created[field]}, got {name}: leave out --{field}, "
                "or begin another study with --name"
            )
    return {field: created[field] for field in named}
