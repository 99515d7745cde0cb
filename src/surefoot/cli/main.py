"""`surefoot`: the parser and the exit codes."""

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import surefoot
from surefoot.cli import (
    analyze,
    completion,
    demo,
    gate,
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
from surefoot.cli.parser import Parser
from surefoot.errors import BadJournal, Caution, SurefootError

INTERRUPTED = 130
BAD_INPUT = 2
OUR_FAULT = 1

RESCUE = "; `surefoot salvage` says how much of the journal is undamaged, and can keep that part"


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="surefoot",
        description="Find the best option you can afford to risk.",
        epilog="`surefoot COMMAND --help` explains a command and gives an example.",
    )
    top.add_argument("--version", action="version", version=f"surefoot {surefoot.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        run,
        analyze,
        plan,
        gate,
        stored,
        import_log,
        simulate,
        hardness,
        paper,
        demo,
        serve,
        token,
        completion,
    ):
        command.add_to(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # an old terminal shows a ? and not a traceback
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    for argument in arguments:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):  # bytes that Python could not decode
            print(f"surefoot: every argument must be text in UTF-8, got {argument!r}", file=sys.stderr)
            return BAD_INPUT
    options = parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", Caution)
        warnings.showwarning = told_by(warnings.showwarning)
        return run_command(options)


def told_by(usual: Any) -> Any:
    """What shows warnings: a caution as a sentence of ours, all others as usual."""

    def show(message: Warning | str, category: type[Warning], *others: Any, **more: Any) -> None:
        if issubclass(category, Caution):
            print(f"surefoot: {message}", file=sys.stderr)
        else:
            usual(message, category, *others, **more)

    return show


def run_command(options: argparse.Namespace) -> int:
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
