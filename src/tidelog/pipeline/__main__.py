"""`python -m tidelog.pipeline job.toml`, and what `spark-submit` is given: runs a job as `tidelog pipeline run` does."""

from __future__ import annotations

import typer

from tidelog.cli.pipeline import run_command


def main() -> None:
    """Run the job that the command line names."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(run_command)
    app(prog_name="python -m tidelog.pipeline")


if __name__ == "__main__":
    main()
