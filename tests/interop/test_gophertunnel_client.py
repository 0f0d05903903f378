"""A second client nobody here wrote, in Go: what dragonfly decodes of our server is what the world's generator made."""

import json
import zlib
from pathlib import Path

import pytest

from net.palette import Palette
from net.server.options import ColumnMode, HostOptions
from net.server.worlds import ServerWorld, open_world
from net.space.positions import BlockPos, ColumnPos
from tests.support.data.shared import form_of
from tests.support.servers.foreign import ForeignProcess, built_in_go
from tests.support.servers.process import threaded_server

pytestmark = pytest.mark.interop
RADIUS = 3
COLUMNS = (2 * RADIUS + 1) ** 2


@pytest.mark.parametrize("mode", list(ColumnMode))
def test_what_it_decodes_is_what_was_generated(tmp_path: Path, mode: ColumnMode) -> None:
    world, out = open_world("hills:1"), tmp_path / "decoded.json"
    with threaded_server(world, 486, HostOptions(mode=mode, radius_max=RADIUS)) as port:
        wanted = {"port": port, "columns": COLUMNS, "out": str(out)}
        with ForeignProcess([str(built_in_go("gopherclient486")), json.dumps(wanted)], tmp_path) as client:
            client.wait_ended(60)
            assert client.events_called("done"), client.events
    assert json.loads(out.read_text()) == checksums(world)


def checksums(world: ServerWorld) -> dict[str, int]:
    """What the client writes of the columns around the spawn."""
    runtime_ids = form_of(Palette.for_protocol(486), world.states).runtime_ids
    centre, steps = BlockPos.containing(*world.spawn.feet).column, range(-RADIUS, RADIUS + 1)
    found = {}
    for x, z in ((centre.x + dx, centre.z + dz) for dx in steps for dz in steps):
        for index, section in enumerate(world.column(ColumnPos(x, z)).layer0):
            if section.any():
                ids = runtime_ids[section].astype("<u4").tobytes()
                found[f"{x} {world.dimension.floor_section + index} {z}"] = zlib.crc32(ids)
    return found
