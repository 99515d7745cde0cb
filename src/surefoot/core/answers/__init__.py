"""Answers: what is asked for. Each says whose bounds must hold, with what probability, and when it is settled."""
