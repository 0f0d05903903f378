"""``chunkscope bench``: measurements that any user can repeat."""

import os
import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from msgspec import to_builtins
from msgspec.structs import replace

from client.errors import UsageError
from client.options import MOST_RADIUS
from net.errors import install_line
from render.cli.arguments import (
    Debug,
    EyeOptions,
    JoinOptions,
    Json,
    Radius,
    Size,
    SourceArgument,
    connection,
    expect_writable,
    parse_size,
    spelled_out,
)
from render.cli.console import compile_kernels, progress, steps

NAME = "bench"
HELP = "Measure a start (start), how a world streams in (stream) and how long frames take (frame)."

DRAWS: dict[str, bool | None] = {"auto": None, "indirect": True, "plain": False}

Delay = Annotated[
    float, typer.Option("--delay", metavar="S", min=0.0, max=60.0, help="Seconds added to each round trip.")
]
Baseline = Annotated[
    bool,
    typer.Option("--baseline/--no-baseline", help="Also measure a run that requests every sub-chunk in the radius."),
]
Attention = Annotated[
    bool, typer.Option("--attention/--no-attention", help="Predict where the player moves and looks.")
]
Plot = Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Also draw the result.")]
Radii = Annotated[
    str | None, typer.Option("--radii", metavar="N,N,..", help="Radii to measure, one by one.", show_default="--radius")
]
Frames = Annotated[int, typer.Option("--frames", min=1, max=100_000, help="Frames of each part of the path.")]
Draw = Annotated[
    str, typer.Option("--draw", metavar="auto|indirect|plain", help="How multi-draws receive their commands.")
]
Overlays = Annotated[
    list[str] | None,
    typer.Option("--overlay", metavar="NAME", help="Also measure an overlay, or 'all'; repeatable."),
]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure; each measurement is a command of its own."""


@app.command(
    "stream",
    help="Follow a path through a world; print the requests and the time until the picture was final. A "
    "recording is measured as it was made. Terrain of earlier visits is used only with --cache.",
    epilog="Example: chunkscope bench stream embedded:bench --radius 12 --delay 0.1 --plot stream.png",
)
@spelled_out
def stream(
    source: SourceArgument,
    *,
    looking: EyeOptions,
    joining: JoinOptions,
    delay: Delay = 0.0,
    baseline: Baseline = True,
    attention: Attention = True,
    plot: Plot = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Measures; exit code 1 when a hole was seen at rest, 4 when a rest did not come to its end."""
    where, options = connection(source, joining, looking)
    expect_plot(plot)
    compile_kernels(quiet=json)
    from render.bench.streaming import prove

    with progress(f"measuring {where}", quiet=json) as tell:
        proof = prove(where, replace(options, delay_s=delay, attention=attention), baseline, tell)
    if plot:
        from render.bench.streaming import plot as draw

        draw(proof, plot)
    return proof.tell(as_json=json)


@app.command(
    "start",
    help="Start chunkscope shot, and chunkscope view where there is a display. Prints where the time goes from the "
    "start of the process to its picture, thread by thread, and what the picture had to wait for.",
    epilog="Example: chunkscope bench start embedded --plot start.png",
)
@spelled_out
def start(
    source: SourceArgument,
    *,
    radius: Radius = 8,
    size: Size = "1280x720",
    plot: Plot = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Measures; exit code 0."""
    parse_size(size)
    expect_plot(plot)
    compile_kernels(quiet=json)
    from render.bench.start import measure_start
    from render.bench.start import plot as draw

    programs = ["shot"]
    if sys.platform != "linux" or os.environ.get("DISPLAY"):
        programs.append("view")
    reports = []
    for program in programs:
        reports.append(measure_start(program, source, radius, size))
        if not json:
            print("\n".join(reports[-1].lines()))
    if json:
        print(dumps([report.as_json() for report in reports], indent=2))
    elif "view" not in programs:
        print("There is no display: chunkscope view was not measured.")
    if plot:
        draw(reports, plot)
    return 0


@app.command(
    "frame",
    help="Draw a settled world on a scripted path: standing still, turning, walking. Prints minimum, "
    "median and 99th percentile of chunkscope's code, of GL calls and of the GPU, pass by pass.",
    epilog="Example: chunkscope bench frame embedded:bench --radii 8,16,32 --size 1280x720 --json",
)
@spelled_out
def frame(
    source: SourceArgument,
    *,
    looking: EyeOptions,
    joining: JoinOptions,
    radii: Radii = None,
    size: Size = "1280x720",
    frames: Frames = 120,
    draw: Draw = "auto",
    overlay: Overlays = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Measures; exit code 0."""
    from render.cli.arguments import parse_overlays
    from render.settings.overlays import OVERLAYS

    where, options = connection(source, joining, looking)
    overlays = tuple(OVERLAYS) if overlay == ["all"] else parse_overlays(overlay)
    size_px, wanted = parse_size(size), parse_radii(radii) or (options.radius,)
    if draw not in DRAWS:
        raise UsageError(f"Unknown way to draw '{draw}': choose from {', '.join(DRAWS)}.")
    compile_kernels(quiet=json)
    from render.bench.frames import measure_frames

    reports = []
    for radius in wanted:
        reached = replace(options, radius=radius)
        with steps(f"measuring {where}") as tell:
            reports.append(measure_frames(where, reached, size_px, frames, DRAWS[draw], tell, overlays))
        if not json:
            print("\n".join(reports[-1].lines()))
    if json:
        print(dumps(to_builtins(reports), indent=2))
    return 0


def expect_plot(path: Path | None) -> None:
    """Says at once that nothing can be drawn there. Raises UsageError: no matplotlib; OSError: no such place."""
    from importlib.util import find_spec

    if path is not None:
        expect_writable(path)
        if find_spec("matplotlib") is None:
            raise UsageError(f"--plot needs matplotlib: {install_line('matplotlib')}")


def parse_radii(text: str | None) -> tuple[int, ...]:
    """Reads ``N,N,..``; nothing of None. Raises UsageError: something in it is no number from 1 to 64."""
    radii = []
    for part in (text or "").split(",") if text is not None else ():
        if not (part.isascii() and part.isdigit() and 1 <= int(part) <= MOST_RADIUS):
            raise UsageError(
                f"'{part}' in --radii is not a radius: write numbers from 1 to {MOST_RADIUS}, for example 8,16,32."
            )
        radii.append(int(part))
    return tuple(radii)
