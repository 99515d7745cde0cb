"""Limits against a baseline: the evidence that two arms give together on whether one of them keeps such limits."""
