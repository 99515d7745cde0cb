"""Studies that are busy go on with compiled kernels, which take a tenth of the time.

To compile them takes a core for a quarter of a minute. So another process does it, after all that is more urgent, and keeps
them on disk. A thread loads them from there, and a study changes over between two calls. Until then, and where nothing can
be kept on disk, kernels are interpreted: they give the same bits.
"""

import json
import subprocess
import sys
import threading
from weakref import WeakKeyDictionary

from surefoot.problem import Problem
from surefoot.service.server_log import LOG
from surefoot.study import Study
from surefoot.study.engine import Engine

ENOUGH = 10_000  # results of a study in this process, from which on it is busy
ONE_AT_A_TIME = threading.Lock()  # programs that are compiled


class BusyStudies:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.first_seen: WeakKeyDictionary[Engine, int] = WeakKeyDictionary()  # with so many results
        self.programs: dict[tuple[str, ...], Program] = {}  # by problem, policy and bounds

    def note(self, study: Study) -> None:
        """Has a call made it a busy one? Then have its kernels compiled; if they are, change over."""
        engine = study._engine
        if engine.is_compiled or not engine.can_be_compiled:
            return
        created = study._replica.state.created
        program = self.programs.get(key := (created["problem"], created["policy"], created["bounds"]))
        if program is None:
            if engine.counted - self.first_seen.setdefault(engine, engine.counted) >= ENOUGH:
                with self.lock:
                    if key not in self.programs:
                        self.programs[key] = Program(*key)
        elif program.is_loaded:
            study._replica.compile()

    def close(self) -> None:
        for program in self.programs.values():
            program.close()


class Program:
    """Kernels that are being compiled and loaded."""

    def __init__(self, problem: str, policy: str, bounds: str) -> None:
        self.said = {"problem": problem, "policy": policy, "bounds": bounds}
        self.is_loaded = False
        self.is_closed = False
        self.process: subprocess.Popen[str] | None = None
        threading.Thread(target=self.load, daemon=True, name="compiling").start()

    def load(self) -> None:
        """Have another process compile them; then load them, by a study that is thrown away."""
        try:
            with ONE_AT_A_TIME:
                complaint = "the service ends" if self.is_closed else self.compiled_elsewhere()
            if complaint:
                LOG.warning("kernels stay interpreted: %s", complaint)
                return
            Engine(Problem.loads(self.said["problem"]), self.said["policy"], self.said["bounds"], seed=0).compile()
            self.is_loaded = True
        except Exception:
            LOG.exception("kernels stay interpreted")

    def compiled_elsewhere(self) -> str:
        """Why they could not be compiled; nothing if they were."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "surefoot.study.compile_kernels"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        _, complaint = self.process.communicate(json.dumps(self.said))
        return (complaint.strip().rpartition("\n")[2] or "no reason given") if self.process.returncode else ""

    def close(self) -> None:
        self.is_closed = True
        if self.process is not None:
            self.process.terminate()
