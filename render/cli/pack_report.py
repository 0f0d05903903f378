"""What ``doctor --pack`` says: what is wrong with resource packs, and which blocks they leave as they are."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Final

from net.frozen import frozen

WIDTH: Final = 100
"""Characters of a line of names: the same in a terminal, in a file and in a test."""
INDENT: Final = "  "
MOST_NAMES: Final = 120
"""That are told of each kind: about 20 lines."""


@frozen
class PackReport:
    """Packs over the blocks of one protocol.

    Attributes:
        packs: titles, the lowest first.
        troubles: a line each.
        blocks: how many names there are.
        whole: how many show the packs alone.
        parts: names that show some faces of ours.
        ours: names that show nothing of the packs.
        crowded: names of both kinds for which there was no texture layer left.
        layers: pictures in all.
        most_layers: what an array texture holds here; where no context can be had, on every driver tried.
        side: texels a side of every picture.
        largest: of the largest picture of the packs that is shown.
        tile_mib: what all pictures take on the GPU, with their mip levels.
        by_place: textures of which the game chooses one of several by place; here the heaviest is shown everywhere.
    """

    packs: tuple[str, ...]
    troubles: tuple[str, ...]
    blocks: int
    whole: int
    parts: tuple[str, ...]
    ours: tuple[str, ...]
    crowded: tuple[str, ...] = ()
    layers: int = 0
    most_layers: int = 0
    side: int = 0
    largest: int = 0
    tile_mib: float = 0.0
    by_place: tuple[str, ...] = ()


def report_on(paths: Sequence[Path], protocol: int = 486, most_layers: int | None = None) -> PackReport:
    """Reads packs, and every picture of them that a block shows.

    Args:
        paths: the lowest first.
        protocol: whose blocks.
        most_layers: of an array texture; None: what the driver here says.

    Raises:
        PackError: one of them is no pack, or cannot be opened.
    """
    from assets.textures import load
    from client.world.block_table import BlockTable
    from net.palette import Palette
    from render.materials.materials import Materials
    from render.materials.packs.stack import PackStack

    stack = PackStack.open(paths, load())
    table = BlockTable.build(Palette.for_protocol(protocol))
    room = _layers_here() if most_layers is None else most_layers
    materials = Materials.build(table, stack, room)
    lacking = {name.removeprefix("minecraft:"): faces for name, faces in materials.unpacked.items()}
    crowded = {name.removeprefix("minecraft:") for name in materials.crowded}
    lacking |= dict.fromkeys(crowded, 0)
    names = {state.name for state in table.states}
    return PackReport(
        packs=tuple(pack.title for pack in stack.packs),
        troubles=tuple(map(str, stack.troubles)),
        blocks=len(names),
        whole=len(names) - len(lacking),
        parts=tuple(sorted(name for name, faces in lacking.items() if faces)),
        ours=tuple(sorted(name for name, faces in lacking.items() if not faces)),
        crowded=tuple(sorted(crowded)),
        layers=materials.layers,
        most_layers=room,
        side=materials.side,
        largest=materials.largest,
        tile_mib=round(materials.layers * materials.side**2 * 16 / 3 / (1 << 20), 1),
        by_place=tuple(sorted({name for pack in stack.packs for name in pack.by_place})),
    )


def _layers_here() -> int:
    """Of an array texture of the driver here, or, where no context can be had, of every driver tried."""
    from render.gpu import Gpu, UnsupportedGpu
    from render.materials.room import MOST_LAYERS

    try:
        gpu = Gpu.standalone()
    except UnsupportedGpu:
        return MOST_LAYERS
    try:
        return gpu.capabilities.max_layers
    finally:
        gpu.release()


def lines_of(report: PackReport) -> list[str]:
    """For a person."""
    lines = [f"packs, the lowest first: {', '.join(report.packs)}"]
    lines.append(f"{report.whole} of {report.blocks} blocks show the packs alone")
    size = f"{report.side} x {report.side}"
    lines.append(f"pictures of {size}, {report.layers:,} of {report.most_layers:,} layers, {report.tile_mib} MiB")
    if report.largest > report.side:
        lines.append(
            f"made smaller: pictures of {report.largest} x {report.largest} would take more than there is for them"
        )
    lines += _listed("no layer left for {}", report.crowded)
    lines += _listed("{} show one picture instead of several by place", report.by_place)
    lines += _listed("{} show some faces of ours", report.parts)
    lines += _listed("{} look as ours do", report.ours)
    return lines + [f"wrong: {trouble}" for trouble in report.troubles]


def _listed(heading: str, names: Sequence[str]) -> list[str]:
    """How many there are, and names in lines that fit a terminal; of very many the first."""
    if not names:
        return []
    more = len(names) - MOST_NAMES
    told = ", ".join(names[:MOST_NAMES]) + (f" and {more} more (--json has all names)" if more > 0 else "")
    return [f"{heading.format(len(names))}:", *wrap(told, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)]
