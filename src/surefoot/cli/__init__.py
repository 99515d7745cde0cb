"""The command line: argv in, text or JSON out, no arithmetic. Commands import what they need when they run."""

from surefoot.cli.main import main

__all__ = ["main"]
