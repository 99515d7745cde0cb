"""`surefoot`: the parser and the exit codes."""

import argparse
import sys
from collections.abc import Sequence

import surefoot
from surefoot.cli import analyze, demo, hardness, paper, plan, simulate
from surefoot.errors import SurefootError

INTERRUPTED = 130
BAD_INPUT = 2
OUR_FAULT = 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="surefoot",
        description="Find the best option you can afford to risk.",
        epilog="`surefoot COMMAND --help` explains a command, with an example.",
    )
    top.add_argument("--version", action="version", version=f"surefoot {surefoot.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (analyze, plan, simulate, hardness, paper, demo):
        command.add_to(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except SurefootError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("surefoot: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone, as `| head` does
        sys.stderr.close()
        return OUR_FAULT
