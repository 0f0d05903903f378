"""``chunkscope view``: the window."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from render.cli.options import (
    SOURCE_HELP,
    Debug,
    Drawing,
    GpuBudget,
    Joining,
    Looking,
    connection,
    parse_budget,
    parse_light,
    parse_overlays,
    parse_packs,
    parse_size,
    spelled_out,
)

NAME = "view"
HELP = "Open a window on a server's world: fly through it, and see what was sent, refused, or never came (F6)."
EXAMPLES = "Example: chunkscope view localhost:19132 --radius 12 --overlay states"


@spelled_out
def run(
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help=SOURCE_HELP)] = "embedded",
    *,
    gpu_budget: GpuBudget = None,
    looking: Looking,
    drawing: Drawing,
    joining: Joining,
    speed: Annotated[
        float | None, typer.Option("--speed", metavar="X", help="Of a recording: seconds a second (default: 1).")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="TIME|#PACKET", help="Where a recording begins: 12.5, 2:05 or '#350'."),
    ] = None,
    pictures: Annotated[Path, typer.Option("--pictures", metavar="FOLDER", help="Where F2 puts pictures.")] = Path(
        "shots"
    ),
    events: Annotated[
        Path | None, typer.Option("--events", metavar="FILE", help="Write what happens, one JSON line an event.")
    ] = None,
    debug: Debug = False,
) -> int:
    """Runs the viewer until its window is closed."""
    from client.connect.options import parse_moment
    from render.viewer import ViewerOptions, view

    where, options = connection(source, joining, looking)
    options = replace(options, speed=speed, start=parse_moment(start) if start is not None else None)
    light = parse_light(drawing.light)
    window = ViewerOptions(
        size_px=parse_size(drawing.size), fov_deg=drawing.fov, gamma=drawing.gamma,
        flat_light=light.flat, gpu_light=light.gpu, gpu_budget_bytes=parse_budget(gpu_budget, light),
        overlays=parse_overlays(drawing.overlay), time=joining.time, packs=parse_packs(drawing.pack),
        pictures=pictures, events=events,
    )  # fmt: skip
    return view(where, options, window)
