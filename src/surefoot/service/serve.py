"""Listening: the socket, the signals, and nobody beyond this machine without a token."""

import gc
import ipaddress
import signal
import socket
from types import FrameType

import uvicorn

from surefoot.errors import InvalidValue, Unsupported
from surefoot.service.app import create_app
from surefoot.service.one_write import WholeAnswers
from surefoot.service.server_log import LOG, to_standard_error
from surefoot.service.studies import MEMORY
from surefoot.storage import Storage, tokens
from surefoot.storage.database import Database

UNREAD = 60_000  # milliseconds for which a client may take nothing of what it is sent
PATIENCE = 10  # seconds that requests have to end once we are told to


def serve(storage: Storage, host: str, port: int, memory: float = MEMORY) -> None:
    """Serve until SIGTERM or Ctrl-C, with studies of so many bytes in memory."""
    check_exposure(storage, host)
    listening = listen(host, port)
    if isinstance(storage, Database):
        storage.prepare(create=True)  # refused now rather than at every creation
    to_standard_error()
    app = create_app(storage, names=[host], stopping=lambda: server.should_exit, memory=memory)
    config = uvicorn.Config(
        app,
        http=WholeAnswers,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = uvicorn.Server(config)
    for number in (
        signal.SIGTERM,
        signal.SIGINT,
    ):  # uvicorn raises them again when it has ended, and that is not an error
        signal.signal(number, ended)
    at = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
    LOG.info("listening", extra={"fields": {"url": at}})
    gc.freeze()  # what is there now stays: to look for garbage in it again and again takes a tenth of the time
    print(f"Surefoot is at {at} (Ctrl-C ends it)", flush=True)
    server.run(sockets=[listening])


def check_exposure(storage: Storage, host: str) -> None:
    """Beyond loopback, a token."""
    if is_loopback(host) or any(token.revoked is None for token in tokens.listed(storage)):
        return
    raise Unsupported(
        f"listening on {host!r} would let anybody in, because there is no token: "
        "run `surefoot token create NAME --db URL` first, or listen on 127.0.0.1"
    )


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    try:
        (family, *_), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise InvalidValue(f"cannot listen on {host} port {port}: {error}") from error
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # where there is none, the system's own patience cuts such a client off
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD)
    return listening


def ended(number: int, frame: FrameType | None) -> None:
    """The service has ended as it was told to."""
