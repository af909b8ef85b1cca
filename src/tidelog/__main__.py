"""`python -m tidelog`: the command line, where the command `tidelog` is not on the path."""

from __future__ import annotations

from tidelog.cli import app

if __name__ == "__main__":
    app(prog_name="python -m tidelog")
