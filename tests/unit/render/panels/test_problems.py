"""The panel Find asks for a search, lists what it gave, and leads to it.

The panel Problems lists what ``health`` finds, and a click leads to a place.
"""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from client.connection.connection import Connection
from client.options import Options
from client.report.find import FoundBlocks, FoundState, FoundSubChunk
from client.report.health import Problem, find_problems
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import HostOptions
from net.space import BlockPos, SubChunkPos, coordinates
from render.overlays import found as overlay_found
from render.overlays.found import found_marks
from render.panels import find, problems
from render.panels.find import FindState, FindView
from render.panels.panel import Go, Inspect, PanelRequest
from render.passes.frame_settings import FrameSettings
from render.scene.frame.overlays import SceneFacts
from render.viewer.display.panel_data import fog_problems
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import click_last, text_of
from tests.support.worlds.overlay_facts import GivenFrame, given_facts

BLOCKS = (BlockPos(1, 5, 1), BlockPos(1, 6, 1), BlockPos(40, 2, 3))
SUBCHUNKS = (FoundSubChunk(SubChunkPos(0, 0, 0), 2), FoundSubChunk(SubChunkPos(2, 0, 0), 1))
FOUND = FoundBlocks((FoundState("diamond_ore", 3),), 3, (FoundState("diamond_ore", 3),), SUBCHUNKS, BLOCKS)


def test_a_search_is_listed_with_its_counts_and_a_wrong_name_with_its_reason() -> None:
    text = text_of(lambda: find.draw(FindView("diamond_ore", FOUND, "", 0.012), FindState()))
    for part in ("3 diamond_ore in 2 sub-chunks (12 ms)", "3 diamond_ore", "sub-chunks", "blocks"):
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


def test_of_many_blocks_some_are_marked_and_the_legend_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlay_found, "MOST_BEAMS", 1)
    made = found_marks(given_facts(np.zeros((0, 3))).but(found=replace(FOUND, count=5)))
    assert made.boxes.chosen.tolist() == [0, 0, 1]
    assert [(row.style.label, row.count) for row in made.legend] == [
        ("found block", 5),
        ("beam: sub-chunk with found blocks", 2),
        ("only the nearest 3 blocks have a box", None),
        ("only 1 sub-chunks, those with the most, have a beam", None),
    ]


def test_each_search_is_marked_anew_wherever_its_result_lies_in_memory() -> None:
    cells = SimpleNamespace(version=3, picture=np.zeros(2, np.uint8))
    attached: Any = SimpleNamespace(state=SimpleNamespace(version=7, cells=cells))
    versions = []
    for _ in range(50):
        found = FoundBlocks((), 0, (), (), ())  # freed before the next, which often comes to lie where it lay
        facts = SceneFacts(attached, FrameSettings(found=found), (0.0, 0.0, 0.0), frame=GivenFrame())
        for name in ("states", "stale", "unlit", "unsent"):
            vars(facts)[name] = np.zeros(1, np.uint8)
        versions.append(facts.version)
        del facts, found
    assert len(set(versions)) == 50


# --------------------------------------------------------------------- test problems


def refusing() -> Connection:
    faults = ServerFaults(refusals=(RefusalFault(3, 0.1, 1 << 30),))
    return VirtualSession("hills:1", HostOptions(faults=faults)).connection(Options(radius=2))


def test_nothing_wrong_says_so() -> None:
    assert "no problems found" in text_of(lambda: problems.draw(()))


def test_each_problem_has_count_sentence_and_places() -> None:
    with refusing() as connection:
        assert connection.wait_settled()
        (problem,) = find_problems(connection.session, connection.now)
    text = text_of(lambda: problems.draw((problem,)))
    assert f"{problem.count} refused" in text
    assert "Refused by the server: code 3, wrong dimension." in " ".join(text.split())
    assert re.search(rf"sub-chunks? {coordinates(min(problem.places))}\b", text)


def test_a_click_on_a_place_leads_there() -> None:
    problem = Problem("refused", "sub-chunks", 1, "Refused.", None, BlockPos(24, 72, -24), ((1, 4, -2),))
    requests: list[PanelRequest] = []
    click_last(lambda: requests.extend(problems.draw((problem,))))
    assert requests == [Inspect(BlockPos(24, 72, -24)), Go(BlockPos(24, 72, -24))]


def test_a_fog_that_no_pack_defines_is_one_problem_without_a_place() -> None:
    text = " ".join(text_of(lambda: problems.draw(fog_problems(["a:mist", "x" * 9999]))).split())
    assert "The server set the fog 'a:mist', but no resource pack defines it." in text
    assert text.count("unknown fog: 1 fog") == 2
    assert len(text) < 2000


def test_columns_are_led_to_at_the_height_of_their_block() -> None:
    problem = Problem("never sent", "columns", 1, "Never sent.", None, BlockPos(56, 136, -24), ((3, -2),))
    assert "column 3,-2" in text_of(lambda: problems.draw((problem,)))
