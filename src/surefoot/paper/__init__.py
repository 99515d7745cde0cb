"""The paper, reproduced: what it ran, what it printed, what we get, and where the two differ."""
