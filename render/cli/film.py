"""``chunkscope film``: a camera path through a world, or a recording's own timeline, as MP4 or PNG frames."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from client.errors import Interrupted, UsageError
from client.options import parse_moment
from render.cli.arguments import (
    MOMENT_FORMS,
    ClusterAddress,
    Debug,
    DrawArguments,
    Entities,
    JoinOptions,
    Json,
    PartWord,
    SourceArgument,
    command,
    connection,
    expect_file,
    expect_writable,
    parse_drawn,
    parse_part,
)
from render.cli.console import compile_kernels, progress

Out = Annotated[
    Path,
    typer.Option("--out", metavar="FILE.mp4|FOLDER|NAME-%05d.png", help="Output file.", show_default=False),
]
CameraPath = Annotated[
    Path | None,
    typer.Option("--path", metavar="FILE.toml", help="Camera path.", show_default="a recording's own views"),
]
Fps = Annotated[int, typer.Option("--fps", min=1, max=240, help="Frames per second.")]
Speed = Annotated[
    float | None,
    typer.Option(
        "--speed",
        metavar="X",
        help="Playback speed of a recording.",
        show_default="1; with --path the recording stands still",
    ),
]
First = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="TIME|#PACKET", help=f"First moment of a recording: {MOMENT_FORMS}.", show_default="the spawn"
    ),
]
Last = Annotated[
    str | None,
    typer.Option("--to", metavar="TIME", help="Last moment of a recording: 12.5 or 2:05.", show_default="its end"),
]
Bots = Annotated[int, typer.Option("--bots", min=0, max=16, help="Players of an embedded world that walk and build.")]
Jobs = Annotated[int, typer.Option("--jobs", min=1, max=64, help="Processes; each joins the source.")]
KeepFrames = Annotated[
    bool, typer.Option("--keep-frames/--drop-frames", help="Keep the frames of an MP4, in FILE.frames.")
]


@command(
    "film",
    help="Film a camera path through a world, or a recording as it streamed in. With --entities the world moves: it is "
    "recorded for as long as the path takes, then filmed. To resume an interrupted "
    "film, run the same command again. A path is TOML: two or more tables [\\[key]] with time_s, at = "
    "[X,Y,Z], look = [YAW,PITCH]; fov and ortho are optional.",
    examples="Example: chunkscope film embedded:hills --path fly.toml --fps 30 --out hills.mp4",
)
def run(
    source: SourceArgument,
    *,
    out: Out,
    path: CameraPath = None,
    fps: Fps = 30,
    speed: Speed = None,
    first: First = None,
    last: Last = None,
    keep_frames: KeepFrames = False,
    entities: Entities = False,
    bots: Bots = 0,
    jobs: Jobs = 1,
    part: PartWord = None,
    cluster: ClusterAddress = None,
    drawing: DrawArguments,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Makes the film; exit code 4 when something was missing at the deadline."""
    end_s, one = parse_end(last), parse_part(part, cluster)
    if cluster and jobs > 1:
        raise UsageError("--cluster has its own workers: leave out --jobs.")
    where, options = connection(source, joining)
    options = replace(options, start=parse_moment(first) if first is not None else None, bots=bots)
    drawn = parse_drawn(drawing, joining)
    expect_file(path)
    expect_writable(out / "frame" if out.is_dir() else out)
    compile_kernels(quiet=json)

    from render.capture import PictureOptions
    from render.film import FilmOptions, FilmPlan, make_film, read_path

    film = FilmOptions(
        path=read_path(path) if path is not None else None,
        fps=fps, picture=drawn.extended(PictureOptions, entities=entities), speed=speed, end_s=end_s,
        keep_frames=keep_frames,
    )  # fmt: skip
    try:
        with progress(f"filming {where}", quiet=json) as tell:
            report = make_film(where, options, film, out, tell, plan=FilmPlan(jobs, one, cluster or ""))
    except KeyboardInterrupt as stopped:
        if not str(stopped):
            raise
        raise Interrupted(str(stopped)) from None
    return report.tell(as_json=json)


def parse_end(text: str | None) -> float | None:
    """Reads where a recording's film ends, in seconds. Raises UsageError: it is no time."""
    if text is None:
        return None
    moment = parse_moment(text)
    if moment.packet is not None:
        raise UsageError(f"A film ends at a time, for example 12.5 or 2:05, not at a packet like '{text}'.")
    return moment.time_s
