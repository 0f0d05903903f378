"""Worlds as bad as a server may send come out as references say, from bytes to blocks, light, meshes and sight.

``--examples 18`` plays 18 worlds of each kind, 522 in all.
"""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from client.world.block_table import BlockTable
from net.palette import Palette
from tests.support.reference.mesh import looks_of_table
from tests.support.worlds.adversarial import KINDS, Blocks, PlayedWorld, make

pytestmark = pytest.mark.adversarial


class Tables:
    """A palette, its block table and what meshes need of it; both anew for a world that spoils them."""

    def __init__(self, protocol: int) -> None:
        self.palette = Palette.for_protocol(protocol)
        self.table = BlockTable.build(self.palette)
        self.looks = looks_of_table(self.table)
        self.blocks = Blocks.of(self.table)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables(486)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(seed=st.integers(0, 1 << 32))
def test_a_world_comes_out_as_references_say(tables: Tables, kind: str, seed: int) -> None:
    comes_out_as_references_say(tables, kind, seed)


@pytest.mark.parametrize(("kind", "seed"), [("changes_everywhere", 8458)])
def test_a_world_that_once_differed_does_not(tables: Tables, kind: str, seed: int) -> None:
    comes_out_as_references_say(tables, kind, seed)


def comes_out_as_references_say(tables: Tables, kind: str, seed: int) -> None:
    world = make(kind, seed, tables.blocks)
    table = BlockTable.build(tables.palette) if world.foreign else tables.table
    played = PlayedWorld(world, tables.palette, table, seed)
    played.check(looks_of_table(table) if world.foreign else tables.looks)
    assert world.foreign or len(table) == len(tables.looks.faces), "an id joined the table"
