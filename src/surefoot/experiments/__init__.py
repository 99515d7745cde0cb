"""The paper's instances, and random ones that nothing was tuned to."""
