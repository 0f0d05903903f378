"""A settled scene of thousands of render cells with few quads each: what is ours in a frame is not lost in GL."""

from typing import Final

import numpy as np

from client.light.light_map import LightMap
from client.player import Eye, View
from client.visibility.walk import derive_connectivity
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.store import Store
from net.palette import Palette
from net.space.dimensions import OVERWORLD
from net.space.positions import ColumnPos
from net.subchunk.encode import subchunk
from render.gpu import Gpu
from render.gpu.targets import Target
from render.jobs.workers import ThreadRunner
from render.scene.config import SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.scene import Scene
from render.scene.world_view import STEPS_TO_REST

DATA: Final = 1
NAMES: Final = ("air", "stone", "dirt", "glass", "leaves", "yellow_flower", "torch", "stained_glass", "water")
WATER: Final = 8
BLOCKS: Final = 10
"""Of a sub-chunk, all the rest air."""
KINDS: Final = 23
SEA_SECTION: Final = 7
VIEW: Final = View(Eye(3.3, 100.2, 5.1), yaw_deg=20.0, pitch_deg=10.0, fov_deg=110.0)
SIZE_PX: Final = (64, 36)


class ManyCells:
    """Two radii and one columns a side, each sub-chunk with some blocks in the air; no cell hides another."""

    def __init__(self, gpu: Gpu, radius_columns: int) -> None:
        self._runner = ThreadRunner()
        palette = Palette.for_protocol(486)
        store = _store(palette, radius_columns)
        config = SceneConfig(upload_bytes=None, radius_columns=radius_columns)
        self.scene = Scene(gpu, BlockAppearance(store.table), self._runner, config)  # at rest
        self.scene.attach(store, LightMap(store))
        assert self.scene.settle(VIEW.eye)
        for _ in range(STEPS_TO_REST):
            self.scene.step(VIEW.eye)
        self.target = Target(gpu, SIZE_PX)  # a small picture

    def close(self) -> None:
        """Ends the workers and frees the GL objects."""
        self._runner.close()
        self.scene.release()
        self.target.release()


def _store(palette: Palette, radius: int) -> Store:
    kinds = _kinds(palette)
    table = BlockTable.build(palette)
    store = Store(table, BlockPools(table, 1 << 16), OVERWORLD)
    sections, floor = OVERWORLD.sections, OVERWORLD.floor_section
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            store.announce(ColumnPos(x, z), None, b"", 0.0)
            positions = np.array([(x, section + floor, z) for section in range(sections)], np.int32)
            told = [kinds[(x * 7 + z * 3 + section * 5 + x * z) % KINDS][section] for section in range(sections)]
            if (x + z) % 5 == 0:
                told[SEA_SECTION] = kinds[KINDS][SEA_SECTION]
            nothing = np.zeros(sections, np.uint8)
            store.answer(positions, np.full(sections, DATA, np.uint8), told, nothing, [None] * sections, 0.0)
    derive_connectivity(store.pools, store.finish_drain())
    return store


def _kinds(palette: Palette) -> list[list[bytes]]:
    """Payloads by kind and section; the last kind holds water."""
    found = {state.name: int(runtime_id) for state, runtime_id in zip(palette.states, palette.runtime_ids, strict=True)}
    ids = np.array([found[f"minecraft:{name}"] for name in NAMES], np.int64)
    rng = np.random.default_rng(7)
    kinds = []
    for kind in range(KINDS + 1):
        blocks = np.zeros(4096, np.uint16)
        blocks[rng.permutation(4096)[:BLOCKS]] = rng.integers(1, 3 if kind % 3 else WATER, BLOCKS)
        if kind == KINDS:
            blocks[100:103] = WATER
        kinds.append([subchunk([blocks], ids, section + OVERWORLD.floor_section) for section in range(24)])
    return kinds
