"""The panel of invariants: counts, and the way to the places."""

from net.space.positions import BlockPos
from render.invariants.finding import Finding
from render.invariants.watch import NAMES
from render.panels import invariants
from render.panels.invariants import MEANS, InvariantsState
from render.panels.wishes import Go, Inspect, Wish
from tests.support.panel_text import frame, hosted, text_of

PLACES = (BlockPos(8, 72, 8), BlockPos(24, 72, 8))
FOUND = {
    "stored undrawn": Finding(None, (), "while the picture settles"),
    "asked twice": Finding(1234, PLACES),
    "leaked pages": Finding(0, (), "7 in use, 7 held"),
}


def test_every_invariant_is_explained() -> None:
    assert MEANS.keys() == set(NAMES)


def test_counts_are_told_and_what_cannot_be_told() -> None:
    text = text_of(lambda: invariants.draw(FOUND, InvariantsState()))
    for words in ("1 of 3 are broken", "1 234", "asked twice", "take me there", "while the picture settles", "7 held"):
        assert words in text
    fine = {"leaked pages": Finding(0)}
    assert "nothing is known to be wrong" in text_of(lambda: invariants.draw(fine, InvariantsState()))


def test_one_is_taken_from_place_to_place() -> None:
    wishes: list[Wish] = []
    state = InvariantsState()
    with hosted() as host:
        for _ in range(2):
            frame(host, lambda: wishes.extend(invariants.draw(FOUND, state)))
        host.focus("tried")
        keys = ["DOWN", "DOWN", "SPACE", "SPACE", "SPACE"]
        for key in keys:
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, lambda: wishes.extend(invariants.draw(FOUND, state)))
    gone = [wish.block for wish in wishes if isinstance(wish, Go)]
    assert gone[:2] == list(PLACES)
    assert gone[2:] in ([], [PLACES[0]])
    assert [wish.block for wish in wishes if isinstance(wish, Inspect)] == gone
