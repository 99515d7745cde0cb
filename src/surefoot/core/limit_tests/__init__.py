"""Limit tests: one arm's evidence in, feasible, infeasible or open out. One module each, with the names `none` has."""
