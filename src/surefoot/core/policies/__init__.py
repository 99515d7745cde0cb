"""Policies: when to stop (`stop`) and what to pull next (`choose`). One module each, to read beside its pseudocode."""
