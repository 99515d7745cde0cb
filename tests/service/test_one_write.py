"""An answer leaves in one piece, whatever pieces it was written in."""

import asyncio
import socket
import threading

import pytest
import uvicorn

from surefoot.service.one_write import OneWrite, WholeAnswers
from surefoot.service.serve import listen


class Transport:
    """What was sent, and in which calls."""

    def __init__(self):
        self.sent = []

    def write(self, data):
        self.sent.append(bytes(data))

    def close(self):
        self.sent.append(None)

    def is_closing(self):
        return None in self.sent


def test_what_is_written_in_one_turn_is_sent_together():
    async def answers():
        transport = Transport()
        whole = OneWrite(transport, asyncio.get_running_loop())
        for answer in (b"first", b"second"):
            whole.write(b"head of ")
            whole.write(answer)
            assert b"head of " + answer not in transport.sent  # not before the turn is over
            await asyncio.sleep(0)
        return transport.sent

    assert asyncio.run(answers()) == [b"head of first", b"head of second"]


def test_what_was_written_before_it_closes_is_sent():
    async def answers():
        transport = Transport()
        whole = OneWrite(transport, asyncio.get_running_loop())
        whole.write(b"the last words")
        whole.close()
        assert whole.is_closing()
        await asyncio.sleep(0)
        return transport.sent

    assert asyncio.run(answers()) == [b"the last words", None]


@pytest.mark.parametrize("size", [2, 1_000_000])
def test_a_client_gets_head_and_body(size):
    async def app(scope, receive, send):
        headers = [(b"content-length", str(size).encode()), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"x" * size})

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, http=WholeAnswers, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        with socket.create_connection(listening.getsockname(), timeout=30) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            with client.makefile("rb") as answer:
                head, _, body = answer.read().partition(b"\r\n\r\n")  # until it is closed
        assert head.startswith(b"HTTP/1.1 200 OK")
        assert body == b"x" * size
    finally:
        server.should_exit = True
        thread.join()
