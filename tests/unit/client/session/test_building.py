"""Our own client builds on our server: what one does, another sees."""

import pytest

from client.errors import UsageError
from client.options import Options
from net.server.worlds.world import FlatWorld
from net.space import BlockPos
from tests.support.session.virtual import VirtualSession

GRASS_Y = -61


@pytest.mark.parametrize("protocol", [486, 818, 2168, 2193])
def test_a_client_places_and_breaks(protocol: int) -> None:
    virtual = VirtualSession(protocol=protocol)
    assert virtual.settle()
    x, y, z = FlatWorld().spawn.feet
    ground = BlockPos.containing(x + 2, y - 1, z)
    connection = virtual.connection(Options(radius=2))
    above = (ground.x, ground.y + 1, ground.z)

    def shown(name: str) -> bool:
        for _ in range(100):
            connection.pump()
            if connection.block(above).name == name:
                return virtual.host.dimensions.start.block(BlockPos(*above)).name == name
        return False

    connection.build(ground, "glass")
    assert shown("minecraft:glass")
    connection.break_block(above)
    assert shown("minecraft:air")
    with pytest.raises(UsageError, match="no block"):
        connection.build(ground, "unobtainium")
