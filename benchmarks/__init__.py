"""Measurements: `make bench` prints them and writes benchmarks/results/latest.json. Ratios, measured in one run."""
