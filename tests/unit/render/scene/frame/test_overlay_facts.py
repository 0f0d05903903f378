"""What overlays are told of a store: ids that no palette knows, counted sub-chunk by sub-chunk."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from net.space.layout import Places
from render.overlays.facts import FrameFacts
from render.passes.frame_uniforms import FrameSettings
from render.scene.frame.overlay_facts import SceneFacts

KNOWN_STATES, BLOCKS = 10, 4096


def facts_of(slot: npt.NDArray[np.int32], blocks: npt.NDArray[np.uint16], appended: int) -> SceneFacts:
    """Facts of all places of a store whose last ``appended`` states are of ids that no palette knows."""
    table = SimpleNamespace(appended=appended, states=[""] * (KNOWN_STATES + appended))
    world = SimpleNamespace(table=table, slot=slot, pools=SimpleNamespace(blocks=blocks))
    attached: Any = SimpleNamespace(world=world)
    frame: Any = SimpleNamespace()

    class AllPlaces(SceneFacts):
        @property
        def places(self) -> Places:
            return np.arange(len(slot), dtype=np.int32)

    checked: FrameFacts = frame
    return AllPlaces(attached, FrameSettings(), (0.0, 0.0, 0.0), checked)


def test_different_unknown_ids_are_counted_once_each_and_shared_slots_for_every_place() -> None:
    blocks = np.zeros((4, BLOCKS), np.uint16)
    blocks[1, :7] = KNOWN_STATES - 1
    blocks[2, :9] = KNOWN_STATES
    blocks[2, 100], blocks[2, 4095] = KNOWN_STATES + 2, KNOWN_STATES + 1
    blocks[3, 5] = KNOWN_STATES + 2
    slot = np.array([0, 2, 1, 2, 3, 0], np.int32)
    plain = [len({block for block in blocks[at].tolist() if block >= KNOWN_STATES}) for at in slot.tolist()]
    assert facts_of(slot, blocks, 3).unknown_ids.tolist() == plain == [0, 3, 0, 3, 1, 0]


def test_where_every_id_is_known_nothing_is_looked_through() -> None:
    nothing: Any = None
    assert facts_of(np.zeros(3, np.int32), nothing, 0).unknown_ids.tolist() == [0, 0, 0]
