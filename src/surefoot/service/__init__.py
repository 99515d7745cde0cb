"""Studies over HTTP, for a team: an API, server-sent events and a page. No arithmetic here."""

from surefoot.service.app import create_app
from surefoot.service.serve import serve

__all__ = ["create_app", "serve"]
