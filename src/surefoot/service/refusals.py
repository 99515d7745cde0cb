"""What a client is told when something cannot be done: the one place where an error becomes words for others.

The words of an error that is about what the client sent are the client's. The words of any other error may say where the
storage is, and stay in the log: the client gets a sentence from here.
"""

from typing import NamedTuple

from surefoot.errors import BadJournal, Conflict, InvalidValue, NoSuchStudy, StorageFailed, SurefootError, Unsupported
from surefoot.service.server_log import LOG

# About what was sent, so that their own words can be passed on; and the status they have.
SENT: dict[type[SurefootError], int] = {InvalidValue: 422, Unsupported: 422, Conflict: 409}

UNUSABLE = "the storage could not be used just now: the service's log says why"
FAULT = "something went wrong in the service: its log says what"


class Refusal(NamedTuple):
    """The status of an answer and its sentence."""

    status: int
    detail: str


def refusal(error: BaseException, study: str | None = None) -> Refusal:
    """What to answer to a request, about a study if it named one. What is not the client's doing is noted in the log."""
    if isinstance(error, NoSuchStudy):
        return Refusal(404, "there is no such study" if study is None else f"there is no study {study!r}")
    for kind, status in SENT.items():
        if isinstance(error, kind):
            return Refusal(status, str(error))
    if isinstance(error, StorageFailed):
        LOG.error(str(error))
        return Refusal(503, UNUSABLE)
    if isinstance(error, BadJournal):
        LOG.error(str(error))
        which = "the journals of this storage are" if study is None else f"the journal of the study {study!r} is"
        return Refusal(
            500,
            f"{which} damaged and cannot be read: the service's log says where, "
            "and `surefoot salvage` rescues what is before the damage",
        )
    LOG.error("a request failed", exc_info=error)
    return Refusal(500, FAULT)
