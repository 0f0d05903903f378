"""Plain reference of ``client.entities.move_kernels``: applies moves of entities one by one."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from client.entities import GLIDE_US


def apply(rows: np.ndarray, lifts: Sequence[float], moves: Sequence[Sequence[float]]) -> list[tuple[Any, ...]]:
    """Applies moves to rows of a table; returns (entity, position, time, whether it was a teleport) for each."""
    places = []
    for at, x, y, z, pitch, yaw, head_yaw, once, time_us, packet in moves:
        row, time = rows[int(at)], int(time_us)
        passed = 1.0 if row["teleported"] else min(max((time - int(row["moved_at"])) / GLIDE_US, 0.0), 1.0)
        row["before"] += (row["position"] - row["before"]) * passed
        turn = (row["angles"] - row["angles_before"] + np.float32(180)) % np.float32(360) - np.float32(180)
        row["angles_before"] = row["angles_before"] + turn.astype(np.float64) * passed
        feet = x, y - lifts[row["kind"]], z
        for field, said in (("position", feet), ("angles", (pitch, yaw, head_yaw))):
            for axis, number in enumerate(said):
                if not math.isnan(number):
                    row[field][axis] = number
        row["moved_at"] = row["heard_at"] = time
        row["packet"], row["teleported"] = int(packet), bool(once)
        places.append((int(row["number"]), row["position"].tolist(), time, bool(once)))
    return places
