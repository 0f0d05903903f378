"""Snapshots of entities for pictures: one dictionary per entity; missing fields are those of a cow at rest."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from client.entities import EntityPicture

VERSIONS = itertools.count(1)
COW: dict[str, Any] = {
    "kind": "minecraft:cow", "row": 0, "at": (0.0, 0.0, 0.0), "before": None, "moved_at": 0, "teleported": False,
    "angles": (0.0, 0.0, 0.0), "angles_before": None, "size": (0.9, 1.4), "name": "", "name_always": False, "block": -1,
    "item": False, "invisible": False, "painting": "", "direction": 0,
}  # fmt: skip


def snapshot(entities: Sequence[Mapping[str, Any]]) -> EntityPicture:
    """A snapshot as a session makes it; rows are numbered from 0 unless given."""
    full = [{**COW, "row": number, **entity} for number, entity in enumerate(entities)]
    kinds = tuple(sorted({entity["kind"] for entity in full}))

    def column(name: str, dtype: Any, *shape: int) -> np.ndarray:
        return np.array([entity[name] for entity in full], dtype).reshape(len(full), *shape)

    for entity in full:
        entity["before"] = entity["at"] if entity["before"] is None else entity["before"]
        entity["angles_before"] = entity["angles"] if entity["angles_before"] is None else entity["angles_before"]
        entity["number"] = kinds.index(entity["kind"])
    return EntityPicture(
        version=next(VERSIONS),
        kinds=kinds,
        rows=column("row", np.uint32),
        kind=column("number", np.uint16),
        position=column("at", np.float64, 3),
        before=column("before", np.float64, 3),
        moved_at=column("moved_at", np.int64),
        teleported=column("teleported", np.bool_),
        angles=column("angles", np.float32, 3),
        angles_before=column("angles_before", np.float32, 3),
        size=column("size", np.float32, 2),
        name=tuple(entity["name"] for entity in full),
        name_always=column("name_always", np.bool_),
        invisible=column("invisible", np.bool_),
        block=column("block", np.int32),
        item=column("item", np.bool_),
        painting=tuple(entity["painting"] for entity in full),
        direction=column("direction", np.int8),
    )
