"""``chunkscope shot``: a settled picture of a source, without a display."""

from pathlib import Path
from typing import Annotated

import typer

from render.cli.options import (
    Debug,
    Drawing,
    Joining,
    Json,
    Looking,
    SourceArgument,
    connection,
    expect_writable,
    parse_light,
    parse_overlays,
    parse_size,
    spelled_out,
)

NAME = "shot"
HELP = "Join a source, wait until nothing is missing, and write a picture (.png). Needs no display."
EXAMPLES = "Example: chunkscope shot embedded:hills --out hills.png --at 8,90,8 --look 30,20 --time 6000"


@spelled_out
def run(
    source: SourceArgument,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.png", help="Where to write.", show_default=False)],
    looking: Looking,
    drawing: Drawing,
    joining: Joining,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Takes the picture; exit code 4 when the deadline passed and something is missing in it."""
    from render.cli.progress import progress
    from render.cli.warm import compile_kernels

    where, options = connection(source, joining, looking)
    size_px, flat = parse_size(drawing.size), parse_light(drawing.light)
    overlays = parse_overlays(drawing.overlay)
    expect_writable(out)
    compile_kernels(quiet=json)

    from render.capture import PictureOptions, take_picture

    picture = PictureOptions(
        size_px=size_px, fov_deg=drawing.fov, flat_light=flat, overlays=overlays, time=joining.time
    )
    with progress(f"loading {where}", quiet=json) as tell:
        report = take_picture(where, options, picture, out, progress=tell)
    return report.tell(as_json=json)
