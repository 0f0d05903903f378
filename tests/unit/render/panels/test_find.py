"""The panel Find asks for a search, lists what it gave, and leads to it."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from client.report.find import FoundBlocks, FoundState, FoundSubChunk
from net.space import BlockPos, SubChunkPos
from render.overlays.found import found_marks
from render.panels import find
from render.panels.find import FindState, FindView
from render.passes.frame_uniforms import FrameSettings
from render.scene.frame.overlays import SceneFacts
from tests.support.window.panels import text_of
from tests.support.worlds.overlay_facts import GivenFrame, given_facts

BLOCKS = (BlockPos(1, 5, 1), BlockPos(1, 6, 1), BlockPos(40, 2, 3))
SUBCHUNKS = (FoundSubChunk(SubChunkPos(0, 0, 0), 2), FoundSubChunk(SubChunkPos(2, 0, 0), 1))
FOUND = FoundBlocks(3, (FoundState("diamond_ore", 3),), SUBCHUNKS, BLOCKS)


def test_a_search_is_listed_with_its_counts_and_a_wrong_name_with_its_reason() -> None:
    text = text_of(lambda: find.draw(FindView("diamond_ore", FOUND, "", 0.012), FindState()))
    for part in ("3 of diamond_ore in 2 sub-chunks (12 ms)", "3 diamond_ore", "sub-chunks", "blocks"):
        assert part in text
    assert "No such block" in text_of(lambda: find.draw(FindView("x", None, "No such block."), FindState("x")))


def test_blocks_above_each_other_are_one_box_and_each_sub_chunk_has_a_beam() -> None:
    made = found_marks(given_facts(np.zeros((0, 3))).but(found=FOUND))
    boxes = list(zip(made.boxes.lows.tolist(), made.boxes.sizes.tolist(), made.boxes.chosen.tolist(), strict=True))
    assert boxes == [
        ([1, 5, 1], [1, 2, 1], 0),
        ([40, 2, 3], [1, 1, 1], 0),
        ([8, 16, 8], [1, 336, 1], 1),
        ([40, 16, 8], [1, 336, 1], 1),
    ]
    assert [row.count for row in made.legend] == [3, 2]


def test_each_search_is_marked_anew_wherever_its_result_lies_in_memory() -> None:
    cells = SimpleNamespace(version=3, picture=np.zeros(2, np.uint8))
    attached: Any = SimpleNamespace(state=SimpleNamespace(version=7, cells=cells))
    versions = []
    for _ in range(50):
        found = FoundBlocks(0, (), (), ())  # freed before the next, which often comes to lie where it lay
        facts = SceneFacts(attached, FrameSettings(found=found), (0.0, 0.0, 0.0), frame=GivenFrame())
        for name in ("states", "stale", "unlit", "unsent"):
            vars(facts)[name] = np.zeros(1, np.uint8)
        versions.append(facts.version)
        del facts, found
    assert len(set(versions)) == 50
