"""``chunkscope shot``: a settled picture of a source, without a display.

``chunkscope studio``: shots and scenes for another program, as JSON lines on stdin and stdout.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec.structs import replace

from client.errors import UsageError
from client.options import Moment, parse_moment
from client.source import Source, is_recording
from render.cli.arguments import (
    Compared,
    Debug,
    DrawArguments,
    Entities,
    EyeOptions,
    GpuBudget,
    JoinOptions,
    Json,
    MomentText,
    SourceArgument,
    What,
    command,
    connection,
    expect_writable,
    parse_against,
    parse_drawn,
    parse_freeze,
)
from render.cli.console import compile_kernels, starting

CHANNELS: Final = ("colour", "depth", "block", "face", "light", "state", "cell", "mirror", "entity")
"""What ``--channel`` knows; said here too, because naming it where it is made would load what draws it."""

CHANNEL_HELP: Final = f"Channel to write, repeatable: {', '.join(CHANNELS)}. Several pictures become FILE.NAME.png."
WATCH_HELP: Final = (
    "Replay a recording up to the moment, so that the overlays age and cells show when meshes were "
    "first drawn and rebuilt."
)

Out = Annotated[Path, typer.Option("--out", metavar="FILE.png|.npz", help="Output file.", show_default=False)]
Channel = Annotated[
    list[str] | None,
    typer.Option("--channel", metavar="NAME", help=CHANNEL_HELP, show_default="colour; in an .npz all"),
]
Watch = Annotated[bool, typer.Option("--watch", help=WATCH_HELP)]
FreezeAt = Annotated[
    str | None,
    typer.Option("--freeze-at", metavar="X,Y,Z", help="Draw only the terrain visible from there (debugging)."),
]
FreezeLook = Annotated[
    str | None, typer.Option("--freeze-look", metavar="YAW,PITCH", help="Direction of the frozen eye.")
]


@command(
    "shot",
    help="Join a source, wait until the world has settled, and write a picture (.png) or arrays (.npz). Needs no "
    "display.",
    examples="Example: chunkscope shot embedded:hills --out hills.png --at 8,90,8 --look 30,20 --time 6000",
)
def run(
    source: SourceArgument,
    *,
    out: Out,
    channel: Channel = None,
    moment: MomentText = None,
    watch: Watch = False,
    entities: Entities = False,
    against: Compared = None,
    what: What = None,
    freeze_at: FreezeAt = None,
    freeze_look: FreezeLook = None,
    gpu_budget: GpuBudget = None,
    looking: EyeOptions,
    drawing: DrawArguments,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Takes the picture; exit code 4 when the deadline passed and something is missing in it."""
    still = None if moment is None else parse_moment(moment)
    where, options = connection(source, joining, looking)
    options = replace(options, still=still)
    other, drawn = parse_against(against, what, joining, parse_drawn(drawing, joining, looking, gpu_budget))
    expect_picture(out)
    expect_recording(watch, where)
    expect_moment(options.still, where)
    frozen = parse_freeze(freeze_at, freeze_look)
    channels = parse_channels(channel, out)
    expect_writable(out)
    with starting(f"loading {where}", (where, options), quiet=json) as tell:
        from render.capture import PictureOptions, take_picture

        picture = drawn.extended(PictureOptions, frozen=frozen, watched=watch, entities=entities)
        report = take_picture(where, options, picture, out, tell, channels, other)
    return report.tell(as_json=json)


def parse_channels(names: Sequence[str] | None, out: Path) -> tuple[str, ...]:
    """The channels named, else colour, or all into an .npz. Raises UsageError: naming the first that is none."""
    for name in names or ():
        if name not in CHANNELS:
            raise UsageError(f"Unknown channel '{name}': choose from {', '.join(CHANNELS)}.")
    if names:
        return tuple(names)
    return CHANNELS if out.suffix.lower() == ".npz" else CHANNELS[:1]


def expect_recording(watch: bool, source: Source) -> None:
    """Says at once that what is no recording cannot be gone through again. Raises UsageError: it shall be."""
    if watch and not is_recording(source):
        raise UsageError(f"--watch needs a recording, but {source} is a live world.")


def expect_moment(still: Moment | None, source: Source) -> None:
    """Checks early that a moment is given for recordings only. Raises UsageError: it is given for another source."""
    if still is not None and not is_recording(source):
        raise UsageError(f"{source} is not a recording: it cannot be shown at {still}.")


def expect_picture(out: Path) -> None:
    """Checks the name of the output file early. Raises UsageError: it ends in neither .png nor .npz."""
    if out.suffix.lower() not in {".png", ".npz"}:
        raise UsageError(f"Cannot write '{out}': use .png or .npz.")


# --------------------------------------------------------------------- studio


@command(
    "studio",
    help="Take shots and scenes for another program: each line on stdin is an order in JSON, each line on "
    "stdout an answer. pytest-chunkscope uses this; docs/reference/studio-protocol.md describes the "
    "protocol.",
    examples="""Example: echo '{"id": 1, "order": "shot", "source": "embedded", "out": "/tmp/a.png"}' """
    "| chunkscope studio",
)
def run_studio(debug: Debug = False) -> int:
    """Answers until stdin ends."""
    import json

    # Only answers go to stdout: all other output, of Python or C, is redirected to stderr.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    compile_kernels(quiet=True)
    from render.studio_server import serve

    def say(answer: Any) -> None:  # Any: what JSON holds
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    with open(0, encoding="utf-8", errors="replace", closefd=False) as orders:
        serve(orders, say)
    return 0
