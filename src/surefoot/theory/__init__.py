"""How hard an instance is, and how many pulls the theory allows: numbers in, numbers out."""
