"""Twenty-four fixed views of worlds on labelled rows, taken with ``chunkscope shot``: all that pictures must hold at.

    python -m tests.contact_sheet OUT [--old CHECKOUT] [--only GLOB]

``OUT/views`` gets each picture, ``OUT/row-1.png`` to ``row-6.png`` four of them each, labelled. With ``--old`` the same
views are taken with the program of another checkout as well, in ``OUT/old``; then each row shows two views, old beside
new. Saved worlds are read from the shared data (README.md, rule 5); where one is absent its place says so. The exit
code is 1 if a picture could not be taken.
"""

# ruff: noqa: T201 - a command line talks

import argparse
import subprocess
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from tests.support.data.shared import ROOT as SHARED

ROOT: Final = Path(__file__).parents[1]
SIZE_PX: Final = (480, 270)
TILE_PX: Final = (400, 225)
LABEL_PX: Final = 24
IN_A_ROW: Final = 4
FREQUENT: Final = 176
RARE: Final = 80
"""Colours of a row's palette, frequent ones and those that are unlike them; six rows take about 1.2 MB."""
LONGEST_S: Final = 600.0
GROUND: Final = (24, 24, 28)
INK: Final = (235, 235, 235)
MAIN: Final = "from render import main; main()"
"""Run in a checkout's folder this is its own program, whatever is installed."""

HILLS: Final = ("embedded:hills:1",)
SPAWN: Final = (*HILLS, "--at", "0.5,81.62,-5.5", "--look", "0,6")
SLOPE: Final = (*HILLS, "--at", "-12.5,75.2,12", "--look", "70,8")
LAKE: Final = (*HILLS, "--at", "2.5,84,34.5", "--look", "0,30")
ABOVE: Final = (*HILLS, "--at", "0.5,200,40.5")
NETHER: Final = (*HILLS, "--dimension", "nether")
END: Final = (*HILLS, "--dimension", "end")


class SheetView(NamedTuple):
    """One of the fixed views."""

    name: str  # of its file
    shows: str  # its label
    arguments: tuple[str, ...]  # of ``chunkscope shot``, the source first


