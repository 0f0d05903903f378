"""What ``doctor --pack`` says: what is wrong with resource packs, and which blocks they leave as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PackReport:
    """Packs over the blocks of one protocol.

    Attributes:
        packs: titles, the lowest first.
        troubles: a line each.
        blocks: how many names there are.
        whole: how many show the packs alone.
        parts: names that show some faces of ours.
        ours: names that show nothing of the packs.
    """

    packs: tuple[str, ...]
    troubles: tuple[str, ...]
    blocks: int
    whole: int
    parts: tuple[str, ...]
    ours: tuple[str, ...]


def report_on(paths: Sequence[Path], protocol: int = 486) -> PackReport:
    """Reads packs, and every picture of them that a block shows.

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
    lacking = {name.removeprefix("minecraft:"): faces for name, faces in Materials.build(table, stack).unpacked.items()}
    names = {state.name for state in table.states}
    return PackReport(
        packs=tuple(pack.title for pack in stack.packs),
        troubles=tuple(map(str, stack.troubles)),
        blocks=len(names),
        whole=len(names) - len(lacking),
        parts=tuple(sorted(name for name, faces in lacking.items() if faces)),
        ours=tuple(sorted(name for name, faces in lacking.items() if not faces)),
    )


def lines_of(report: PackReport) -> list[str]:
    """For a person."""
    lines = [f"packs, the lowest first: {', '.join(report.packs)}"]
    lines.append(f"{report.whole} of {report.blocks} blocks show the packs alone")
    if report.parts:
        lines.append(f"{len(report.parts)} show some faces of ours: {' '.join(report.parts)}")
    if report.ours:
        lines.append(f"{len(report.ours)} look as ours do: {' '.join(report.ours)}")
    return lines + [f"wrong: {trouble}" for trouble in report.troubles]
