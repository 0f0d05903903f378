"""Commands that join a source, wait until it is settled, and print or write a report, without pictures."""

import sys
from json import dumps
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
import typer
from msgspec.structs import replace

from client.errors import UsageError
from client.options import (
    DIFF_ARRAYS,
    MORE_ARRAYS,
    USUAL_ARRAYS,
    USUAL_DIFF_ARRAYS,
    Options,
    parse_block,
    parse_box,
    parse_moment,
    parse_what,
)
from client.source import Source, is_recording
from render.cli.arguments import (
    MOMENT_FORMS,
    SOURCE_HELP,
    WHAT_HELP,
    Debug,
    EyeOptions,
    JoinOptions,
    Json,
    MomentText,
    SourceArgument,
    command,
    connection,
    expect_writable,
)
from render.cli.console import starting
from render.cli.shot import expect_moment


def connection_at(source: str, joining: JoinOptions, at: str | None) -> tuple[Source, Options]:
    """The SOURCE and the connection options, with the place that the player flies to.

    Raises UsageError: as ``connection``, or the SOURCE is a recording, whose player cannot be moved.
    """
    where, options = connection(source, joining, EyeOptions(at=at))
    if at is not None and is_recording(where):
        raise UsageError(f"{where} is a recording: its player cannot be moved, so leave out --at.")
    return where, options


FlyTo = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="X,Y,Z",
        help="Place to look from, in blocks: the player flies there first.",
        show_default="the world spawn",
    ),
]
Box = Annotated[
    str | None,
    typer.Option(
        "--box", metavar="X0,Y0,Z0,X1,Y1,Z1", help="Request all sub-chunks of a box, as dump does; in blocks."
    ),
]


class Report(Protocol):
    """What a command found, one of ``client.report``: a struct whose fields are its JSON."""

    @property
    def exit_code(self) -> int: ...

    def text(self) -> str: ...


def json_of(report: Report) -> str:
    """A report as JSON; bytes of NBT are lists of numbers."""
    return dumps(msgspec.to_builtins(report, builtin_types=(bytes,), enc_hook=str), default=list, indent=2)


def write_report(report: Report, *, as_json: bool = False) -> int:
    """Writes a report to stdout and returns its exit code."""
    sys.stdout.write((json_of(report) if as_json else report.text()) + "\n")
    return report.exit_code


