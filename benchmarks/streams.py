"""What event streams cost the service while nothing happens, and what they cost an ask beside them."""

import os
import socket
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.service import Client, Service, begun, processor_seconds, timed

STREAMS = 500
SECONDS = 10.0
ASKS = 200


def stream(service: Service) -> socket.socket:
    """One that is open: its first words have come."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=60)
    head = f"GET /api/studies/study/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {service.token}\r\n\r\n"
    connection.sendall(head.encode())
    words = b""
    while b"created" not in words:
        words += connection.recv(65_536)
    return connection


def resident(process: int) -> float:
    """Bytes of memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def idle_share(process: int) -> float:
    """Of a core, while nobody asks for anything."""
    before = processor_seconds(process)
    time.sleep(SECONDS)
    return (processor_seconds(process) - before) / SECONDS


def ask_milliseconds(service: Service) -> float:
    """Asks that find the same answer, so that no event is written which streams would have to pass on."""
    client, body = Client(service.port, service.token), {"count": 1, "request": "the same"}
    return 1e3 * statistics.median(timed(client, "/api/studies/study/ask", body)[1] for _ in range(ASKS))


def measure() -> list[dict[str, Any]]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        service = begun(Service(f"{folder}/studies.db", f"{folder}/log", token=True))
        stack.callback(service.end)
        process = service.process.pid
        ask_milliseconds(service)  # warm
        alone, memory = ask_milliseconds(service), resident(process)
        without = idle_share(process)
        for _ in range(STREAMS):
            stack.enter_context(stream(service))
        share, beside = idle_share(process), ask_milliseconds(service)
        each = (resident(process) - memory) / STREAMS
    name = f"{STREAMS} idle streams of one study"
    return [
        {"what": f"{name}: share of a core", "value": share, "aim": "<= 0.05"},
        {"what": "no streams: share of a core", "value": without},
        {"what": "no streams: milliseconds of an ask, p50", "value": alone},
        {"what": f"{name}: milliseconds of an ask, p50", "value": beside},
        {"what": f"{name}: an ask over one without streams", "value": beside / alone, "aim": "<= 2"},
        {"what": f"{name}: kilobytes of memory of a stream", "value": each / 1e3},
    ]
