"""Programs are compiled in processes of their own, and loaded from where they are kept.

What numba keeps of all that it compiles is never freed, some 50 MB for each program: the tests would need gigabytes.
"""

import os
import signal

from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

LONGEST = 600  # seconds; a child that takes longer is stuck, and this process compiles the program itself

in_this_process = Dispatcher.compile


def in_a_child(dispatcher, signature):
    """Compile what is kept on disk in a child, unless it is there; whatever goes wrong there is seen here again."""
    kept = dispatcher._cache
    if os.name == "posix" and isinstance(kept, FunctionCache):
        with global_compiler_lock:  # so that no other thread has it when this process is copied
            if kept.load_overload(signature, dispatcher.targetctx) is None:
                child = os.fork()
                if child == 0:
                    try:
                        signal.alarm(LONGEST)
                        in_this_process(dispatcher, signature)
                    finally:
                        os._exit(0)
                os.waitpid(child, 0)
    return in_this_process(dispatcher, signature)
