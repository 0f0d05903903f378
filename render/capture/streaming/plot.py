"""A proof as a picture (PNG): needs matplotlib, which the extra ``bench`` brings."""

from pathlib import Path
from typing import Any

import numpy as np

from render.capture.streaming.proof import Proof
from render.capture.streaming.report import SHARES, StreamReport

COLOURS = ("#1b6ca8", "#c8792b")  # told apart by everybody


def plot(proof: Proof, path: Path) -> None:
    """Draws moments and entries, leg by leg, and writes them.

    Raises:
        ImportError: there is no matplotlib.
        OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, and slow to load

    reports = [proof.by_sight, *([proof.baseline] if proof.baseline else [])]
    figure = Figure(figsize=(10, 7), layout="constrained")
    moments, entries = figure.subplots(2, 1)
    for index, report in enumerate(reports):
        _bars(moments, report, index, len(reports), [leg.right_s.get(SHARES[1], 0.0) for leg in report.legs])
        _bars(entries, report, index, len(reports), [float(leg.asked) for leg in report.legs])
    moments.set_ylabel(f"seconds until {SHARES[1]} % of the pixels were right")
    entries.set_ylabel("sub-chunks asked")
    moments.legend()
    first = proof.by_sight
    figure.suptitle(f"{first.source}, radius {first.radius}, round trip {first.round_trip_s * 1000:.0f} ms")
    figure.savefig(path, format="png", dpi=100)


def _bars(axes: Any, report: StreamReport, index: int, count: int, values: list[float]) -> None:
    # Any: matplotlib is an extra, and need not be there for the types to be checked
    width = 0.8 / count
    at = np.arange(len(values)) + (index - (count - 1) / 2) * width
    axes.bar(at, values, width, label=f"asking for {report.wanted}", color=COLOURS[index])
    axes.set_xticks(np.arange(len(values)), [leg.name for leg in report.legs])