VIEWS: Final = (
    SheetView("noon", "noon", (*SPAWN, "--time", "6000")),
    SheetView("dusk", "dusk, 12700", (*SPAWN, "--time", "12700")),
    SheetView("night", "midnight", (*SPAWN, "--time", "18000")),
    SheetView("dawn", "dawn, 23300", (*SPAWN, "--time", "23300")),
    SheetView("clear", "clear, 9500", (*SLOPE, "--time", "9500")),
    SheetView("rain", "rain, 9500", (*SLOPE, "--time", "9500", "--weather", "rain")),
    SheetView("thunder", "thunder, 9500", (*SLOPE, "--time", "9500", "--weather", "thunder")),
    SheetView(
        "snow",
        "rain on a mountain: snow",
        (*HILLS, "--at", "40.5,137,96.5", "--look", "170,14", "--time", "6000", "--weather", "rain"),
    ),
    SheetView("nether", "Nether, the hall", (*NETHER, "--at", "8.5,44,1.5", "--look", "0,8")),
    SheetView("nether_sea", "Nether, the sea of lava", (*NETHER, "--at", "24.5,48,40.5", "--look", "-35,22")),
    SheetView("end", "End, from the platform", (*END, "--at", "100.5,56,0.5", "--look", "90,2")),
    SheetView("end_above", "End, from above", (*END, "--at", "60.5,120,-60.5", "--look", "45,32")),
    SheetView(
        "cave", "cave with lamps", (*HILLS, "--at", "-55.5,43.6,-13.5", "--look", "-90,10", "--time", "18000")
    ),
    SheetView("water", "lake", (*LAKE, "--time", "6000")),
    SheetView(
        "under_water",
        "under water",
        (*HILLS, "--at", "2.5,56.5,52.5", "--look", "10,-12", "--time", "6000"),
    ),
    SheetView(
        "glass",
        "through stained glass",
        (*HILLS, "--at", "-27.7,73.6,6.5", "--look", "-75,4", "--time", "6000"),
    ),
    SheetView("map", "map", (*ABOVE, "--look", "0,90", "--ortho", "192", "--time", "6000", "--radius", "12")),
    SheetView(
        "cut",
        "cut at 70",
        (*HILLS, "--at", "55.5,200,-54.5", "--look", "30,50", "--ortho", "130", "--time", "6000", "--cut", "70",
         "--radius", "12"),
    ),
    SheetView(
        "far", "radius 32", (*HILLS, "--at", "0.5,150,-160.5", "--look", "0,10", "--time", "6000", "--radius", "32",
         "--timeout", "240"),
    ),
    SheetView("in_a_block", "the eye in a block", (*HILLS, "--at", "0.5,60.5,-5.5", "--look", "0,6", "--time", "6000")),
    SheetView("saved_1", "saved by 1.16.100", ("worlds/rbedrock-example1.mcworld", "--time", "6000", "--radius", "6")),
    SheetView("saved_2", "saved by 1.18.30", ("worlds/rbedrock-example2.mcworld", "--time", "6000", "--radius", "6")),
    SheetView(
        "saved_map",
        "the same, map",
        ("worlds/rbedrock-example2.mcworld", "--at", "8,300,8", "--look", "0,90", "--ortho", "180", "--time", "6000"),
    ),
    SheetView("bench", "snow in steps", ("embedded:bench:1", "--time", "6000", "--look", "70,20", "--radius", "6")),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """All of it; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.contact_sheet", description="Fixed views on labelled rows.")
    parser.add_argument("out", type=Path, help="folder that is written")
    parser.add_argument("--old", type=Path, help="another checkout, whose pictures stand beside")
    parser.add_argument("--only", default="*", help="views whose name fits (all)")
    asked = parser.parse_args(arguments)
    views = [view for view in VIEWS if fnmatchcase(view.name, asked.only)]
    tiles, failed = [], 0
    for view in views:
        source = SHARED / view.arguments[0] if view.arguments[0].startswith("worlds/") else None
        if source is not None and not source.exists():
            tiles += [worded(f"{view.shows}: {view.arguments[0]} is absent")] * (1 if asked.old is None else 2)
            continue
        named = (view.arguments[0] if source is None else str(source), *view.arguments[1:])
        for folder, checkout in ([] if asked.old is None else [("old", asked.old)]) + [("views", ROOT)]:
            path = asked.out / folder / f"{view.name}.png"
            trouble = taken(checkout, path, named)
            label = view.shows if asked.old is None else f"{view.shows} ({'new' if checkout is ROOT else 'old'})"
            label = f"{label}: {trouble}" if trouble else label
            tiles.append(labelled(path, label) if path.exists() else worded(label))
            failed += bool(trouble)
            print(f"{path} {trouble}")
    for first in range(0, len(tiles), IN_A_ROW):
        row = beside(tiles[first : first + IN_A_ROW])
        painted(row).save(asked.out / f"row-{first // IN_A_ROW + 1}.png", optimize=True)
    return 1 if failed else 0


def taken(checkout: Path, path: Path, arguments: Sequence[str]) -> str:
    """Takes a picture with a checkout's program; what is wrong with it, or why there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    size = "x".join(map(str, SIZE_PX))
    command = [sys.executable, "-c", MAIN, "shot", *arguments, "--out", str(path.absolute()), "--size", size]
    try:
        ended = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return f"not done after {LONGEST_S:g} s"
    if ended.returncode == 0:
        return ""
    return (ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1]


def labelled(path: Path, label: str) -> Image.Image:
    """A picture below its label."""
    tile = worded(label)
    with Image.open(path) as picture:
        tile.paste(picture.convert("RGB").resize(TILE_PX, Image.Resampling.LANCZOS), (0, LABEL_PX))
    return tile


def worded(label: str) -> Image.Image:
    """A place without a picture."""
    tile = Image.new("RGB", (TILE_PX[0], TILE_PX[1] + LABEL_PX), GROUND)
    ImageDraw.Draw(tile).text((6, 4), label, INK, ImageFont.load_default(14))
    return tile


def beside(tiles: Sequence[Image.Image]) -> Image.Image:
    """A row."""
    row = Image.new("RGB", (TILE_PX[0] * IN_A_ROW, TILE_PX[1] + LABEL_PX), GROUND)
    for number, tile in enumerate(tiles):
        row.paste(tile, (number * TILE_PX[0], 0))
    return row


def painted(row: Image.Image) -> Image.Image:
    """A row with a palette: of frequent colours alone flowers and lamps would lose theirs, and of unlike ones skies.

    Dithered, since smooth skies and the vignette had rings.
    """
    frequent = row.quantize(FREQUENT).getpalette() or []
    rare = row.quantize(RARE, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(frequent[: FREQUENT * 3] + rare[: RARE * 3])
    return row.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)


if __name__ == "__main__":
    sys.exit(main())
