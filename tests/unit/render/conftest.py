"""The looks of protocol 486's blocks, made once a module: tests may let tables grow."""

import pytest

from client.world.block_table import BlockTable
from net.palette import Palette
from render.materials.materials import Materials


@pytest.fixture(scope="module")
def table() -> BlockTable:
    return BlockTable.build(Palette.for_protocol(486))


@pytest.fixture(scope="module")
def materials(table: BlockTable) -> Materials:
    return Materials.build(table)
