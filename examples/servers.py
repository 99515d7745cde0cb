"""Which web server answers faster, if 95 % of its answers must come within 10 ms?

Two servers of the standard library, each in a process of its own on this machine: one begins a thread for each
request, the other a process. A pull is one request on a new connection; its reward the milliseconds until the whole
answer is there, an answer that takes longer than 20 ms counts as 20. Nothing here is independent by construction: the
machine does other things, though caches are warmed up first. That requests made one after the other, by turns on both
servers, are draws of one distribution is a model.
"""

import http.client
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from multiprocessing import get_context
from multiprocessing.connection import Connection
from socketserver import ForkingMixIn

from surefoot import Quantile, Study, find_best

LONGEST = 20.0  # milliseconds
WARM_UP = 50  # requests to each that do not count


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<p>Hello!</p>" * 1000
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


class ForkingHTTPServer(ForkingMixIn, HTTPServer):
    pass


SERVERS = {"thread": ThreadingHTTPServer, "process": ForkingHTTPServer}


def serve(name: str, port: Connection) -> None:
    with SERVERS[name](("127.0.0.1", 0), Page) as server:
        port.send(server.server_port)
        server.serve_forever()


@contextmanager
def running(name: str) -> Iterator[int]:
    """A server that runs as long as it is needed; its port."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(name, theirs))
    process.start()
    try:
        if not ours.poll(60):
            raise TimeoutError(f"the server {name} did not start")
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def milliseconds(port: int) -> float:
    """How long one request takes."""
    started = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/")
    connection.getresponse().read()
    connection.close()
    return min(1000.0 * (time.perf_counter() - started), LONGEST)


def main() -> Study:
    if not hasattr(os, "fork"):
        raise SystemExit("this example needs a system that can fork")
    with running("thread") as thread, running("process") as process:
        for _ in range(WARM_UP):
            milliseconds(thread), milliseconds(process)
        measures = {"thread": lambda: milliseconds(thread), "process": lambda: milliseconds(process)}
        return find_best(
            measures,
            goal="min",
            risk=Quantile(0.95, at_most=10),
            rewards=(0, LONGEST),
            tolerance=0.2,
            max_pulls=3000,
        )


if __name__ == "__main__":
    study = main()
    print(f"{study.table()}\n\n{study.decision}")
