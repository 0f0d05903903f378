"""``chunkscope shot``: one settled picture, without a window."""

from pathlib import Path
from typing import Annotated

import typer

from render.cli.options import (
    At,
    Debug,
    Dimension,
    Fov,
    Json,
    Light,
    Look,
    Mode,
    Overlay,
    Profile,
    Protocol,
    Radius,
    Size,
    SourceArgument,
    Time,
    Timeout,
    connection,
    expect_writable,
    parse_light,
    parse_overlays,
    parse_size,
)

NAME = "shot"
HELP = "Join a source, wait until nothing is missing, and write a picture (.png). Needs no display."
EXAMPLES = "Example: chunkscope shot embedded:hills --out hills.png --at 8,90,8 --look 30,20 --time 6000"


def run(
    source: SourceArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.png", help="Where to write.", show_default=False)],
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
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Takes the picture; exit code 4 when the deadline passed and something is missing in it."""
    from render.cli.progress import progress
    from render.cli.warm import compile_kernels

    where, options = connection(
        source, at=at, look=look, radius=radius, protocol=protocol, profile=profile, mode=mode, timeout=timeout,
        time=time, dimension=dimension,
    )  # fmt: skip
    size_px, flat, overlays = parse_size(size), parse_light(light), parse_overlays(overlay)
    expect_writable(out)
    compile_kernels(quiet=json)

    from render.capture import PictureOptions, take_picture

    picture = PictureOptions(size_px=size_px, fov_deg=fov, flat_light=flat, overlays=overlays, time=time)
    with progress(f"loading {where}", quiet=json) as tell:
        report = take_picture(where, options, picture, out, progress=tell)
    return report.tell(as_json=json)
