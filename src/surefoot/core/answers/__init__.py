"""Answers: what is asked for. Each says whose bounds must hold, with what probability, when it is settled, and who may still
belong to it. One module each.
"""
