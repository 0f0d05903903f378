"""What one is told whom a server puts somewhere, or holds."""

from client.player import Eye
from net.space.dimensions import NETHER, OVERWORLD
from render.viewer.control.server_moves import FORGOTTEN_S, Placement

EYE = Eye(40.5, 91.62, -20.5)


def test_where_the_server_took_one_is_told_with_the_dimension_where_it_is_another() -> None:
    placement = Placement(OVERWORLD)
    assert placement.took(EYE, OVERWORLD) == "The server took you to 40 92 -20."
    assert placement.took(EYE, NETHER) == "The server took you to 40 92 -20, dimension nether."
    assert placement.took(EYE, NETHER) == "The server took you to 40 92 -20."


def test_being_held_is_told_once_until_one_was_free_for_a_while() -> None:
    placement = Placement(OVERWORLD)
    said = "The server holds you at 40 92 -20 and sends what is around there; the camera goes on alone (H: back)."
    assert placement.held(None, "H", 0.0) is None
    assert placement.held(EYE, "H", 1.0) == said
    assert placement.held(EYE, "H", 1.1) is None
    assert placement.held(None, "H", 1.2) is None
    assert placement.held(EYE, "H", 1.0 + FORGOTTEN_S) is None, "the camera flew, and was held again"
    assert placement.held(None, "H", 7.0) is None
    assert placement.held(EYE, "H", 6.0 + 2 * FORGOTTEN_S) == said
