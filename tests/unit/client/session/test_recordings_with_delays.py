"""All that is visible of what foreign servers really sent is asked, and none of it left open, whenever they answer.

The planner against recordings' contents, served when a script says. Seen, in virtual time (asked, of these again,
settled after):

    of nine columns, limited       36, 0, 0.50 s     uneven 37, 1, 1.62 s       stalling 56, 20, 1.29 s
    of nine columns, limitless    216, 0, 0.50 s     uneven 240, 24, 1.63 s     stalling 312, 96, 3.35 s
    dragonfly 527, limitless      864, 0, 0.51 s     uneven 864, 0, 2.73 s      stalling 1248, 384, 4.20 s
    dragonfly 2168, limited        72, 0, 0.51 s     uneven 72, 0, 2.89 s       stalling 107, 35, 3.94 s
"""

from collections.abc import Callable

import numpy as np
import pytest

from client.streaming.anchors import Anchor
from client.streaming.planner import ASKABLE
from client.visibility.walk import Walk
from render.bench.rays import cast, sphere_rays
from tests.recordings import NAMES, RADIUS, recording
from tests.support.recorded_server import Revisited, Script

SCRIPTS = (
    Script("steady", 0.0, (0.2,)),
    Script("uneven", 0.02, (0.05, 1.4, 0.3, 0.0, 0.8), entries=24),
    Script("stalling", 0.01, (0.1, 0.1, 3.5), entries=16),
)
"""The second brings answers out of order and beyond the time-out; the third keeps every third packet for three."""
RAYS = sphere_rays(3000)
WHOLE = ("serenity-975", "jsprismarine-748")
"""Servers without sub-chunk requests: nothing is asked of them."""


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_visible_is_asked_and_none_of_it_stays_open(
    name: str, script: Script, record_property: Callable[[str, object], None]
) -> None:
    virtual = Revisited(recording(name), script, RADIUS)
    assert virtual.settle(120.0), virtual.session.unsettled(virtual.now)
    session, server = virtual.session, virtual.server
    store, ledger = session.dimension.store, session.stats(virtual.now).ledger
    reached = Walk().run(store, session.movement.eye, session.radius + 1).places
    assert not np.isin(store.state[reached], ASKABLE).any()
    eye = session.movement.eye
    hits = cast(store, eye, RAYS)
    within = Anchor.square(eye.column, RADIUS).holds(store.columns[hits.places // store.dimension.sections])
    assert not (hits.in_holes & within).any()
    assert server.unknown == set()  # whatever the order of answers, it is the recorded session's places that are asked
    assert (ledger.outstanding, ledger.waiting, ledger.closed, ledger.failed) == (0, 0, 0, 0)
    assert ledger.settled == len(server.asked)
    assert ledger.asked == sum(server.asked.values()) == ledger.settled + ledger.timed_out
    if name in WHOLE:
        assert not server.asked
    else:
        assert (hits.on_terrain & within).any()
        assert ledger.timed_out > 0 or script.name != "stalling"
    for figure in ("asked", "timed_out", "unasked", "window"):
        record_property(figure, getattr(ledger, figure))
    record_property("settled_s", round(virtual.now, 2))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WHOLE])
def test_an_even_server_is_asked_once_for_each_place(name: str) -> None:
    virtual = Revisited(recording(name), SCRIPTS[0], RADIUS)
    assert virtual.settle()
    assert set(virtual.server.asked.values()) == {1}
    assert virtual.session.stats(virtual.now).warnings == ()
