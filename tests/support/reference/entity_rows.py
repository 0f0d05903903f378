"""Plain reference of ``entity_kernels`` in NumPy: rows of entities for the GPU, and which of them a camera sees."""

import numpy as np
import numpy.typing as npt

from client.entities import EntityPicture
from render.camera import Camera
from render.passes.entities import EntityForms, PackedEntities
from render.passes.entity_kernels import FURTHEST_BLOCKS, MOST_DEGREES, OLDEST_US, UNITS_A_DEGREE, WORDS


def turns(angles: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Pitch and head yaw of angles [n, 3] as the halves of one word; NaN and angles out of range become 0."""
    known = np.where(np.abs(angles[:, ::2]) < MOST_DEGREES, angles[:, ::2], np.float32(0.0))
    units = np.rint(known * UNITS_A_DEGREE).astype(np.int32)
    words: npt.NDArray[np.int32] = units[:, 0] & 0xFFFF | units[:, 1] << 16
    return words


def plain_packed(entities: EntityPicture, forms: EntityForms) -> PackedEntities:
    """The result of ``EntityPacker.pack`` for rows that can all be drawn."""
    position, many = entities.position, len(entities.rows)
    now, then = turns(entities.angles), turns(entities.angles_before)
    now[forms.paintings] = then[forms.paintings] = entities.direction[forms.paintings].astype(np.int32) << 30
    with np.errstate(invalid="ignore", over="ignore"):
        back = entities.before - position
        still = entities.teleported | ~(np.abs(back).sum(axis=1) < FURTHEST_BLOCKS)
    back[still] = 0.0
    since_us = int(entities.moved_at.max(initial=0))
    words = forms.words.copy()
    rows = words[: many * 4].reshape(many, WORDS)
    floats, floor = rows.view(np.float32), np.floor(position)
    rows[:, 0:3] = floor
    rows[:, 3] = np.maximum(entities.moved_at - since_us, -OLDEST_US)
    floats[:, 4:7] = position - floor
    floats[:, 8:11] = back
    rows[:, 11] = np.where(still, now, then)
    rows[:, 15] = np.where(forms.fixed, rows[:, 15], now)
    middles = np.ascontiguousarray((position + 0.5 * back).T)
    middles[1] += forms.rises
    radii = forms.radii + 0.5 * np.sqrt((back * back).sum(axis=1))
    return PackedEntities(entities, words, since_us, forms.has_two, forms.sizes, middles, radii)


def plain_seen(packed: PackedEntities, camera: Camera) -> npt.NDArray[np.int32]:
    """The result of ``PackedEntities.in_sight``."""
    planes = camera.planes()
    away = planes[:, :3] @ (packed.middles - np.array(camera.eye)[:, None])
    seen = (away >= -(planes[:, 3:] + packed.radii)).all(axis=0)
    two, one = np.flatnonzero(seen & packed.has_two), np.flatnonzero(seen & ~packed.has_two)
    return np.concatenate([two, one]).astype(np.int32)
