"""Simulated problems: instances, the loop that runs a policy against them, sweeps of many runs and their results."""

from surefoot.simulation.instance import Instance
from surefoot.simulation.sweep import simulate
from surefoot.simulation.sweep_results import Sweep

__all__ = ["Instance", "Sweep", "simulate"]
