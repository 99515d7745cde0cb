"""--policy and --bounds, for every command that decides something."""

import argparse

# Spelled out, because --help is not to import the kernels; a test compares them with the registry.
POLICIES = "va-lucb, va-uniform, risk-averse-ucb, successive-elimination, lil-ucb, track-and-stop, top-two"
BOUNDS = "tight, sharp, paper, lil, subgaussian"
FEWEST = "whichever needs the fewest pulls"


def add_options(command: argparse.ArgumentParser, default: str = FEWEST) -> None:
    command.add_argument(
        "--policy", help=f"rule that says which arm to pull and when to stop: {POLICIES} (default: {default})"
    )
    command.add_argument("--bounds", help=f"family of confidence bounds: {BOUNDS} (default: {default})")
