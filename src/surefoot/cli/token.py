"""`surefoot token`: who may use the service."""

import argparse
import json
import time
from typing import Any

from surefoot.cli.serve import add_storage_to

EXAMPLE = """\
example:
  surefoot token create lab
  surefoot token create screen --read-only
  surefoot token list
  surefoot token revoke screen

As soon as one token exists, even a revoked one, the service asks for a token. It refuses a revoked token within a second.
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "token",
        help="create, list and revoke the tokens that let people use the service",
        description="Create, list and revoke tokens of the service. They are stored as hashes, beside the studies.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True)
    create = actions.add_parser("create", help="make a token and print it; it is never shown again")
    create.add_argument("name", metavar="NAME", help="name of the token: who or what uses it")
    create.add_argument("--read-only", action="store_true", help="the token lets people read, and change nothing")
    create.set_defaults(run=run_create)
    listed = actions.add_parser("list", help="list the tokens")
    listed.set_defaults(run=run_list)
    revoke = actions.add_parser("revoke", help="make the service refuse a token from now on")
    revoke.add_argument("name", metavar="NAME", help="name of the token, as `surefoot token list` shows it")
    revoke.set_defaults(run=run_revoke)
    for action in (create, listed, revoke):
        add_storage_to(action)
        action.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run_create(options: argparse.Namespace) -> int:
    from surefoot.storage import connect, tokens

    scope = "read" if options.read_only else "write"
    token = tokens.create(connect(options.db), options.name, scope)
    print(json.dumps({"name": options.name, "scope": scope, "token": token}) if options.json else token)
    return 0


def run_list(options: argparse.Namespace) -> int:
    from surefoot.storage import connect, tokens

    stored = tokens.listed(connect(options.db))
    if options.json:
        print(json.dumps({"tokens": [{k: v for k, v in token._asdict().items() if k != "digest"} for token in stored]}))
        return 0
    lines = [("name", "may", "created", "last used", "revoked")]
    lines += [(token.name, token.scope, when(token.created), when(token.used), when(token.revoked)) for token in stored]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    return 0


def run_revoke(options: argparse.Namespace) -> int:
    from surefoot.storage import connect, tokens

    tokens.revoke(connect(options.db), options.name)
    if options.json:
        print(json.dumps({"name": options.name, "revoked": True}))
    else:
        print(f"The token {options.name!r} is refused from now on.")
    return 0


def when(seconds: float | None) -> str:
    return "" if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
