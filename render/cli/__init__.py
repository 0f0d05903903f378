"""The console script ``chunkscope``: one file per command.

    bench     ``chunkscope bench``: measurements that any user can repeat
    config    ``chunkscope config``: where the settings lie, what each is, and who said so
    diff      ``chunkscope diff``: two worlds compared, sub-chunk by sub-chunk
    doctor    ``chunkscope doctor``: whether this machine can run chunkscope, and why not
    dump      ``chunkscope dump``: what the server says about a box, as arrays
    failures  From errors to exit codes and sentences: the last place where an exception is caught
    film      ``chunkscope film``: a camera path through a world, or a recording's own timeline
    find      ``chunkscope find``: where the blocks, or the block entities, of a name are
    health    ``chunkscope health``: what is wrong with a server's world, by kind
    join      ``chunkscope join``: the steps of a join, and which one is missing or wrong
    options   The options that several commands share, said once (interfaces.md, "Common options")
    packets   ``chunkscope packets``: the packets of a recording, decoded; requests with their answers
    ping      ``chunkscope ping``: who is there, without joining
    progress  Progress on stderr, for anything over a second
    record    ``chunkscope record``: a session written to a file that is a SOURCE itself
    scan      ``chunkscope scan``: which servers are on this LAN and on this machine
    serve     ``chunkscope serve``: our own server, until it is interrupted
    shot      ``chunkscope shot``: a settled picture of a source, without a display
    studio    ``chunkscope studio``: shots and scenes for another program, as JSON lines on stdin and stdout
    test      ``chunkscope test``: scenes against their accepted baselines
    view      ``chunkscope view``: the window
    why       ``chunkscope why``: the life of the sub-chunk that holds a block

Rules:
1. A command parses options, calls one function of a lower room, and turns what comes back into lines and an exit code.
2. It imports what it needs inside the function: ``ping`` and ``--help`` load neither GL nor Numba.
3. Users never see a traceback: errors raised on purpose are one sentence (``failures``); anything else is one sentence
   that names the bug and asks for ``--debug``.
"""

import sys
from typing import Annotated

import typer

from render.cli import (
    bench,
    config,
    diff,
    doctor,
    dump,
    film,
    find,
    health,
    join,
    packets,
    ping,
    record,
    scan,
    serve,
    shot,
    studio,
    test,
    view,
    why,
)
from render.cli.failures import reported

app = typer.Typer(
    name="chunkscope",
    help="See what a Bedrock-style server really sends: its sub-chunks, its light, and why each gap is empty.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (
    view,
    health,
    join,
    why,
    find,
    diff,
    packets,
    shot,
    test,
    film,
    dump,
    record,
    serve,
    studio,
    ping,
    scan,
    doctor,
    config,
):
    app.command(command.NAME, help=command.HELP, epilog=command.EXAMPLES)(command.run)
app.add_typer(bench.app, name=bench.NAME, help=bench.HELP)


def print_version(wished: bool) -> None:
    """``--version``: what a report should name."""
    from importlib.metadata import version

    if wished:
        typer.echo(f"chunkscope {version('chunkscope')}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Holds what comes before a command."""


def main() -> None:
    """Runs the command line and exits with the codes of ``client.errors``."""
    sys.exit(reported(app, sys.argv[1:]))
