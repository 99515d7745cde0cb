"""`surefoot completion`: a script that makes a shell complete commands and options."""

import argparse
import json
from collections.abc import Iterator
from typing import Any

SHELLS = ("bash", "zsh", "fish")
FILES = ("FILE", "OUT", "LOG", "STUDY")  # what stands for the name of a file

EXAMPLE = """\
example:
  surefoot completion bash > ~/.local/share/bash-completion/completions/surefoot
  surefoot completion zsh > ~/.zfunc/_surefoot        # with fpath+=~/.zfunc before compinit in ~/.zshrc
  surefoot completion fish > ~/.config/fish/completions/surefoot.fish
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "completion",
        help="print a script with which your shell completes commands and options",
        description="Print a script with which your shell completes commands and options when you press Tab.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("shell", choices=SHELLS, help="which shell you use")
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from actions(command)


def run(options: argparse.Namespace) -> int:
    import shtab

    from surefoot.cli.main import parser

    top = parser()
    for action in actions(top):
        if action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    script = shtab.complete(top, options.shell)
    print(json.dumps({"shell": options.shell, "script": script}) if options.json else script)
    return 0
