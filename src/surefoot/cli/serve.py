"""`surefoot serve`: studies over HTTP, with a page."""

import argparse
from typing import Any

from surefoot.errors import Unsupported, number

DATABASE = "surefoot.db"

EXAMPLE = """\
example:
  surefoot serve
  surefoot serve --db postgresql://user@host/database --port 8080

The service accepts requests from other machines only if there is a token:

  surefoot token create lab
  surefoot serve --host 0.0.0.0
"""


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "serve",
        help="serve studies over HTTP, with a page that shows them live",
        description="Serve stored studies: an HTTP API, with its documentation at /docs, and a page that shows them live.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_storage_to(command)
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    command.add_argument(
        "--port", type=int, default=8000, help="port to listen on; 0: any free port (default: %(default)s)"
    )
    command.add_argument(
        "--memory",
        type=float,
        default=1.0,
        metavar="GB",
        help="memory for open studies; if they need more, those used longest ago are closed, and read again when needed "
        "(default: %(default)g)",
    )
    command.set_defaults(run=run)


def add_storage_to(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--db",
        default=DATABASE,
        metavar="URL",
        help="where the studies are stored: a file or postgresql://… (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    from surefoot.storage import connect

    try:
        from surefoot.service import serve
    except ImportError as error:
        raise Unsupported(f"the service needs {error.name}: pip install 'surefoot[service]'") from error
    memory = number("--memory", options.memory, above=0, at_most=1e6)
    serve(connect(options.db), options.host, options.port, 1e9 * memory)
    return 0
