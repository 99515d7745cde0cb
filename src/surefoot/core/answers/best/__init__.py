"""The answer `best`: of the arms within the limit, the one with the best mean; or that no arm is within it."""
