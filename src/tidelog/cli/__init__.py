"""The command `tidelog`."""

from __future__ import annotations

from tidelog.cli import evaluation, graph, pipeline, stream, texts
from tidelog.cli.shell import app

__all__ = ["app", "evaluation", "graph", "main", "pipeline", "stream", "texts"]


def main() -> None:
    """Run the command line."""
    app(prog_name="tidelog")
