"""A world over NetherNet is the world over RakNet: on bad wires, recorded and played, and to whoever asks why."""

from pathlib import Path

import numpy as np
import pytest

from client.options import Box, Options
from client.report.dump import dump
from client.report.why import why
from client.report.why_facts import DrawDiagnosis
from client.source import WorldFile
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import HostOptions
from net.space import BlockPos, SubChunkPos
from net.transport.faulty import Wire, WireFaults
from tests.support.session.virtual import VirtualSession

BOX = Box(BlockPos(-32, -64, -32), BlockPos(48, 128, 48))
LOSSY = WireFaults(loss=0.1, repetition=0.05, delay_s=0.02, jitter_s=0.03, reordering=0.2)


def same(one: VirtualSession, other: VirtualSession) -> bool:
    """Whether both know the same columns, and in them the same blocks of both layers."""
    stores = [world.session.dimension.store for world in (one, other)]
    if not stores[0].row_of or set(stores[0].row_of) != set(stores[1].row_of):
        return False
    places = [
        SubChunkPos(x, y, z) for x, z in stores[0].row_of for y in range(-4, 20) if stores[0].dimension.holds_section(y)
    ]
    return all(
        np.array_equal(stores[0].blocks_of(place), stores[1].blocks_of(place))
        and np.array_equal(stores[0].layer1_of(place), stores[1].layer1_of(place))
        for place in places
    )


def settled(**wires: object) -> VirtualSession:
    world = VirtualSession("hills:1", **wires)  # type: ignore[arg-type] - wires and options
    assert world.settle(300.0), world.link.stats()
    return world


@pytest.mark.parametrize("seed", range(3))
def test_a_lossy_wire_brings_the_same_blocks(seed: int) -> None:
    lossy = settled(nethernet=True, up=Wire(LOSSY, seed), down=Wire(LOSSY, seed + 100))
    assert lossy.link._down.lost
    assert same(lossy, settled())


@pytest.mark.parametrize("nethernet", [False, True])
def test_faults_of_a_server_are_borne_over_either(nethernet: bool) -> None:
    faults = ServerFaults(refusals=(RefusalFault(2, 0.3),), reverse=True)
    assert same(settled(nethernet=nethernet, options=HostOptions(faults=faults)), settled())


def recorded(path: Path, nethernet: bool) -> Path:
    world = VirtualSession("hills:1", nethernet=nethernet)
    with world.connection(Options(radius=2, record=path)) as connection:
        assert connection.wait_settled()
    return path


def test_a_recording_of_one_plays_as_that_of_the_other(tmp_path: Path) -> None:
    arrays = []
    for nethernet in (False, True):
        path = recorded(tmp_path / f"{nethernet}.cscope", nethernet)
        assert dump(WorldFile(path), BOX, tmp_path / f"{nethernet}.npz", Options(radius=2)).complete
        arrays.append((tmp_path / f"{nethernet}.npz").read_bytes())
    assert arrays[0] == arrays[1]


def test_why_says_the_same_over_either() -> None:
    said = []
    for nethernet in (False, True):
        with VirtualSession("hills:1", nethernet=nethernet).connection(Options(radius=2)) as connection:
            report = why(connection, BlockPos(8, 40, 8), 60.0, foresee=lambda *_: DrawDiagnosis(True, "drawn"))
            said.append((report.sentence, report.exit_code, report.facts.shown))
    assert said[0] == said[1]
