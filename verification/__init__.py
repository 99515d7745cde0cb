"""What verifies Surefoot: run from the repository by make, and no part of what is installed."""
