"""Shots as files: false-colour pictures (.png), or the arrays with what reads them (.npz).

An .npz holds each channel under its name, ``view`` float64[6] (eye x, y, z, yaw, pitch, field of view in degrees), and
for block ids ``names``, ``states`` (JSON) and ``runtime_ids`` by row, for states ``state_names``. No pickles.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from client.report.dump import write_npz
from client.world.lifecycle import Knowledge
from render.capture.channels import COLOUR, checked
from render.capture.false_colour import picture_of_channel
from render.capture.shot_arrays import Shot, view_numbers
from render.gpu.png import write_png

ARRAYS = ".npz"


def is_arrays(out: Path) -> bool:
    """Whether a shot goes there as arrays, not as a picture."""
    return out.suffix.lower() == ARRAYS


def paths_of(out: Path, channels: Sequence[str]) -> dict[str, Path]:
    """Where each channel goes: into ``out`` if that is an .npz or there is one alone, else each into FILE.NAME.png.

    Raises:
        ValueError: there is no such channel.
    """
    names = checked(channels or (COLOUR,))
    if is_arrays(out) or len(names) == 1:
        return dict.fromkeys(names, out)
    return {name: out.with_name(f"{out.stem}.{name}{out.suffix or '.png'}") for name in names}


def write_shot(shot: Shot, out: Path, labels: Mapping[str, str]) -> tuple[Path, ...]:
    """Writes a shot's channels; gives the files.

    Args:
        shot: what was seen.
        out: as ``--out`` of ``chunkscope shot``.
        labels: keyword to text, into each picture.

    Raises:
        OSError: a file cannot be written.
    """
    paths = paths_of(out, tuple(shot.arrays))
    if is_arrays(out):
        write_npz(out, arrays_of(shot))
        return (out,)
    for name, path in paths.items():
        write_png(path, picture_of_channel(shot, name), {**labels, "Channel": name})
    return tuple(paths.values())


def arrays_of(shot: Shot) -> dict[str, npt.NDArray[Any]]:
    """Everything that an .npz of the shot holds."""
    view = shot.view
    arrays: dict[str, npt.NDArray[Any]] = dict(shot.arrays)
    arrays["view"] = view_numbers(view)
    if shot.palette is not None:
        arrays.update(names=shot.palette.names, states=shot.palette.states, runtime_ids=shot.palette.runtime_ids)
    if shot.state is not None:
        names = np.full(256, "", "<U12")
        for known in Knowledge:
            names[known] = known.name.lower()
        arrays["state_names"] = names
    return arrays
