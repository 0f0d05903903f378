"""``chunkscope view``: the window."""

from pathlib import Path
from typing import Annotated

import typer

from render.cli.options import (
    SOURCE_HELP,
    At,
    Debug,
    Dimension,
    Fov,
    Light,
    Look,
    Mode,
    Overlay,
    Profile,
    Protocol,
    Radius,
    Size,
    Time,
    Timeout,
    connection,
    parse_light,
    parse_overlays,
    parse_size,
)

NAME = "view"
HELP = "Open a window on a server's world: fly through it, and see what was sent, refused, or never came (F6)."
EXAMPLES = "Example: chunkscope view localhost:19132 --radius 12 --overlay states"


def run(
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help=SOURCE_HELP)] = "embedded",
    at: At = None,
    look: Look = None,
    fov: Fov = 70.0,
    size: Size = "1280x720",
    time: Time = None,
    dimension: Dimension = None,
    radius: Radius = 8,
    protocol: Protocol = "auto",
    profile: Profile = "bedrock",
    mode: Mode = "limited",
    timeout: Timeout = 60.0,
    light: Light = "cpu",
    overlay: Overlay = None,
    pictures: Annotated[Path, typer.Option("--pictures", metavar="FOLDER", help="Where F2 puts pictures.")] = Path(
        "shots"
    ),
    events: Annotated[
        Path | None, typer.Option("--events", metavar="FILE", help="Write what happens, one JSON line an event.")
    ] = None,
    debug: Debug = False,
) -> int:
    """Runs the viewer until its window is closed."""
    from render.viewer import ViewerOptions, view

    where, options = connection(
        source, at=at, look=look, radius=radius, protocol=protocol, profile=profile, mode=mode, timeout=timeout,
        time=time, dimension=dimension,
    )  # fmt: skip
    window = ViewerOptions(
        size_px=parse_size(size), fov_deg=fov, flat_light=parse_light(light),
        overlays=parse_overlays(overlay), time=time,
        pictures=pictures, events=events,
    )  # fmt: skip
    return view(where, options, window)
