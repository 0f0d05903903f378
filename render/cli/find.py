"""``chunkscope find``: where the blocks, or the block entities, of a name are."""

from typing import Annotated

import typer

from render.cli.options import Debug, JoinOptions, Json, SourceArgument, connection, spelled_out

NAME = "find"
HELP = (
    "Count the blocks, or the block entities, of a name or state in the loaded sub-chunks, and list the first "
    "positions. "
    "The exit code is 1 if nothing was found."
)
EXAMPLES = (
    "Examples: chunkscope find embedded:hills diamond_ore --box -64,-64,-64,64,64,64\n\n"
    "chunkscope find localhost:19132 stone\\[stone_type=granite]\n\n"
    "chunkscope find MyWorld.mcworld Chest --entities"
)
NAME_HELP = "Block: NAME or NAME\\[PROPERTY=VALUE,...]. With --entities the id of block entities, such as Chest."


@spelled_out
def run(
    source: SourceArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help=NAME_HELP, show_default=False)],
    *,
    entities: Annotated[bool, typer.Option("--entities", help="Find block entities; fields are properties.")] = False,
    layer: Annotated[int, typer.Option("--layer", min=0, max=1, help="1: the second layer (water in blocks).")] = 0,
    box: Annotated[
        str | None,
        typer.Option(
            "--box",
            metavar="X0,Y0,Z0,X1,Y1,Z1",
            help="Request all sub-chunks of a box, as dump does, and search only there; in blocks.",
            show_default="what the player sees",
        ),
    ] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", min=0, max=1_000_000, help="Positions to list.")] = 20,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins, waits until the world is settled, finds; exit code 1 where nothing is found."""
    from client.options import parse_box
    from render.cli.progress import compile_kernels, progress

    where, options = connection(source, joining)
    wanted = parse_box(box) if box else None
    compile_kernels(quiet=json)
    from client.report.find import find  # loads the kernels, so only when they are there

    with progress(f"searching {where}", quiet=json) as show:
        report = find(where, name, options, wanted, layer=layer, entities=entities, most=most, progress=show)
    return report.write(as_json=json)
