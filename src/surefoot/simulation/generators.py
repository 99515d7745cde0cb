"""Random numbers for runs.

numba keeps a reference to every generator that a compiled function was ever called with, some kilobytes each. So each thread
has one, which is begun anew for each of its runs.
"""

import threading

import numpy as np


class OfThread(threading.local):
    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64())


OURS = OfThread()


def run_generator(seed: int, run: int) -> np.random.Generator:
    """A generator that draws what `default_rng(SeedSequence(seed, spawn_key=(run,)))` does, until this thread asks for
    another.
    """
    begun = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(run,)))
    OURS.generator.bit_generator.state = begun.state
    return OURS.generator
