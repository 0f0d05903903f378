"""Streaming measured on servers nobody here wrote: nothing is missing at rest, nothing is asked in vain."""

import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.options import Options
from client.player import Eye, View
from client.source import Remote
from render.bench.streaming import Leg, StreamMeter, StreamReport
from tests.support.servers.foreign import ForeignServer, GoServer, random_world, states_as_settings

pytestmark = pytest.mark.interop

RADIUS = 2
DELAY_S = 0.1


def measure(port: int) -> StreamReport:
    """The spawn, and a way over a column's border, on a line of 0.1 s."""
    options = Options(radius=RADIUS, light=False, cache=False, delay_s=DELAY_S)
    with open_connection(Remote("127.0.0.1", port), options) as connection:
        start = replace(connection.session.movement.view, pitch_deg=60.0)
        aside = View(Eye(start.eye.x + 12.0, start.eye.y, start.eye.z + 12.0))
        path = (Leg("spawn", start), Leg("walk", aside, 1.5))
        return StreamMeter(connection, time.monotonic, time.sleep).run(path, timeout_s=200.0)


def check(report: StreamReport) -> None:
    spawn, walk = report.legs
    assert report.settled
    assert report.holes == 0
    assert report.round_trip_s >= DELAY_S
    assert spawn.terrain_px > 0
    assert spawn.right_s[50] >= 0.9 * DELAY_S, "the first pixels take a round trip"
    assert 0 < spawn.requested == spawn.answered, "each is requested once"
    assert spawn.in_vain == walk.in_vain == 0


@pytest.mark.parametrize("mode", ["limited", "limitless"])
def test_bedrock_protocol(tmp_path: Path, mode: str) -> None:
    with ForeignServer(random_world(RADIUS, seed=7), tmp_path, mode=mode) as server:
        check(measure(server.port))


def test_dragonfly(tmp_path: Path) -> None:
    world = random_world(RADIUS, seed=7, protocol=2168)
    settings = {"world": world.as_settings(), "states": states_as_settings(2168)}
    with GoServer("dragonfly2168", tmp_path, **settings) as server:
        check(measure(server.port))
