"""Since when pixels were right.

Theory. In a settled world each ray that hits a block crosses sub-chunks whose contents are known since some moment.
From the newest of these moments on, and not before, that ray saw what it sees now. So one cast after the fact dates a
whole picture, and nothing has to be drawn meanwhile.
"""

import numpy as np
import numpy.typing as npt

from client.player import View
from client.streaming.anchors import Anchor
from client.world.store import Store
from render.camera import Camera
from render.capture.oracle import cast, pixel_rays, sphere_rays, stopped_by_cubes

WIDTH_PX, HEIGHT_PX = 160, 90
SPHERE_RAYS = 20_000


def right_since(store: Store, view: View, yaws: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """When each terrain pixel became right, earliest first: float64[n] monotonic seconds.

    Args:
        store: settled.
        view: the eye, pitch and field of view.
        yaws: one picture each.
    """
    stops = stopped_by_cubes(store.table)
    found = []
    for yaw in yaws:
        camera = Camera.of(View(view.eye, yaw, view.pitch_deg, view.fov_deg), WIDTH_PX / HEIGHT_PX)
        hits = cast(store, view.eye, pixel_rays(camera, WIDTH_PX, HEIGHT_PX), stops)
        found.append(hits.latest[hits.on_terrain])
    return np.sort(np.concatenate(found))


def holes(store: Store, view: View, radius_columns: int) -> int:
    """How many of 20,000 rays, evenly over the sphere, end in a placeholder before they see a block.

    Only placeholders at most ``radius_columns`` away count: farther ones may be known, and are not asked for.
    """
    hits = cast(store, view.eye, sphere_rays(SPHERE_RAYS), stopped_by_cubes(store.table))
    columns = store.columns[hits.places[hits.in_holes] // store.dimension.sections]
    return int(Anchor.square(view.eye.column, radius_columns).holds(columns).sum())
