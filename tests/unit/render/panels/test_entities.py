"""The panel Entities lists who is there and what a server does wrong with them; a click shows one and leads there."""

import pytest

from client.report.entities import EntityReport, entity_report
from net.bedrock import AddActor, EntityValue, MoveActorDelta
from net.bedrock.packets.entity_values import ValueType
from net.space import BlockPos
from render.panels import entities
from render.panels.entities import EntitiesState
from render.panels.panel import Go, PanelRequest
from tests.support.session.driven import Driven, skeleton
from tests.support.window.panels import frame, hosted, text_of


@pytest.fixture
def driven() -> Driven:
    driven = Driven()
    driven.join()
    named = (EntityValue(4, ValueType.STRING, "Bessie"), EntityValue(53, ValueType.FLOAT, 0.8999999761581421))
    driven.receive(skeleton(), AddActor(-7, 7, "minecraft:cow", (1.5, 64.0, 2.5), metadata=named))
    return driven


def view_of(driven: Driven) -> EntityReport:
    return entity_report(driven.session, driven.now)


def test_a_server_without_any_says_so() -> None:
    empty = Driven()
    empty.join()
    assert "has sent no entities" in text_of(lambda: entities.draw(view_of(empty), EntitiesState()))


def test_each_is_listed_with_its_ids_and_a_chosen_one_with_its_metadata(driven: Driven) -> None:
    text = text_of(lambda: entities.draw(view_of(driven), EntitiesState()))
    for part in ("1 here: 1 cow", "cow 'Bessie'", "1.5,64.0,2.5", "-7", "no problems found"):
        assert part in text
    assert "velocity" not in text
    (row,) = view_of(driven).entities
    details = text_of(lambda: entities.draw(view_of(driven), EntitiesState(row.number)))
    assert "name: Bessie" in details
    assert "width: 0.9\n" in f"{details}\n"


def test_what_a_server_does_wrong_stands_above_them(driven: Driven) -> None:
    driven.receive(MoveActorDelta(99, x=4.0))
    text = text_of(lambda: entities.draw(view_of(driven), EntitiesState()))
    assert "no problems found" not in text
    assert "runtime id 99" in text


def test_a_click_chooses_one_and_leads_there(driven: Driven) -> None:
    view, state = view_of(driven), EntitiesState()
    requests: list[PanelRequest] = []
    with hosted() as host:
        for y in range(60, 200, 6):  # wherever the one row is
            host.moved(60.0, float(y))
            for down in (True, False):
                host.button(0, down)
                for _ in range(2):
                    frame(host, lambda: requests.extend(entities.draw(view, state)))
    assert set(requests) == {Go(BlockPos(1, 64, 2))}
    assert state.chosen == view.entities[0].number
