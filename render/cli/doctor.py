"""``chunkscope doctor``: whether this machine can run chunkscope, and why not; whether its GPU holds what it should."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from render.cli.options import Debug, GpuBudget, Joining, Json, Pack, connection, spelled_out
from render.cli.reading import LightChoice, parse_budget, parse_packs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from render.capture.mirror_trial import Stage

NAME = "doctor"
HELP = (
    "Check this installation: import names, GL, display, kernels; says what to install where something is missing. "
    "With --mirror: read every brick of block ids and light back from the GPU and compare it with the CPU. "
    "With --pack: what is wrong with resource packs, and which blocks they leave as they are."
)
EXAMPLES = "Examples: chunkscope doctor --json; chunkscope doctor --mirror embedded:hills --edits 10000 --moves 50"


@spelled_out
def run(
    *,
    mirror: Annotated[
        str | None, typer.Option("--mirror", metavar="SOURCE", help="Compare the GPU's copy of this world.")
    ] = None,
    edits: Annotated[int, typer.Option("--edits", min=0, max=1_000_000, help="Blocks to change meanwhile.")] = 0,
    moves: Annotated[int, typer.Option("--moves", min=0, max=100_000, help="Places to go to meanwhile.")] = 0,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of edits and moves.")] = 0,
    gpu_budget: GpuBudget = None,
    pack: Pack = None,
    joining: Joining,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Prints one line a check; exit code 1 when one failed."""
    if pack:
        return _packs(parse_packs(pack), json)
    if mirror is None:
        from client.errors import UsageError

        if edits or moves or gpu_budget is not None:
            raise UsageError("--edits, --moves and --gpu-budget need --mirror SOURCE.")
        return _installation(json)
    return _mirror(mirror, (edits, moves, seed), gpu_budget, joining, json)


def _installation(json: bool) -> int:
    from dataclasses import asdict
    from json import dumps

    from rich.console import Console
    from rich.table import Table

    from render.cli.checkup import checkup

    findings = checkup()
    if json:
        print(dumps([asdict(finding) for finding in findings], indent=2))
    else:
        table = Table("", "check", "found", box=None)
        for finding in findings:
            table.add_row("[green]ok[/]" if finding.ok else "[red]no[/]", finding.check, finding.found)
        Console().print(table)
    return 0 if all(finding.ok or not finding.needed for finding in findings) else 1


def _packs(paths: "Sequence[Path]", json: bool) -> int:
    from dataclasses import asdict
    from json import dumps

    from render.cli.pack_report import lines_of, report_on

    report = report_on(paths)
    print(dumps(asdict(report), indent=2) if json else "\n".join(lines_of(report)))
    return 1 if report.troubles else 0


def _mirror(source: str, trial: tuple[int, int, int], budget_mib: float | None, joining: Joining, json: bool) -> int:
    from dataclasses import replace

    from render.cli.progress import progress
    from render.cli.warm import compile_kernels

    where, options = connection(source, joining)
    compile_kernels(quiet=json)
    from client.connection.opening import open_connection
    from render.capture.mirror_trial import Trial, examine_mirror

    edits, moves, seed = trial
    budget = parse_budget(budget_mib, LightChoice(flat=False, gpu=False))
    with (
        progress(f"loading {where}", quiet=json) as tell,
        open_connection(where, replace(options, light=False), tell) as joined,
    ):
        settled = joined.wait_settled(progress=tell)
        joined.leave()
        stages = examine_mirror(joined, Trial(edits, moves, seed, budget), tell)
    _tell(stages, json)
    if not all(stage.check.ok for stage in stages):
        return 1
    if not settled:
        print(f"chunkscope: {where} did not give all that was asked for: what came was compared.", file=sys.stderr)
        return 4
    return 0


def _tell(stages: "Sequence[Stage]", json: bool) -> None:
    from json import dumps

    if json:
        rows = [
            {
                "when": stage.when, "ok": stage.check.ok, "subchunks": stage.check.subchunks,
                "bricks": stage.check.bricks, "left_out": stage.check.left_out, "cells": stage.check.cells,
                "wrong": stage.check.wrong, "differences": [str(found) for found in stage.check.differences],
            }
            for stage in stages
        ]  # fmt: skip
        print(dumps(rows, indent=2))
        return
    for stage in stages:
        check = stage.check
        out = f", {check.left_out:,} without room" if check.left_out else ""
        print(
            f"{'ok' if check.ok else 'no'}  {stage.when}: {check.subchunks:,} sub-chunks, "
            f"{check.bricks:,} bricks{out}, {check.cells:,} values compared, {check.wrong:,} sub-chunks differ"
        )
        for found in check.differences:
            print(f"    {found}")
