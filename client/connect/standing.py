"""Where the eye of a look-out is, by what is known of the ground it stands on."""

from typing import Final

from client.connect.look_outs import LookOut
from client.player import Eye
from client.world.height_maps import UNKNOWN_TOP
from client.world.store import Store

EYE_HEIGHT_BLOCKS: Final = 1.62


def eye_of(look_out: LookOut, store: Store) -> Eye | None:
    """The eye at its given height, else over the ground, else over the roof; None where it wants everything."""
    if look_out.everything:
        return None
    height = _surface(look_out, store) + EYE_HEIGHT_BLOCKS if look_out.y is None else look_out.y
    return Eye(look_out.x, height, look_out.z)


def _surface(look_out: LookOut, store: Store) -> float:
    block = Eye(look_out.x, 0.0, look_out.z).block
    known = block.column in store.row_of
    top = int(store.height_map(block.column)[(block.z & 15) << 4 | block.x & 15]) if known else UNKNOWN_TOP
    return float(store.dimension.roof_y_blocks if top == UNKNOWN_TOP else top)
