"""``chunkscope diff``: two worlds compared, sub-chunk by sub-chunk."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from render.cli.options import (
    MOMENT_FORMS,
    SOURCE_HELP,
    Debug,
    JoinOptions,
    Json,
    connection,
    expect_writable,
    spelled_out,
)
from render.cli.shot import expect_moment

if TYPE_CHECKING:
    from client.options import Moment

NAME = "diff"
HELP = (
    "Compare two sources: blocks, biomes, light or states. The exit code is 0 if they are equal, 1 if they differ, and "
    "4 if a part is unknown because one side did not load it."
)
EXAMPLES = "Example: chunkscope diff localhost:19132 MyWorld.mcworld --box -32,-64,-32,32,128,32 --picture diff.png"
WHAT_HELP = "Arrays to compare: blocks, layer1, biomes, light, states; repeatable."
MOMENT_HELP = f"Moment of {{}}, if it is a recording: {MOMENT_FORMS} (default: its end)."


@spelled_out
def run(
    a: Annotated[str, typer.Argument(metavar="A", help=SOURCE_HELP, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="A second source, as A.", show_default=False)],
    *,
    box: Annotated[
        str | None,
        typer.Option(
            "--box",
            metavar="X0,Y0,Z0,X1,Y1,Z1",
            help="Request all sub-chunks of a box from both, as dump does, and compare only those; in blocks.",
            show_default="what the players see",
        ),
    ] = None,
    what: Annotated[
        list[str] | None,
        typer.Option("--what", metavar="NAME[,NAME]", help=WHAT_HELP, show_default="blocks, layer1, biomes"),
    ] = None,
    moment_a: Annotated[
        str | None, typer.Option("--moment-a", metavar="TIME|#PACKET", help=MOMENT_HELP.format("A"))
    ] = None,
    moment_b: Annotated[
        str | None, typer.Option("--moment-b", metavar="TIME|#PACKET", help=MOMENT_HELP.format("B"))
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE.png", help="Write a map of the differences, a pixel a block."),
    ] = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins both, waits until they are settled, compares; exit code 1 where they differ."""
    from client.errors import UsageError
    from client.options import DIFF_ARRAYS, USUAL_DIFF_ARRAYS, parse_box, parse_moment, parse_what
    from render.cli.progress import compile_kernels, progress

    (first, options), (second, others) = connection(a, joining), connection(b, joining)
    moments: list[Moment | None] = [None if text is None else parse_moment(text) for text in (moment_a, moment_b)]
    for moment, source in zip(moments, (first, second), strict=True):
        expect_moment(moment, source)
    wanted, arrays = parse_box(box) if box else None, parse_what(what, DIFF_ARRAYS, USUAL_DIFF_ARRAYS)
    if picture is not None:
        if picture.suffix.lower() != ".png":
            raise UsageError(f"Cannot write '{picture}': use .png.")
        expect_writable(picture)
    compile_kernels(quiet=json)
    from client.report.diff import diff  # loads the kernels, so only when they are there

    both = replace(options, still=moments[0]), replace(others, still=moments[1])
    with progress(f"comparing {first} with {second}", quiet=json) as show:
        report, differences = diff((first, second), both, wanted, what=arrays, progress=show)
    code = report.write(as_json=json)
    if picture is not None:
        from render.gpu.textures import write_png

        write_png(picture, differences.picture(wanted), {"Sources": f"{report.a.source} {report.b.source}"})
    return code
