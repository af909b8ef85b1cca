"""The command `tidelog`: nothing is computed here.

`shell` has the application, errors and exit codes; a module for each group of commands: `texts` (`check`, `format`, `graph`),
`evaluation` (`run`, `query`), `profile` (`profile`, `plan`), `ontology` (`ontology`, `consistency`), `sparql`, `stream`,
`verify`, `warm_up`, `pipeline`, and the packages `start` (`init`, `repl`) and `why` (`explain`, `why-not`, `what-if`).
`stream_display` shows a stream; in `common`, `in_json` prints what `--json` asks for, `told` a change as lines, and `stopping`
handles SIGTERM and Ctrl-C.  Nothing imports this package but the entry points.
"""

from __future__ import annotations

from tidelog.cli import evaluation, ontology, pipeline, profile, sparql, stream, texts, verify, warm_up
from tidelog.cli.shell import app
from tidelog.cli.start import starter, terminal
from tidelog.cli.why import explaining, missing, supposing

__all__ = [
    "app",
    "evaluation",
    "main",
    "ontology",
    "pipeline",
    "profile",
    "sparql",
    "starter",
    "stream",
    "terminal",
    "texts",
    "verify",
]
__all__ += ["warm_up"]
__all__ += ["explaining", "missing", "supposing"]


def main() -> None:
    """Run the command line."""
    app(prog_name="tidelog")
