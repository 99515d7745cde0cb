"""May a change ship? A baseline and a candidate, compared round by round until it is known (docs/gate.md has the proofs)."""

from surefoot.work.gate.gate import Gate, Report

__all__ = ["Gate", "Report"]
