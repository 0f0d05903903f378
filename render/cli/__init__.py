"""The console script ``chunkscope``.

    arguments  The options that several commands share (interfaces.md, "Common options")
    bench      ``chunkscope bench``: measurements that any user can repeat
    config     ``chunkscope config``: where the settings are stored, their values, and where each value comes from
    console    Writes progress and errors to stderr, and maps errors to exit codes
    doctor     ``chunkscope doctor``: checks whether this machine can run chunkscope
    film       ``chunkscope film``: a camera path through a world, or a recording's own timeline
    packets    ``chunkscope packets``: the packets of a recording, decoded; requests with their answers
    report     ``chunkscope health, join, why, find, diff, dump, record``: reports about a source, without pictures
    scan       ``chunkscope scan, ping``: lists the servers of the LAN and this machine; pings one address
    serve      ``chunkscope serve``: runs our own server until it is interrupted
    shot       ``chunkscope shot, studio``: a settled picture without a display; ``studio`` serves other programs
    test       ``chunkscope test``: compares scenes with their accepted baselines
    view       ``chunkscope view``: the window

Rules:
1. A command parses options, calls one function of a lower package, and prints the result with an exit code.
2. Imports are inside the functions, so ``ping`` and ``--help`` load neither GL nor Numba.
3. Users never see a traceback: an expected error is one sentence (``console``), and an unexpected one is a sentence
   that names the bug and asks for ``--debug``.
"""

import sys
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from render.cli.arguments import COMMANDS
from render.cli.console import reported

MODULE_OF = {
    "view": "view", "health": "report", "join": "report", "why": "report", "find": "report", "diff": "report",
    "packets": "packets", "shot": "shot", "test": "test", "film": "film", "dump": "report", "record": "report",
    "serve": "serve", "studio": "shot", "ping": "scan", "scan": "scan", "doctor": "doctor", "config": "config",
}  # fmt: skip
"""Commands in the order of the help, with their modules; importing a module registers its commands."""


@cache
def app_of(word: str) -> typer.Typer:
    """The console script, with the commands of one module where ``word`` is one: all take a quarter of a start."""
    app = typer.Typer(
        name="chunkscope",
        help="See what a Bedrock-style server really sends: its sub-chunks, its light, and why each gap is empty.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    app.callback()(root)
    names = [word] if word in MODULE_OF else list(MODULE_OF)
    for name in names:
        import_module(f"render.cli.{MODULE_OF[name]}")
        app.command(name, help=COMMANDS[name].help, epilog=COMMANDS[name].examples)(COMMANDS[name].run)
    if word not in MODULE_OF:
        bench = import_module("render.cli.bench")
        app.add_typer(bench.app, name=bench.NAME, help=bench.HELP)
    return app


def __getattr__(name: str) -> Any:  # Any: the protocol of module attributes
    """``app``, the console script with all commands."""
    if name == "app":
        return app_of("")
    raise AttributeError(f"module 'render.cli' has no attribute {name!r}")


def print_version(wished: bool) -> None:
    """``--version``: what a report should name."""
    if wished:
        from importlib.metadata import version

        typer.echo(f"chunkscope {version('chunkscope')}")
        raise typer.Exit


def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Holds what comes before a command."""


def main() -> None:
    """Runs the command line and exits with the codes of ``client.errors``."""
    out = sys.stdout
    if isinstance(out, TextIOWrapper) and (out.errors == "strict" or out.encoding != "utf-8"):
        # Not in other cases: the C locale writes the bytes of a file name that is not UTF-8. stderr never fails.
        out.reconfigure(errors="replace")
    sys.exit(reported(app_of(next(iter(sys.argv[1:]), "")), sys.argv[1:]))
