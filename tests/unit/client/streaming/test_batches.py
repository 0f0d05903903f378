import numpy as np

from client.streaming.planner import pack
from net.space.positions import SubChunkPos


def test_nothing_wanted_is_nothing_asked() -> None:
    assert pack(np.empty((0, 3), np.int32), SubChunkPos(0, 0, 0), 512) == []


def test_further_than_a_byte_reaches_goes_around_a_centre_of_its_own() -> None:
    positions = np.array([[127, 0, 0], [128, 0, 0], [-128, 0, 0]], np.int32)
    near, east, west = pack(positions, SubChunkPos(0, 0, 0), 512)
    assert near.centre == (0, 0, 0)
    assert near.offsets.tolist() == [[127, 0, 0]]
    assert (east.centre, west.centre) == ((128, 0, 0), (-128, 0, 0))
    assert east.offsets.tolist() == west.offsets.tolist() == [[0, 0, 0]]


def test_the_ticking_area_of_the_overworld_fits_four_packets() -> None:
    grid = np.stack(np.meshgrid(range(-4, 5), range(-4, 20), range(-4, 5), indexing="ij"), -1).reshape(-1, 3)
    batches = pack(grid.astype(np.int32), SubChunkPos(0, 4, 0), 512)
    assert [len(b.offsets) for b in batches] == [512, 512, 512, 408]
