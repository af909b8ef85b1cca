"""The command `tidelog`: nothing is computed here.

`shell` has the application, errors and exit codes; a module for each group of commands: `texts` (`check`, `format`), `evaluation`
(`run`, `query`), `graph`, `stream`, `verify`, `pipeline`; `display` and `stream_display` show progress, and `stopping` handles
SIGTERM and Ctrl-C.  Nothing imports this package but the entry points.
"""

from __future__ import annotations

from tidelog.cli import evaluation, graph, pipeline, stream, texts, verify
from tidelog.cli.shell import app

__all__ = ["app", "evaluation", "graph", "main", "pipeline", "stream", "texts", "verify"]


def main() -> None:
    """Run the command line."""
    app(prog_name="tidelog")
