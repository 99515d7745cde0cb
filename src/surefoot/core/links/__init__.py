"""Links: what makes one part of all the limits of a problem, so that rankers and policies know of one (`core/chains.py`)."""
