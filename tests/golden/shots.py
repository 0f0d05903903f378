"""Shots of the hills of seed 1, around their composed spawn (see its ``landmarks``), for tests that hold their worlds.

What a person must see in the same places stands in ``scenes``.
"""

from msgspec.structs import replace

from client.player import Eye, View
from client.streaming.limits import RequestLimits
from net.server.worlds.hills.terrain import LAMP_CAVE_EYE
from net.space import SubChunkPos
from render.capture import PictureOptions
from tests.support.worlds.scene import SIZE_PX, Shot

NOON, DUSK, NIGHT = 6000, 12700, 18000

DAY = Shot(View(Eye(0.5, 81.62, -5.5), 0.0, 6.0), PictureOptions(SIZE_PX, time=NOON), radius=6)
CAVE = Shot(View(Eye(*LAMP_CAVE_EYE), -90.0, 10.0), PictureOptions(SIZE_PX, time=NIGHT), radius=2)
LOADING = Shot(
    View(Eye(8.5, 140.0, -10.5), 0.0, 62.0),
    PictureOptions(SIZE_PX, time=NOON, overlays=("states=all",)),
    radius=4,
    limits=RequestLimits(outstanding=256, entries_per_packet=64),  # so that some are wanted and not yet asked for
)
LOADING_ANSWERS = 200
LOADING_REFUSED = (SubChunkPos(-2, 4, 1), SubChunkPos(1, 4, 2))

LAMPS = Shot(View(Eye(0.5, 77.6, 5.5), 0.0, 18.0), PictureOptions(SIZE_PX, time=NIGHT), radius=4)
GLASS = Shot(View(Eye(-28.2, 73.6, 6.2), -75.0, 4.0), PictureOptions(SIZE_PX, time=NOON), radius=2)
WATER = Shot(View(Eye(2.5, 84.0, 34.5), 0.0, 42.0), PictureOptions(SIZE_PX, time=NOON), radius=4)
DUSK_HOUSES = Shot(View(Eye(-12.5, 75.2, 12.0), 70.0, 8.0), PictureOptions(SIZE_PX, time=DUSK), radius=3)
FLAT_CAVE = replace(CAVE, picture=replace(CAVE.picture, flat_light=True))
