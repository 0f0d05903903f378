"""``chunkscope bench``: measurements that any user can repeat."""

from pathlib import Path
from typing import Annotated

import typer

from render.cli.options import Debug, Joining, Json, Looking, SourceArgument, connection, expect_writable, spelled_out

NAME = "bench"
HELP = "Measure how a world streams in (stream)."

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure; each measurement is a command of its own."""


@app.command(
    "stream",
    help="Go a path through a world; print what was asked, and when the picture was right. A recording is measured as"
    " it was. Terrain kept from earlier visits is not used unless --cache says so.",
    epilog="Example: chunkscope bench stream embedded:bench --radius 12 --delay 0.1 --plot stream.png",
)
@spelled_out
def stream(
    source: SourceArgument,
    *,
    looking: Looking,
    joining: Joining,
    delay: Annotated[
        float, typer.Option("--delay", metavar="S", min=0.0, max=60.0, help="Seconds added to each round trip.")
    ] = 0.0,
    baseline: Annotated[
        bool, typer.Option("--baseline/--no-baseline", help="Also measure asking for every sub-chunk in the radius.")
    ] = True,
    attention: Annotated[
        bool, typer.Option("--attention/--no-attention", help="Foresee where the player goes and looks.")
    ] = True,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw the result as well.")] = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Measures; exit code 1 when a hole was seen at rest, 4 when a rest did not come to its end.

    A recording has no rest, and nobody to ask: its holes are printed, and the code is 0.
    """
    from dataclasses import replace
    from importlib.util import find_spec

    from client.connect.errors import UsageError
    from render.cli.progress import progress
    from render.cli.warm import compile_kernels

    where, options = connection(source, joining, looking)
    if plot:
        expect_writable(plot)
        if find_spec("matplotlib") is None:
            raise UsageError("--plot needs matplotlib: pip install 'chunkscope[bench]'.")
    compile_kernels(quiet=json)
    from render.capture.streaming.proof import prove

    with progress(f"measuring {where}", quiet=json) as tell:
        proof = prove(where, replace(options, delay_s=delay, attention=attention), baseline, tell)
    if plot:
        from render.capture.streaming.plot import plot as draw

        draw(proof, plot)
    return proof.tell(as_json=json)
