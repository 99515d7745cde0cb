"""Comparisons: is one arm surely no worse than another, by the levels of a state? Each arm by itself, or both together."""
