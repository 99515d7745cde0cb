"""Studies that are busy go on with compiled kernels, which themselves take a tenth of the time.

To compile them takes a core for a quarter of a minute. So another process does it, after all that is more urgent, and keeps
them on disk. A thread loads them from there, and a study changes over between two calls. Until then, and where nothing can
be kept on disk, kernels are interpreted: they give the same bits.
"""

import gc
import json
import subprocess
import sys
import threading
from hashlib import blake2b
from weakref import WeakKeyDictionary

from surefoot.problem import Problem
from surefoot.service.server_log import LOG
from surefoot.study import Study
from surefoot.study.engine import Engine
from surefoot.study.snapshot import version

ENOUGH = 10_000  # results of a study in this process, from which on it is busy
ONE_AT_A_TIME = threading.Lock()  # programs that are compiled


class BusyStudies:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.first_seen: WeakKeyDictionary[Engine, int] = WeakKeyDictionary()  # the results that it had then
        self.programs: dict[bytes, Program] = {}  # by a digest of problem, policy and bounds

    def note(self, study: Study) -> None:
        """Is the study busy now? Then have its kernels compiled; once they are, change over.

        The call that was made is written already: whatever goes wrong here must not take its answer away.
        """
        state = study._replica.loaded
        if state is None or state.engine.is_compiled or not state.engine.can_be_compiled:
            return
        engine = state.engine
        if engine.counted - self.first_seen.setdefault(engine, engine.counted) < ENOUGH:
            return
        try:
            if self.program(*(state.created[name] for name in ("problem", "policy", "bounds"))).is_loaded:
                study._replica.compile()
        except Exception:
            LOG.exception("kernels stay interpreted")
            self.first_seen[engine] = engine.counted  # to be tried again after as many results

    def program(self, problem: str, policy: str, bounds: str) -> "Program":
        key = blake2b("\0".join((problem, policy, bounds)).encode()).digest()
        with self.lock:
            if key not in self.programs:
                self.programs[key] = Program(problem, policy, bounds)
            return self.programs[key]

    def close(self) -> None:
        with self.lock:
            for program in self.programs.values():
                program.close()


class Program:
    """Kernels that are being compiled and loaded."""

    def __init__(self, *said: str) -> None:
        self.is_loaded = False
        self.is_closed = False
        self.starting = threading.Lock()
        self.process: subprocess.Popen[str] | None = None
        threading.Thread(target=self.load, args=said, daemon=True, name="compiling").start()

    def load(self, problem: str, policy: str, bounds: str) -> None:
        """Have another process compile them; then load them, by a study that is thrown away."""
        try:
            with ONE_AT_A_TIME:
                complaint = self.compiled_elsewhere({"problem": problem, "policy": policy, "bounds": bounds})
            if self.is_closed:
                return
            if complaint:
                LOG.warning("kernels stay interpreted: %s", complaint)
                return
            Engine(Problem.loads(problem), policy, bounds, seed=0).compile()
            gc.freeze()  # the compiler stays
            self.is_loaded = True
        except Exception:
            LOG.exception("kernels stay interpreted")

    def compiled_elsewhere(self, said: dict[str, str]) -> str:
        """Why they could not be compiled; nothing if they were."""
        command = [sys.executable, "-P", "-m", "surefoot.study.compile_kernels"]
        pipe = subprocess.PIPE
        with self.starting:
            if self.is_closed:
                return "the service ends"
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        answer, complaint = self.process.communicate(json.dumps(said))
        if self.process.returncode:
            return complaint.strip().rpartition("\n")[2] or "no reason given"
        return "" if answer == version() else "another version of Surefoot is installed than the one that runs"

    def close(self) -> None:
        with self.starting:
            self.is_closed = True
            if self.process is not None:
                self.process.terminate()
