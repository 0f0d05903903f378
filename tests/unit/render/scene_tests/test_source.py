"""A scene of a server that somebody else runs has the same world data each time."""

from pathlib import Path

from client.connection.virtual_time import VirtualServer
from client.world.lifecycle import SubChunkState
from net.server.host_options import HostOptions
from net.server.worlds import open_worlds
from render.scene_tests.scene_file import read_scene
from render.scene_tests.source import at_moment
from tests.support.servers.process import threaded_server


def test_all_sub_chunks_of_a_server_are_requested_since_which_hidden_ones_are_depends_on_the_order_of_arrival(
    tmp_path: Path,
) -> None:
    with threaded_server(open_worlds("bench")[0], 486, HostOptions()) as port:
        file = tmp_path / "spawn.toml"
        file.write_text(f'source = "127.0.0.1:{port}"\nradius = 6\n[[view]]\nname = "spawn"\n')
        scene = read_scene(file, tmp_path)
        with at_moment(scene, VirtualServer()) as (connection, go_to):
            go_to(scene.views[0])
            store = connection.session.dimension.store
            states = store.state[store.places_of_rows(store.announced_rows)]
    assert len(states) > 1000
    assert not (states == SubChunkState.UNKNOWN).any()
