"""The command `tidelog`: nothing is computed here.

`shell` has the application, errors and exit codes; a module for each group of commands: `texts` (`check`, `format`, `graph`),
`evaluation` (`run`, `query`), `profile` (`profile`, `plan`), `ontology` (`ontology`, `consistency`), `stream`, `verify`,
`warm_up`, `pipeline`; `stream_display` shows a stream, and `stopping` handles SIGTERM and Ctrl-C.  Nothing imports this package
but the entry points.
"""

from __future__ import annotations

from tidelog.cli import evaluation, ontology, pipeline, profile, stream, texts, verify, warm_up
from tidelog.cli.shell import app

__all__ = ["app", "evaluation", "main", "ontology", "pipeline", "profile", "stream", "texts", "verify", "warm_up"]


def main() -> None:
    """Run the command line."""
    app(prog_name="tidelog")
