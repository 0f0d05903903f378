"""Defects of the program, planted where they would be written: a function or a fact is another while scenes are taken.

``planting`` spoils what a settled session holds; what follows from a rule that is wrong from the beginning, or from an
edit that reached too little, cannot be planted there. Here each defect is a patch around whole takes, and the accepted
pictures of its scenes must differ.

Of the 26 neighbours of a cell eight are left out, those above its upper edges and corners: a mesh there reads nothing
of what an edit at such a place changes, so no picture can tell.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from functools import partial
from itertools import product
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.light import step
from client.session import spawn
from client.session.weather import TICKS_A_DAY, Environment
from client.world.store import Store
from net.arrays import Places
from net.bedrock import SetTime
from net.space import END, NETHER, VANILLA, Dimension
from render.gpu import Gpu
from render.passes import frame_uniforms
from render.passes.atmosphere import Atmosphere, atmosphere_at
from render.scene import change_intake
from render.scene.grid import CellIndices, Grid
from render.scene_tests.scene import SceneFile, SceneResult
from render.scene_tests.suite import judged
from render.scene_tests.take import SceneCapture, take_all
from render.scene_tests.verdict import LayerOutcome
from render.scene_tests.worker import warnings_kept

CHANNELS: Final = "RGBD"
BLACK: Final = (0.0, 0.0, 0.0)


class Kind(Enum):
    """Classes of them."""

    AIR = "the air of a dimension"
    RANGE = "heights and sky of a dimension"
    CLOCK = "the server's time of day"
    STALE_LIGHT = "light that stays after its lamp has gone"
    BORDERS = "edits beside a cell's border"


class ProgramDefect(NamedTuple):
    """One defect."""

    kind: Kind  # its class
    words: str  # what is wrong
    scenes: tuple[str, ...]  # that must differ
    planted: Callable[[], AbstractContextManager[Any]]  # Any: whatever the patch gives


class Found(NamedTuple):
    """What came of one."""

    defect: ProgramDefect
    caught: Mapping[str, tuple[str, ...]]  # layers that failed, by scene; of a scene that could not be taken its error

    @property
    def missed(self) -> tuple[str, ...]:
        """Scenes whose pixels are what was accepted."""
        return tuple(name for name in self.defect.scenes if not set(self.caught[name]) - {"data"})

    @property
    def words(self) -> str:
        """One line for people."""
        told = "; ".join(f"{name}: {', '.join(layers) or 'nothing'}" for name, layers in self.caught.items())
        return f"{'MISSED ' if self.missed else ''}{self.defect.kind.value}: {self.defect.words}: {told}"


def defects() -> tuple[ProgramDefect, ...]:
    """All of them, by class."""
    return (*_of_air(), *_of_ranges(), *_of_clocks(), *_of_light(), *_of_borders())


def check_program(planted: Sequence[ProgramDefect], scenes: Mapping[str, SceneFile], gpu: Gpu) -> Iterator[Found]:
    """Plants each, and says what its scenes tell of it."""
    darkroom = SceneCapture(gpu)
    try:
        for defect in planted:
            with defect.planted(), warnings_kept():
                yield Found(defect, {name: _failed(darkroom, scenes[name]) for name in defect.scenes})
    finally:
        darkroom.release()


def _failed(darkroom: SceneCapture, scene: SceneFile) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for view, take in zip(scene.views, take_all(darkroom, scene), strict=True):
        if isinstance(take, SceneResult):
            found[take.error] = None
        else:
            found.update(dict.fromkeys(_layers(judged(scene, view, take, 0.0))))
    return tuple(found)


def _layers(result: SceneResult) -> Iterator[str]:
    assert result.verdict is not None, result.error
    return (layer.name for layer in result.verdict.layers if layer.outcome is LayerOutcome.FAILED)


# ---------------------------------------------------------------- dimensions

NETHER_SCENE: Final = ("nether_air",)
END_SCENE: Final = ("end_heights",)


def _of_air() -> Iterator[ProgramDefect]:
    def air(words: str, scenes: tuple[str, ...], change: Callable[..., Atmosphere]) -> ProgramDefect:
        return ProgramDefect(Kind.AIR, words, scenes, lambda: patch.object(frame_uniforms, "atmosphere_at", change))

    def other(number: int) -> Callable[..., Atmosphere]:
        return lambda ticks, has_sky, _number, *more: atmosphere_at(ticks, has_sky, number, *more)

    def without(**values: Any) -> Callable[..., Atmosphere]:  # Any: fields of an atmosphere
        return lambda *facts: replace(atmosphere_at(*facts), **values)

    yield air("the Nether's is the End's", NETHER_SCENE, other(END.number))
    yield air("the End's is the Nether's", END_SCENE, other(NETHER.number))
    for name, scenes in (("the Nether", NETHER_SCENE), ("the End", END_SCENE)):
        yield air(f"{name} has no light of its own", scenes, without(least_light=BLACK))
        yield air(f"{name} has no haze", scenes, without(haze_per_block=0.0))
        yield air(f"{name} has the overworld's air", scenes, lambda ticks, *_: atmosphere_at(ticks, True))
    yield air("the End's sky is even", END_SCENE, without(noise=0.0))


def _of_ranges() -> Iterator[ProgramDefect]:
    def as_if(words: str, scenes: tuple[str, ...], dimension: Dimension) -> ProgramDefect:
        def known(number: int) -> Dimension:
            return dimension if number == dimension.number else VANILLA[number]

        return ProgramDefect(Kind.RANGE, words, scenes, lambda: patch.object(spawn, "by_number", known))

    yield as_if("the Nether has a sky", NETHER_SCENE, replace(NETHER, has_sky=True))
    yield as_if("the End has a sky", END_SCENE, replace(END, has_sky=True))
    yield as_if("the End begins at -64", END_SCENE, replace(END, floor_section=-4))
    yield as_if("the End begins at 16", END_SCENE, replace(END, floor_section=1, sections=15))
    yield as_if("the End is a section lower", END_SCENE, replace(END, sections=15))


# ---------------------------------------------------------------- the clock


def _of_clocks() -> Iterator[ProgramDefect]:
    def told(words: str, scenes: tuple[str, ...], take: Callable[[Environment, SetTime], None]) -> ProgramDefect:
        return ProgramDefect(Kind.CLOCK, words, scenes, lambda: patch.object(Environment, "set_time", take))

    def first(self: Environment, message: SetTime) -> None:
        self.world_time = self.world_time or message.time

    def of_today(self: Environment, message: SetTime) -> None:
        self.world_time = message.time % TICKS_A_DAY

    def late(self: Environment, message: SetTime) -> None:
        self.world_time = message.time - 1000

    both = ("server_clock", "server_clock_in_between")
    yield told("only the first one counts", both, first)
    yield told("its days do not count", both[:1], of_today)
    yield told("it is an hour late", both, late)


# ---------------------------------------------------------------- light


def _of_light() -> Iterator[ProgramDefect]:
    for channel, name in enumerate(CHANNELS):
        yield ProgramDefect(Kind.STALE_LIGHT, name, ("light_after_lamps",), partial(_light_stays, channel))


@contextmanager
def _light_stays(channel: int) -> Iterator[None]:
    """An edit lowers no level of one channel."""
    mend = step.edit_kernels.mend
    mask = np.uint16(15 << 4 * channel)

    def mended(edits: Any, *facts: Any) -> int:  # Any: as the kernel's
        light, shown = facts[4].reshape(-1, 4096), facts[5]
        before = shown.copy()
        visited = int(mend(edits, *facts))
        for was, now in zip(before.tolist(), shown.tolist(), strict=True):
            if was != now:
                light[now] = light[now] & ~mask | np.maximum(light[now] & mask, light[was] & mask)
        return visited

    with patch.object(step.edit_kernels, "mend", mended):
        yield


# ---------------------------------------------------------------- borders

Way = tuple[int, int, int]


def _of_borders() -> Iterator[ProgramDefect]:
    for way in product((-1, 0, 1), repeat=3):
        sides = sum(map(abs, way))
        if sides == 0 or (sides > 1 and way[1] == 1):
            continue
        named = ("", "side", "edge", "corner")[sides]
        words = f"the cell at the {named} {way[0]:+d} {way[1]:+d} {way[2]:+d} is not meshed again"
        yield ProgramDefect(Kind.BORDERS, words, ("edits_at_borders",), partial(_unheard, way))


def _unheard(unheard: Way) -> AbstractContextManager[Any]:
    """Edits mark all cells that they touch but for the one in a direction."""

    def touched(world: Store, grid: Grid, places: Places, blocks: npt.NDArray[np.uint16]) -> CellIndices:
        own = grid.cells_of(places).tolist()
        found = set()
        for place, block, cell in zip(places.tolist(), blocks.tolist(), own, strict=True):
            row, section = divmod(place, grid.sections)
            at = block >> 8, block & 15, block >> 4 & 15
            steps = (range(-(value == 0), 1 + (value == 15)) for value in at)
            for dx, dy, dz in product(*steps):
                beside = int(world.column_neighbours[row, (dx + 1) * 3 + dz + 1]) if dx or dz else row
                if not beside or not 0 <= section + dy < grid.sections:
                    continue
                up = (section + dy + grid.floor >> 1) - (section + grid.floor >> 1)
                if (dx, up, dz) != unheard:
                    found.add(cell + (beside - row) * grid.tall + up)
        return np.array(sorted(found), np.int64)

    return patch.object(change_intake, "cells_touched", touched)
