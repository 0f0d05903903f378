"""``chunkscope record``: a session written to a file that is a SOURCE itself."""

from pathlib import Path
from typing import Annotated

import typer

from render.cli.options import Debug, EyeOptions, JoinOptions, Json, SourceArgument, connection, spelled_out

NAME = "record"
HELP = "Join a source and record the session (.cscope); view, shot and dump take the file as their SOURCE."
EXAMPLES = "Example: chunkscope record localhost:19132 --out session.cscope --until settled"


@spelled_out
def run(
    source: SourceArgument,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.cscope", help="Output file.", show_default=False)],
    until: Annotated[
        str, typer.Option("--until", metavar="settled|interrupted", help="When to stop; Ctrl+C stops in any case.")
    ] = "interrupted",
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0.0, help="Stop after this long.")
    ] = None,
    box: Annotated[
        str | None,
        typer.Option(
            "--box", metavar="X0,Y0,Z0,X1,Y1,Z1", help="Request all sub-chunks of a box, as dump does; in blocks."
        ),
    ] = None,
    looking: EyeOptions,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Records until it is to stop; exit code 4 when it should have settled and did not in time."""
    from client.options import parse_box
    from render.cli.progress import compile_kernels, progress

    where, options = connection(source, joining, looking)
    wanted = parse_box(box) if box else None
    compile_kernels(quiet=json)
    from client.report.record import record  # loads the kernels, so only when they are there

    with progress(f"recording {where}", quiet=json) as tell:
        report = record(where, out, options, until, seconds, wanted, tell)
    return report.tell(as_json=json)
