"""The console script ``chunkscope``: one file per command.

Rules:
1. A command parses options, calls one function of a lower room, and turns what comes back into lines and an exit code.
2. It imports what it needs inside the function: ``ping`` and ``--help`` load neither GL nor Numba.
3. Users never see a traceback: errors raised on purpose are one sentence (``failures``); anything else is one sentence
   that names the bug and asks for ``--debug``.
"""

import sys
from typing import Annotated

import typer

from render.cli import bench, config, doctor, dump, film, ping, record, scan, serve, shot, studio, test, view, why
from render.cli.failures import reported

app = typer.Typer(
    name="chunkscope",
    help="See what a Bedrock-style server really sends: its sub-chunks, its light, and why each gap is empty.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (view, shot, test, film, dump, why, record, serve, studio, ping, scan, doctor, config):
    app.command(command.NAME, help=command.HELP, epilog=command.EXAMPLES)(command.run)
app.add_typer(bench.app, name=bench.NAME, help=bench.HELP)


def tell_version(wished: bool) -> None:
    """``--version``: what a report should name."""
    from importlib.metadata import version

    if wished:
        typer.echo(f"chunkscope {version('chunkscope')}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Holds what comes before a command."""


def main() -> None:
    """Runs the command line and exits with the codes of ``client.errors``."""
    sys.exit(reported(app, sys.argv[1:]))
