"""Real servers for the tests: in a thread of this process, or as a process of its own that can be killed."""

import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import uvicorn

from surefoot.service import create_app
from surefoot.service.serve import listen


@contextmanager
def served(storage, **options):
    """The address of a service over a storage."""
    listening = listen("127.0.0.1", 0)
    app = create_app(storage, stopping=lambda: server.should_exit, **options)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class Process:
    """`surefoot serve`, on a port of its own that it keeps when it is started again."""

    def __init__(self, database, log):
        self.database, self.log, self.port = str(database), log, 0
        self.start()

    def start(self):
        command = [sys.executable, "-m", "surefoot", "serve", "--db", self.database, "--port", str(self.port)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", line)[0]
        self.port = int(self.url.rpartition(":")[2])

    def kill(self):
        self.process.kill()
        self.end()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self):
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code