@command(
    "why",
    help="Explain the state of a block: never sent, refused, late, undecodable, air or received, and why.",
    examples="Example: chunkscope why localhost:19132 --at 8,64,8",
)
def run_why(
    source: SourceArgument,
    *,
    at: Annotated[str, typer.Option("--at", metavar="X,Y,Z", help="The block to explain.", show_default=False)],
    ask: Annotated[
        bool, typer.Option("--ask", help="Move the player there and request the sub-chunk, visible or not.")
    ] = False,
    moment: MomentText = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins, waits until the place is settled, prints its life; exit code 4 where it may still change."""
    where, options = connection(source, joining)
    options = replace(options, start=parse_moment(moment) if moment is not None else None)
    block = parse_block(at)
    with starting(f"requesting {where}", (where, options), quiet=json) as tell:
        from client.connection.opening import open_connection
        from client.report.why import why
        from render.scene.diagnosis import outlook

        with open_connection(where, options, tell) as opened:
            report = why(opened, block, ask=ask, foresee=outlook, progress=tell)
    return write_report(report, as_json=json)


@command(
    "health",
    help="Join a source and list its problems by kind: chunks that were never sent, refused, late or undecodable. "
    "The exit code is 1 if there are any.",
    examples="Example: chunkscope health localhost:19132 --radius 12",
)
def run_health(
    source: SourceArgument, *, at: FlyTo = None, joining: JoinOptions, json: Json = False, debug: Debug = False
) -> int:
    """Joins, waits until the world is settled, prints what is wrong; exit code 1 where anything is."""
    where, options = connection_at(source, joining, at)
    with starting(f"checking {where}", (where, options), quiet=json) as show:
        from client.connection.opening import open_connection
        from client.report.health import health
        from render.scene.diagnosis import outlook, unmeshed

        with open_connection(where, options, show) as opened:
            report = health(opened, undrawn=unmeshed, foresee=outlook, progress=show)
    return write_report(report, as_json=json)


@command(
    "join",
    help="Join a source and list the steps of the join with their times. The first line names the step that is "
    "missing or "
    "wrong, if any; then the exit code is 1.",
    examples="Example: chunkscope join localhost:19132",
)
def run_join(
    source: SourceArgument, *, at: FlyTo = None, joining: JoinOptions, json: Json = False, debug: Debug = False
) -> int:
    """Joins, waits until nothing more comes, prints the steps; exit code 1 where one is missing or wrong."""
    where, options = connection_at(source, joining, at)
    with starting(f"joining {where}", (where, options), quiet=json) as show:
        from client.report.join import join

        report = join(where, options, progress=show)
    return write_report(report, as_json=json)


NAME_HELP = "Block: NAME or NAME\\[PROPERTY=VALUE,...]. With --entities the id of block entities, such as Chest."


@command(
    "find",
    help="Count the blocks, or the block entities, of one or more names in the loaded sub-chunks, and list the first "
    "positions. "
    "The exit code is 1 if nothing was found.",
    examples="Examples: chunkscope find embedded:hills diamond_ore deepslate_diamond_ore --box -64,-64,-64,64,64,64\n\n"
    "chunkscope find localhost:19132 stone\\[stone_type=granite]\n\n"
    "chunkscope find MyWorld.mcworld Chest --entities",
    wordings={
        "box": {
            "help": "Request all sub-chunks of a box, as dump does, and search only there; in blocks.",
            "show_default": "what the player sees",
        }
    },
)
def run_find(
    source: SourceArgument,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help=NAME_HELP, show_default=False)],
    *,
    entities: Annotated[
        bool, typer.Option("--entities", help="Find block entities; write their fields as properties.")
    ] = False,
    layer: Annotated[int, typer.Option("--layer", min=0, max=1, help="1: the second layer (water in blocks).")] = 0,
    box: Box = None,
    most: Annotated[
        int,
        typer.Option(
            "--most", metavar="N", min=0, max=1_000_000, help="Number of positions, and of sub-chunks, to list."
        ),
    ] = 20,
    at: FlyTo = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins, waits until the world is settled, finds; exit code 1 where nothing is found."""
    where, options = connection_at(source, joining, at)
    if box and at:
        raise UsageError("The player flies to the middle of --box: leave out --at.")
    wanted = parse_box(box) if box else None
    with starting(f"searching {where}", (where, options), quiet=json) as show:
        from client.report.find import Search, find

        report = find(where, Search(tuple(names), wanted, layer, entities, most), options, show)
    return write_report(report, as_json=json)


MOMENT_HELP = f"Moment of {{}}, if it is a recording: {MOMENT_FORMS}."


@command(
    "diff",
    help="Compare two sources: blocks, biomes, light or states. The exit code is 0 if they are equal, 1 if they "
    "differ, and "
    "4 if a part is unknown because one side did not load it.",
    examples="Example: chunkscope diff localhost:19132 MyWorld.mcworld --box -32,-64,-32,32,128,32 --picture diff.png",
    wordings={
        "box": {
            "help": "Request all sub-chunks of a box from both, as dump does, and compare only those; in blocks.",
            "show_default": "what the players see",
        }
    },
)
def run_diff(
    a: Annotated[str, typer.Argument(metavar="A", help=SOURCE_HELP, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The second source, written like A.", show_default=False)],
    *,
    box: Box = None,
    what: Annotated[
        list[str] | None,
        typer.Option("--what", metavar="NAME[,NAME]", help=WHAT_HELP, show_default="blocks, layer1, biomes"),
    ] = None,
    moment_a: Annotated[
        str | None,
        typer.Option("--moment-a", metavar="TIME|#PACKET", help=MOMENT_HELP.format("A"), show_default="its end"),
    ] = None,
    moment_b: Annotated[
        str | None,
        typer.Option("--moment-b", metavar="TIME|#PACKET", help=MOMENT_HELP.format("B"), show_default="its end"),
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
    (first, options), (second, others) = connection(a, joining), connection(b, joining)
    moments = [None if text is None else parse_moment(text) for text in (moment_a, moment_b)]
    for moment, source in zip(moments, (first, second), strict=True):
        expect_moment(moment, source)
    wanted, arrays = parse_box(box) if box else None, parse_what(what, DIFF_ARRAYS, USUAL_DIFF_ARRAYS)
    if picture is not None:
        if picture.suffix.lower() != ".png":
            raise UsageError(f"Cannot write '{picture}': use .png.")
        expect_writable(picture)
    both = replace(options, still=moments[0]), replace(others, still=moments[1])
    with starting(f"comparing {first} with {second}", *zip((first, second), both, strict=True), quiet=json) as show:
        from client.report.diff import diff

        report, differences = diff((first, second), both, wanted, what=arrays, progress=show)
    code = write_report(report, as_json=json)
    if picture is not None:
        from client.report.diff import MAP_LEGEND
        from render.capture.image_files import with_legend_below
        from render.gpu.textures import write_png

        pixels = with_legend_below(differences.picture(wanted), MAP_LEGEND)
        write_png(picture, pixels, {"Sources": f"{report.a.source} {report.b.source}"})
    return code


DUMP_WHAT_HELP = f"Array to write; repeatable. More: {', '.join(MORE_ARRAYS)}."


@command(
    "dump",
    help="Write blocks, layers, biomes, light and states of a box as NumPy arrays (.npz), axes x, z, y.",
    examples="Example: chunkscope dump embedded:hills --box -16,0,-16,16,128,16 --out spawn.npz",
)
def run_dump(
    source: SourceArgument,
    *,
    box: Annotated[
        str,
        typer.Option(
            "--box",
            metavar="X0,Y0,Z0,X1,Y1,Z1",
            help="Box in blocks; the upper corners are exclusive.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.npz", help="Output file.", show_default=False)],
    what: Annotated[
        list[str] | None,
        typer.Option("--what", metavar="NAME[,NAME]", help=DUMP_WHAT_HELP, show_default=", ".join(USUAL_ARRAYS)),
    ] = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins, asks for every announced place of the box, writes the file."""
    where, options = connection(source, joining)
    wanted, arrays = parse_box(box), parse_what(what)
    expect_writable(out)
    with starting(f"requesting {where}", (where, options), quiet=json) as tell:
        from client.report.dump import dump

        report = dump(where, wanted, out, options, progress=tell, what=arrays)
    return write_report(report, as_json=json)


@command(
    "record",
    help="Join a source and record the session (.cscope); view, shot and dump take the file as their SOURCE.",
    examples="Example: chunkscope record localhost:19132 --out session.cscope --until settled",
    wordings={
        "cache": {
            "help": "--cache is refused: a recording must be complete, so no terrain of earlier visits is used.",
            "show_default": "off",
        },
        "timeout": {"help": "Seconds to wait for the join, and then for --until settled or --box, each."},
    },
)
def run_record(
    source: SourceArgument,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.cscope", help="Output file.", show_default=False)],
    until: Annotated[
        str, typer.Option("--until", metavar="settled|interrupted", help="When to stop; Ctrl+C always stops.")
    ] = "interrupted",
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0.0, help="Stop after this long.")
    ] = None,
    box: Box = None,
    looking: EyeOptions,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Records until it is to stop; exit code 4 when it should have settled and did not in time."""
    where, options = connection(source, joining, looking)
    wanted = parse_box(box) if box else None
    with starting(f"recording {where}", (where, options), quiet=json) as tell:
        from client.report.record import record

        report = record(where, out, options, until, seconds, wanted, tell)
    return write_report(report, as_json=json)
