"""``chunkscope doctor``: checks whether this machine can run chunkscope, and verifies the data on the GPU.

The checks are independent: each runs even if another fails. ``doctor --pack`` reports what is wrong with resource packs
and which blocks they do not cover.
"""

import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import metadata
from json import dumps
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer
from msgspec.structs import replace

from client.errors import UsageError
from net.errors import install_line
from render.cli.arguments import (
    Debug,
    GpuBudget,
    JoinOptions,
    Json,
    Pack,
    command,
    connection,
    parse_budget,
    parse_packs,
)
from render.cli.console import starting

if TYPE_CHECKING:
    from render.bench.mirror import MirrorComparison
    from render.gpu.capabilities import Capabilities


@command(
    "doctor",
    help="Check this installation: import names, GL, display, kernels; say what to install if something "
    "is missing. --mirror reads all block ids and light back from the GPU and compares them with the "
    "CPU. --pack lists errors in resource packs and the blocks they do not cover.",
    examples="Examples: chunkscope doctor --json; chunkscope doctor --mirror embedded:hills --edits 10000 --moves 50",
)
def run(
    *,
    mirror: Annotated[
        str | None, typer.Option("--mirror", metavar="SOURCE", help="Verify the GPU's copy of this world.")
    ] = None,
    edits: Annotated[int, typer.Option("--edits", min=0, max=1_000_000, help="Blocks to change during the check.")] = 0,
    moves: Annotated[int, typer.Option("--moves", min=0, max=100_000, help="Places to visit during the check.")] = 0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of edits and moves.")] = 0,
    gpu_budget: GpuBudget = None,
    pack: Pack = None,
    joining: JoinOptions,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Prints one line a check; exit code 1 when one failed."""
    if pack:
        return _packs(parse_packs(pack), json)
    if mirror is None:
        if edits or moves or gpu_budget is not None:
            raise UsageError("--edits, --moves and --gpu-budget need --mirror SOURCE.")
        return _installation(json)
    return _mirror(mirror, (edits, moves, seed), gpu_budget, joining, json)


def _installation(json: bool) -> int:
    from rich.console import Console
    from rich.table import Table

    findings = checkup()
    if json:
        print(dumps([msgspec.to_builtins(finding) for finding in findings], indent=2))
    else:
        table = Table("", "check", "found", box=None)
        for finding in findings:
            table.add_row("[green]ok[/]" if finding.ok else "[red]no[/]", finding.check, finding.found)
        Console().print(table)
    return 0 if all(finding.ok or not finding.needed for finding in findings) else 1


def _packs(paths: "Sequence[Path]", json: bool) -> int:
    report = report_on(paths)
    print(dumps(msgspec.to_builtins(report), indent=2) if json else "\n".join(lines_of(report)))
    return 1 if report.troubles else 0


def _mirror(
    source: str, trial: tuple[int, int, int], budget_mib: float | None, joining: JoinOptions, json: bool
) -> int:
    where, options = connection(source, joining)
    edits, moves, seed = trial
    budget = parse_budget(budget_mib)
    with starting(f"loading {where}", (where, options), quiet=json) as tell:
        from client.connection.opening import open_connection
        from render.bench.mirror import MirrorTrial, examine_mirror

        with open_connection(where, replace(options, light=False), tell) as joined:
            settled = joined.wait_settled(progress=tell)
            joined.leave()
            stages = examine_mirror(joined, MirrorTrial(edits, moves, seed, budget), tell)
    _tell(stages, json)
    if not all(stage.check.ok for stage in stages):
        return 1
    if not settled:
        print(
            f"chunkscope: {where} did not send everything that was requested; only what arrived was compared.",
            file=sys.stderr,
        )
        return 4
    return 0


def _tell(stages: "Sequence[MirrorComparison]", json: bool) -> None:
    if json:
        rows = [
            {
                "when": stage.when, "ok": stage.check.ok, "subchunks": stage.check.subchunks,
                "bricks": stage.check.bricks, "left_out": stage.check.left_out, "cells": stage.check.cells,
                "wrong": len(stage.check.differences), "differences": stage.check.told,
            }
            for stage in stages
        ]  # fmt: skip
        print(dumps(rows, indent=2))
        return
    for stage in stages:
        check, wrong = stage.check, len(stage.check.differences)
        out = f", {check.left_out:,} did not fit" if check.left_out else ""
        print(
            f"{'ok' if check.ok else 'no'}  {stage.when}: {check.subchunks:,} sub-chunks, "
            f"{check.bricks:,} bricks{out}, {check.cells:,} values compared, {wrong:,} sub-chunks differ"
        )
        for found in check.told:
            print(f"    {found}")


# ---------------------------------------------------------------- checkup

TESTED_PYTHONS = ("3.11",)
"""Versions on which all of ./check passed; add one after ./check pythons has passed on it."""
TESTED_NUMBA = "0.68"
TESTED_SYSTEMS = (("Linux", "x86_64"),)
NAMES = ("chunkscope", "assets", "client", "net", "render", "shaders")


class CheckResult(msgspec.Struct, frozen=True):
    """One check."""

    check: str  # what was looked at
    ok: bool  # whether it is as it should be
    found: str  # what was found, or the line that mends it
    needed: bool = True  # whether chunkscope cannot run without it


def checkup() -> list[CheckResult]:
    """All checks, in the order a user would mend them."""
    return [
        CheckResult("chunkscope", True, metadata.version("chunkscope")),
        CheckResult("Python", True, f"{platform.python_version()} on {platform.platform(terse=True)}"),
        _tested(), _import_names(), *_gl(), _display(), _kernels(),
        _optional("films as MP4 (extra: film)", "imageio-ffmpeg"),
        _nethernet(),
    ]  # fmt: skip


def _tested() -> CheckResult:
    """Whether this Python, Numba and system are among those that the tests ran on; others may well do."""
    here = ".".join(platform.python_version_tuple()[:2])
    numba = ".".join(metadata.version("numba").split(".")[:2])
    system = platform.system(), platform.machine()
    odd = [f"Python {here}"] if here not in TESTED_PYTHONS else []
    odd += [f"Numba {numba}"] if numba != TESTED_NUMBA else []
    odd += [" on ".join(reversed(system))] if system not in TESTED_SYSTEMS else []
    systems = ", ".join(f"{name} {machine}" for name, machine in TESTED_SYSTEMS)
    tested = f"Python {', '.join(TESTED_PYTHONS)} with Numba {TESTED_NUMBA} on {systems}"
    if odd:
        return CheckResult("tested", False, f"{tested} are tested, {' and '.join(odd)} are not", needed=False)
    return CheckResult("tested", True, tested, needed=False)


def _import_names() -> CheckResult:
    """Five plain names are ours (architecture decision): another owner would shadow us, or we it."""
    owners = metadata.packages_distributions()
    clashes = {name: sorted(set(owners.get(name, [])) - {"chunkscope"}) for name in NAMES}
    clashes = {name: who for name, who in clashes.items() if who}
    if clashes:
        told = "; ".join(f"{name} also belongs to {', '.join(who)}" for name, who in clashes.items())
        return CheckResult("import names", False, f"{told}: install chunkscope in its own environment")
    return CheckResult("import names", True, ", ".join(NAMES))


def _gl() -> list[CheckResult]:
    """OpenGL without a window, its optional features, and which light is drawn."""
    try:
        from render.gpu import Gpu
        from render.gpu.capabilities import format_features, no_compute

        gpu = Gpu.standalone()
        try:
            can, features = gpu.capabilities, format_features(gpu.capabilities)
        finally:
            gpu.release()
    except Exception as error:  # a doctor names every illness, expected or not
        remedy = "" if getattr(error, "too_old", False) else " (Debian: apt-get install libegl1 libgl1)"
        return [
            CheckResult("OpenGL without a window", False, f"{error}{remedy}"),
            CheckResult("OpenGL features", False, str(error), needed=False),
            CheckResult("light", False, str(error), needed=False),
        ]
    advice = "slower here, because the CPU does both" if can.software else "compare frame times in the HUD"
    light = f"computed on the CPU; --light gpu computes the same on the GPU ({advice})"
    return [
        CheckResult("OpenGL without a window", True, format_renderer(can, os.environ)),
        CheckResult("OpenGL features", True, features, needed=False),
        CheckResult("light", True, light if can.computes else no_compute(can), needed=False),
    ]


def format_renderer(can: "Capabilities", environment: Mapping[str, str]) -> str:
    """The driver, and what a user of llvmpipe should know about it."""
    told = f"{can.renderer}, OpenGL {can.version / 100:.1f} ({can.driver})"
    if "llvmpipe" not in can.renderer or environment.get("LP_NUM_THREADS") == "0":
        return told
    return (
        f"{told}; on a busy machine a window may crash, very rarely (a fault of Mesa): "
        "LP_NUM_THREADS=0 prevents that, and frames take longer"
    )


def _display() -> CheckResult:
    if platform.system() == "Linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return CheckResult("display", False, "none: `view` needs one, `shot` and `dump` do not", needed=False)
    return CheckResult("display", True, os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or "native")


def _kernels() -> CheckResult:
    from client.kernel_cache import cache_directory, is_warm
    from client.kernel_cache.cache import ALL_PACKAGES

    warm = is_warm(ALL_PACKAGES)
    state = "compiled" if warm else "not compiled yet; the first start compiles them in ten to twenty seconds"
    return CheckResult("kernels", True, f"{state} ({cache_directory()})")


def _optional(check: str, package: str) -> CheckResult:
    try:
        return CheckResult(check, True, f"{package} {metadata.version(package)}", needed=False)
    except metadata.PackageNotFoundError:
        return CheckResult(check, False, install_line(package), needed=False)


def _nethernet() -> CheckResult:
    """Whether the extra is there, and two ends of a connection agree with certificates that are made here."""
    from net.nethernet.dtls import handshake_fault

    found = _optional("servers from 1.26.50 on (extra: nethernet)", "pyOpenSSL")
    fault = handshake_fault(time.time()) if found.ok else None
    return found if fault is None else replace(found, ok=False, found=f"{found.found}: {fault}")


# ---------------------------------------------------------------- pack report

WIDTH: Final = 100
"""Characters of a line of names: the same in a terminal, in a file and in a test."""
INDENT: Final = "  "
MOST_NAMES: Final = 120
"""Names listed for each kind: about 20 lines."""


class PackReport(msgspec.Struct, frozen=True):
    """Packs over the blocks of one protocol."""

    packs: tuple[str, ...]  # titles, the lowest first
    troubles: tuple[str, ...]  # a line each
    blocks: int  # how many names there are
    whole: int  # how many show the packs alone
    parts: tuple[str, ...]  # blocks of which the pack covers some faces only
    ours: tuple[str, ...]  # names that show nothing of the packs
    crowded: tuple[str, ...] = ()  # names of both kinds for which there was no texture layer left
    layers: int = 0  # pictures in all
    most_layers: int = 0  # what an array texture holds here; where no context can be had, on every driver tried
    side: int = 0  # texels a side of every picture
    largest: int = 0  # of the largest picture of the packs that is shown
    tile_mib: float = 0.0  # what all pictures take on the GPU, with their mip levels
    # textures of which the game chooses one of several by place; here the heaviest is shown everywhere
    by_place: tuple[str, ...] = ()


def report_on(paths: Sequence[Path], protocol: int = 486, most_layers: int | None = None) -> PackReport:
    """Reads packs, and every picture of them that a block shows.

    ``paths``: the lowest first. ``most_layers``: of an array texture; None: what the driver here says.

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
    from render.materials.materials import MOST_LAYERS

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
    lines = [f"packs, lowest priority first: {', '.join(report.packs)}"]
    lines.append(f"{report.whole} of {report.blocks} blocks are textured by the packs alone")
    size = f"{report.side} x {report.side}"
    lines.append(f"pictures of {size}, {report.layers:,} of {report.most_layers:,} layers, {report.tile_mib} MiB")
    if report.largest > report.side:
        lines.append(
            f"reduced: pictures of {report.largest} x {report.largest} would need more memory than is available"
        )
    lines += _listed("no layer is left for {}", report.crowded)
    lines += _listed("{} show one picture although the pack has several by position", report.by_place)
    lines += _listed("{} show some built-in faces", report.parts)
    lines += _listed("{} look built-in", report.ours)
    return lines + [f"error: {trouble}" for trouble in report.troubles]


def _listed(heading: str, names: Sequence[str]) -> list[str]:
    """How many there are, and names in lines that fit a terminal; of very many the first."""
    if not names:
        return []
    more = len(names) - MOST_NAMES
    told = ", ".join(names[:MOST_NAMES]) + (f" and {more} more (--json has all names)" if more > 0 else "")
    return [f"{heading.format(len(names))}:", *wrap(told, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)]
