"""``chunkscope why``: the life of the sub-chunk that holds a block."""

from typing import Annotated

import typer
from msgspec.structs import replace

from render.cli.options import MOMENT_FORMS, Debug, JoinOptions, Json, SourceArgument, connection, spelled_out

NAME = "why"
HELP = "Explain the state of a block: never sent, refused, late, undecodable, air or received, and why."
EXAMPLES = "Example: chunkscope why localhost:19132 --at 8,64,8"


@spelled_out
def run(
    source: SourceArgument,
    *,
    at: Annotated[str, typer.Option("--at", metavar="X,Y,Z", help="The block to explain.", show_default=False)],
    ask: Annotated[
        bool, typer.Option("--ask", help="Move the player there and request the sub-chunk, visible or not.")
    ] = False,
    start: Annotated[
        str | None,
        typer.Option(
            "--start", metavar="TIME|#PACKET", help=f"Moment of a recording: {MOMENT_FORMS} (default: its end)."
        ),
    ] = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins, waits until the place is settled, prints its life; exit code 4 where it may still change."""
    from client.options import parse_block, parse_moment
    from render.cli.progress import compile_kernels, progress

    where, options = connection(source, joining)
    options = replace(options, start=parse_moment(start) if start is not None else None)
    block = parse_block(at)
    compile_kernels(quiet=json)
    from client.report.why import why  # loads the kernels, so only when they are there
    from render.scene.diagnosis import outlook

    with progress(f"requesting {where}", quiet=json) as tell:
        report = why(where, block, options, ask=ask, foresee=outlook, progress=tell)
    return report.tell(as_json=json)
