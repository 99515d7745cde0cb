"""Kernels: numbers of arms in, choice out.

Plain functions over records of arms. A live study calls them as they are; `surefoot.compiled` compiles the
same source for simulation. Kernels import numpy and math only, and typing for what they declare; a test names who else
imports what. Other kernels are reached through their module (`statistics.observe`), never imported by name, so that
`assembly` can put another module in the same place.
"""
