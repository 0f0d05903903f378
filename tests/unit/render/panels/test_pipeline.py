"""The panel of the pipeline: numbers that add up, and nothing that is cut where it is narrow."""

import re
from types import SimpleNamespace
from typing import cast

import pytest

from client.connection.stats import Statistics
from render.panels import pipeline
from render.panels.number_text import count, counted
from render.panels.pipeline import PipelineView
from render.scene import SceneStats
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import text_of

SCENE = SimpleNamespace(cells_shown=7, cells_drawn=5, meshes_made=9, meshes_dropped=1, failures=0, gpu_bytes=2_000_000)


@pytest.fixture(scope="module")
def known() -> Statistics:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    return connection.statistics()


def test_states_requests_queues_and_pools_are_those_of_the_session(known: Statistics) -> None:
    view = PipelineView(known, cast(SceneStats, SCENE), (("cells to mesh", 3),), 1e3, 2e3, 4.0, 5.0)
    text = " ".join(text_of(lambda: pipeline.draw(view)).split())
    ledger, states = known.session.ledger, known.session.states
    assert f"sub-chunks of {known.session.columns} columns" in text
    assert f"| received | {states['data']} |" in text
    assert f"| asked | {ledger.asked} in " in text
    assert f"| answered | {ledger.settled + ledger.failed}, 5/s |" in text
    assert ledger.asked == ledger.settled + ledger.failed + ledger.timed_out + ledger.outstanding
    assert "| cells to mesh | 3 |" in text
    assert "1.0 KB/s" in text
    for pool in known.memory:
        assert pool.name in text


def test_numbers_have_their_nouns_and_labels_their_meanings(known: Statistics) -> None:
    view = PipelineView(known, cast(SceneStats, SCENE), (), 1e3, 2e3, 4.0, 5.0)
    text = " ".join(text_of(lambda: pipeline.draw(view)).split())
    ledger = known.session.ledger
    assert f"{ledger.outstanding} under way, at most {count(ledger.window)} at a time" in text
    assert f"in {counted(known.session.requests.packets, 'packet')}, 4/s" in text
    assert (counted(1, "packet"), counted(1234, "packet")) == ("1 packet", "1 234 packets")
    labels = set(re.findall(r"\| ([a-z ,]+) \|", text))
    assert {label for label in labels if label in pipeline.MEANS} >= {"asked", "of them refused", "cells shown, drawn"}
