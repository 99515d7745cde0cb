"""Policies: what to pull next and when to stop. One module each, with one function `step`."""
