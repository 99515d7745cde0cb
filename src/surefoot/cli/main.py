"""`surefoot`: the parser and the exit codes."""

import argparse
import sys
from collections.abc import Sequence

import surefoot
from surefoot.cli import (
    analyze,
    completion,
    demo,
    hardness,
    import_log,
    paper,
    plan,
    run,
    serve,
    simulate,
    stored,
    token,
)
from surefoot.errors import BadJournal, SurefootError

INTERRUPTED = 130
BAD_INPUT = 2
OUR_FAULT = 1

RESCUE = "; `surefoot salvage` tells how much of it is sound, and rescues that"


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="surefoot",
        description="Find the best option you can afford to risk.",
        epilog="`surefoot COMMAND --help` explains a command, with an example.",
    )
    top.add_argument("--version", action="version", version=f"surefoot {surefoot.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (run, analyze, plan, stored, import_log, simulate, hardness, paper, demo, serve, token, completion):
        command.add_to(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # an old terminal shows a ? and not a traceback
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except SurefootError as error:
        can_be_rescued = type(error) is BadJournal and options.run is not stored.salvage
        command = stored.rescue_after(options) if can_be_rescued else ""
        print(f"surefoot: {error}{RESCUE if can_be_rescued else ''}{command and f': {command}'}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("surefoot: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone, as `| head` does
        sys.stderr.close()
        return OUR_FAULT
