"""``chunkscope dump``: what the server says about a box, as arrays."""

from pathlib import Path
from typing import Annotated

import typer

from client.options import MORE_ARRAYS, USUAL_ARRAYS
from render.cli.options import Debug, JoinOptions, Json, SourceArgument, connection, expect_writable, spelled_out

NAME = "dump"
HELP = "Write blocks, layers, biomes, light and states of a box as NumPy arrays (.npz), axes x, z, y."
WHAT_HELP = f"Array to write; repeatable. More: {', '.join(MORE_ARRAYS)}."
EXAMPLES = "Example: chunkscope dump embedded:hills --box -16,0,-16,16,128,16 --out spawn.npz"


@spelled_out
def run(
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
        typer.Option("--what", metavar="NAME[,NAME]", help=WHAT_HELP, show_default=", ".join(USUAL_ARRAYS)),
    ] = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Joins, asks for every announced place of the box, writes the file."""
    from client.options import parse_box, parse_what
    from render.cli.progress import compile_kernels, progress

    where, options = connection(source, joining)
    wanted, arrays = parse_box(box), parse_what(what)
    expect_writable(out)
    compile_kernels(quiet=json)
    from client.report.dump import dump  # loads the kernels, so only when they are there

    with progress(f"requesting {where}", quiet=json) as tell:
        report = dump(where, wanted, out, options, progress=tell, what=arrays)
    return report.tell(as_json=json)
