"""Plays an adversarial world into a store, and compares all that comes of it with references.

Blocks with the bytes decoded plainly, light with brute force and with light made from nothing, masks, connectivity and
heights with their twins, every mesh with the faces its cell shows, the walk with rays.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.visibility.walk import Walk
from client.world.block_table import LAST_ID, BlockTable
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.palette import Palette
from net.space.positions import ColumnPos, SubChunkPos
from net.subchunk.heights import HeightAnswer, HeightVerdict
from net.subchunk.storage import IS_PLACEHOLDER, PALETTE_LIMIT
from render.jobs.workers import WorkerResources
from render.mesh.mesher import MeshTables
from render.scene.grid import Grid
from render.scene.jobs import drawable, mesh_jobs
from tests.support import height_twin, mesh_twin
from tests.support import subchunk_twin as twin
from tests.support.adversarial_worlds import AdversarialWorld, Changes, Ids
from tests.support.sight_twin import flood_connectivity, places_on_ray
from tests.support.told_store import ToldStore

Volume = npt.NDArray[np.uint16]
MOST_CONNECTIVITIES = 4
MOST_VERDICTS = 2
RAYS = 20
BIOMES = b"\x01\x04\x00"
"""One biome for a whole column, and no border blocks."""


def decoded(payload: bytes, air: int) -> list[Ids] | None:
    """Both layers as the bytes say them, blocks of the legacy form below zero; None where they make no sense."""
    empty = np.full(4096, air)
    if not payload:
        return [empty, empty]
    try:
        layers, end = twin.subchunk(payload)
    except (IndexError, AssertionError):
        return None
    if end > len(payload) or longest_palette(payload) > PALETTE_LIMIT:
        return None
    if payload[0] in twin.LEGACY_VERSIONS:
        return [np.where(layers[0] == 0, air, -layers[0]), empty]
    return [*layers, empty, empty][:2]


def longest_palette(payload: bytes) -> int:
    """Entries of the longest palette of a sound sub-chunk."""
    if payload[0] in twin.LEGACY_VERSIONS:
        return 0
    at, longest = {1: 1, 8: 2, 9: 3}[payload[0]], 0
    for _ in range(1 if payload[0] == 1 else payload[1]):
        bits = payload[at] >> 1
        if bits:
            count, _ = twin.varint(payload, at + 1 + 4 * -(-4096 // (32 // bits)))
            longest = max(longest, count >> 1)
        _, at = twin.storage(payload, at)
    return longest


class Wanted(msgspec.Struct, frozen=True):
    """What mesh jobs ask of a scene's cells: int64[cells] the revision each is to have."""

    wanted: npt.NDArray[np.int64]


class PlayedWorld:
    """A world in a store, lit step by step while it came."""

    def __init__(self, world: AdversarialWorld, palette: Palette, table: BlockTable, seed: int) -> None:
        self.world = world
        self.rng = np.random.default_rng(seed)
        self.told = ToldStore(palette, self.rng, table, world.dimension)  # the store and its light
        # by position, the ids of both layers that are shown in the end; None where bytes make no sense
        self.truth: dict[SubChunkPos, list[Ids] | None] = {}
        self._now = 0.0
        self._known = {int(wire): dense for dense, wire in enumerate(table.runtime_ids[: len(table)].tolist())}
        self._air = int(table.runtime_ids[0])
        self._told_verdicts: list[tuple[SubChunkPos, int, bytes | None]] = []
        self._play()

    @property
    def store(self) -> Store:
        return self.told.store

    def dense(self, ids: Ids) -> npt.NDArray[np.uint16]:
        """What light and heights make of ids: unknown ones are opaque."""
        distinct, where = np.unique(ids, return_inverse=True)
        unknown = self.store.table.first.opaque
        known = [self._known.get(wire, unknown) for wire in distinct.tolist()]
        return np.array(known, np.uint16)[where.reshape(ids.shape)]

    # ------------------------------------------------------------ playing

    def _play(self) -> None:
        world, columns = self.world, list(self.world.columns)
        for index in self.rng.permutation(len(columns)).tolist():
            self.store.announce(columns[index], None, b"", self._now)
        for changes in world.early:
            self._change(changes)
        self._send(columns)
        for changes in world.early:
            self._note(changes)
        for number, changes in enumerate(world.changes):
            if number == 1 and world.again:
                self._send_again(world.again)
            self._change(changes)
            self._note(changes)
            self._end_drain(1.0)
        self.told.drain()
        self.told.finish_light()

    def _send(self, columns: Sequence[ColumnPos]) -> None:
        """Everything of some columns, in any order and in packets of any size."""
        if self.world.whole:
            self._send_whole(columns)
            return
        for column in columns:
            for y, payload in self.world.columns[column].items():
                layers = decoded(payload, self._air)
                self.truth[SubChunkPos(column.x, y, column.z)] = layers and [layer.copy() for layer in layers]
        maps = {column: self._maps(column) for column in columns}
        every = [SubChunkPos(column.x, y, column.z) for column in columns for y in self.world.columns[column]]
        order = self.rng.permutation(len(every)).tolist()
        while order:
            count = int(self.rng.choice([1, 5, 40, 300]))
            part, order = [every[index] for index in order[:count]], order[count:]
            payloads = [self.world.columns[at.column][at.y] for at in part]
            told = [maps[at.column][at.y] for at in part]
            self._now += 1.0
            report = self.store.answer(
                np.array(part, np.int64).astype(np.int32),
                np.array([1 if payload else 6 for payload in payloads], np.uint8),
                payloads,
                np.array([map_kind for map_kind, _ in told], np.uint8),
                [values for _, values in told],
                self._now,
            )
            broken = {fault.position for fault in report.faults}
            assert broken == {at for at in part if self.truth[at] is None}, "other sub-chunks are broken"
            if not self.world.honest:
                self._told_verdicts += [(at, *told[index]) for index, at in enumerate(part)]
            self._end_drain(0.6)

    def _send_whole(self, columns: Sequence[ColumnPos]) -> None:
        """Each column at once, with biomes behind it; what is behind bytes that make no sense is lost."""
        empty = np.full(4096, self._air)
        for column in columns:
            sent = self.world.columns[column]
            found = [decoded(payload, self._air) for payload in sent.values()]
            sound = next((index for index, layers in enumerate(found) if layers is None), len(found))
            for index, y in enumerate(sections_of(self.world.dimension)):
                layers = [empty, empty] if index >= len(found) else found[index] if index < sound else None
                self.truth[SubChunkPos(column.x, y, column.z)] = layers and [layer.copy() for layer in layers]
            self._now += 1.0
            self.store.fill(column, b"".join(sent.values()) + BIOMES, len(sent), self._now)
            self._end_drain(0.6)

    def _send_again(self, columns: Sequence[ColumnPos]) -> None:
        for column in columns:
            self.store.forget(column)
            self._end_drain(0.5)
        for column in columns:
            self.store.announce(column, None, b"", self._now)
        self._send(columns)

    def _end_drain(self, share: float) -> None:
        if self.rng.random() < share:
            self.told.drain()
            if self.rng.random() < 0.6:
                self.told.relight(int(self.rng.integers(1, 4)))

    def _change(self, changes: Changes) -> None:
        positions = changes.positions.astype(np.int32)
        assert (positions == changes.positions).all()
        self.store.update_blocks(positions, changes.layers, changes.ids)

    def _note(self, changes: Changes) -> None:
        """What blocks are behind changes, in their order."""
        layered = (changes.layers >= 0) & (changes.layers < 2)
        positions, layers, ids = changes.positions[layered], changes.layers[layered], changes.ids[layered]
        places, where = np.unique(positions >> 4, axis=0, return_inverse=True)
        cells = (positions[:, 0] & 15) << 8 | (positions[:, 2] & 15) << 4 | (positions[:, 1] & 15)
        order = np.argsort(where.reshape(-1), kind="stable")
        starts = np.searchsorted(where.reshape(-1)[order], np.arange(len(places) + 1))
        for number, place in enumerate(places.tolist()):
            shown = self.truth.get(SubChunkPos(*place))
            if shown is not None:
                for at in order[starts[number] : starts[number + 1]].tolist():
                    shown[layers[at]][cells[at]] = ids[at]

    def _maps(self, column: ColumnPos) -> dict[int, tuple[int, bytes | None]]:
        """A height map for each sub-chunk that is sent."""
        dimension = self.world.dimension
        if not self.world.honest:
            return {y: self._any_map() for y in self.world.columns[column]}
        if not all(self.shows_blocks(SubChunkPos(column.x, y, column.z)) for y in sections_of(dimension)):
            return dict.fromkeys(self.world.columns[column], (int(HeightAnswer.NONE), None))
        tops = self._tops(column)
        return {y: height_twin.honest_map(tops, 16 * y, as_y=False) for y in sections_of(dimension)}

    def _any_map(self) -> tuple[int, bytes | None]:
        map_kind = int(self.rng.choice([int(known) for known in HeightAnswer]))
        if map_kind != HeightAnswer.DATA:
            return map_kind, None
        lowest, highest = ((-128, 128), (-1, 17), (15, 17))[int(self.rng.integers(3))]
        return map_kind, self.rng.integers(lowest, highest, 256).astype(np.int8).tobytes()

    def _tops(self, column: ColumnPos) -> list[int]:
        every = [self.truth[SubChunkPos(column.x, y, column.z)] or [] for y in sections_of(self.world.dimension)]
        layers = [np.stack([self.dense(layers[layer]) for layers in every]) for layer in (0, 1)]
        return height_twin.true_tops(*layers, self.store.table.opacity[3], self.world.dimension.floor_y_blocks)

    def shows_blocks(self, at: SubChunkPos) -> bool:
        """Whether anything is known there: blocks came, and not placeholders alone."""
        layers = self.truth.get(at)
        return layers is not None and bool((self.dense(layers[0]) != self.store.table.placeholder).any())

    # ------------------------------------------------------------ comparing

    def check(self, looks: MeshTables) -> None:
        """All of it."""
        self.check_blocks()
        self.check_derived()
        self.check_heights()
        self.check_light()
        self.check_meshes(looks)
        self.check_sight()

    def check_blocks(self) -> None:
        """Every sub-chunk shows what its bytes and the changes since say, and none but those."""
        store, table = self.store, self.store.table
        told_as = table.runtime_ids.copy()
        for dense, state in enumerate(table.states):
            values = dict(state.states)
            if "legacy_id" in values:
                told_as[dense] = -(int(values["legacy_id"]) << 4 | int(values["legacy_data"]))
        for column in self.world.columns:
            for y in sections_of(self.world.dimension):
                at = SubChunkPos(column.x, y, column.z)
                place, expected = store.place_of(at), self.truth.get(at)
                assert place >= self.world.dimension.sections
                assert tuple(store.positions_of(np.array([place], np.int32))[0].tolist()) == at
                hidden = store.pools.kinds[store.slot[place]] & IS_PLACEHOLDER
                assert bool(hidden) != self.shows_blocks(at), at
                if expected is None:
                    wanted = SubChunkState.UNDECODABLE if y in self.world.columns[column] else SubChunkState.UNKNOWN
                    assert store.state[place] == wanted, at
                    continue
                for layer, shown in enumerate((store.blocks_of(at), store.layer1_of(at))):
                    wrong = np.flatnonzero((told_as[shown] != expected[layer]) & (shown != LAST_ID))
                    assert not len(wrong), f"{at} layer {layer} cell {wrong[0]}: {told_as[shown[wrong[0]]]}"
                    shared = np.unique(expected[layer][shown == LAST_ID]).tolist()
                    assert not any(wire in self._known for wire in shared), "a known id was lost"

    def check_derived(self) -> None:
        """Masks, kinds and connectivity of all that is shown."""
        store, first = self.store, self.store.table.first
        pools = store.pools
        places = store.places_of_rows(store.announced_rows)
        slots = np.unique(store.slot[places]).tolist()
        for slot in slots:
            ids = pools.blocks[slot]
            assert pools.kinds[slot] == twin.kinds(ids, first.liquid, first.placeholder, first.opaque)
            liquid = (ids >= first.liquid) & (ids < first.placeholder)
            assert (pools.opaque[slot] == twin.column_masks(ids >= first.placeholder)).all()
            assert (pools.liquid[slot] == twin.column_masks(liquid)).all()
            assert (pools.other[slot] == twin.column_masks((ids > 0) & (ids < first.liquid))).all()
            needed = int(np.bitwise_or.reduce(store.table.flags[ids]))
            assert pools.flags[slot] & needed == needed
        for second in np.unique(store.layer1_slot[places]).tolist():
            ids = pools.layer1[second]
            assert (pools.wet[second] == twin.column_masks((ids >= first.liquid) & (ids < first.placeholder))).all()
        for slot in self.rng.permutation(slots)[:MOST_CONNECTIVITIES].tolist():
            assert int(pools.connectivity[slot]) == flood_connectivity(pools.opaque[slot]), f"slot {slot}"

    def check_heights(self) -> None:
        """Honest maps agree with their blocks, and surfaces are where they are; verdicts on others are the twin's."""
        store, dimension = self.store, self.world.dimension
        for column in self.world.columns:
            sent = [SubChunkPos(column.x, y, column.z) for y in sections_of(dimension)]
            if self.world.honest and all(map(self.shows_blocks, sent)):
                assert HeightVerdict.CONTRADICTS not in {store.height_verdict_of(at) for at in sent}
                assert store.height_map(column).tolist() == self._tops(column)
        for index in self.rng.permutation(len(self._told_verdicts))[:MOST_VERDICTS].tolist():
            self._check_verdict(*self._told_verdicts[index])

    def _check_verdict(self, at: SubChunkPos, map_kind: int, values: bytes | None) -> None:
        if map_kind == HeightAnswer.NONE or at.y == self.world.dimension.roof_section - 1:
            return  # nothing was said; or nothing is above, which allows more readings
        constant = 16 if map_kind == HeightAnswer.ALL_TOO_HIGH else -1
        told = np.full(256, constant, np.int8) if values is None else np.frombuffer(values, np.int8)
        layers = [self.dense(layer) for layer in self.truth[at] or []]
        expected = height_twin.verdict(layers[0], layers[1], self.store.table.opacity[3], told, False)
        assert self.store.height_verdict_of(at) == expected, f"{at} {HeightAnswer(map_kind)}"

    def check_light(self) -> None:
        """Light mended step by step is the fixed point, and what light from nothing is."""
        self.told.check_light()
        fresh = LightMap(self.store, 4096)
        fresh.step(self.store, self.store.announced_rows)
        places = self.store.places_of_rows(self.store.announced_rows)
        mine = self.told.light
        assert (fresh.values[fresh.table[places]] == mine.values[mine.table[places]]).all(), (
            "light from nothing differs"
        )

    def check_meshes(self, looks: MeshTables) -> None:
        """The mesh of every cell is the faces that it shows."""
        store, grid = self.store, Grid.of(self.world.dimension)
        rows = store.announced_rows
        every = grid.cells_of_rows(rows)
        wanted = np.arange(len(store.columns) * grid.tall, dtype=np.int64)
        dirty = every[drawable(store, grid, every)]
        column = next(iter(self.world.columns))
        eye = (column.x * 16.0, 0.0, column.z * 16.0)
        met = []
        workshop = WorkerResources()
        for job in mesh_jobs(store, grid, Wanted(wanted), dirty, looks, eye, len(dirty)):
            meshed = job.work(workshop)
            assert not meshed.failed, meshed.failed
            for result in meshed.results:
                for mesh, (x, y, z) in enumerate(result.cells.tolist()):
                    truth = mesh_twin.CellTruth(*self.neighbourhood(x, y, z), looks)
                    models, slopes = mesh_twin.models_and_slopes_of(result, mesh)
                    same = np.array_equal
                    assert same(mesh_twin.faces_of(result, mesh), truth.faces()), f"faces of cell {x} {y} {z}"
                    assert same(models, truth.models()), f"models of cell {x} {y} {z}"
                    assert same(slopes, truth.slopes()), f"slopes of cell {x} {y} {z}"
                    met.append((x, y, z))
        positions = grid.cell_positions(dirty, store.columns).tolist()
        assert sorted(met) == sorted(map(tuple, positions)), "a cell was left out, or made twice"

    def neighbourhood(self, x: int, y: int, z: int) -> tuple[Volume, Volume]:
        """[48, 64, 48] dense ids of both layers around a cell, by position."""
        store, dimension = self.store, self.world.dimension
        both = np.zeros((2, 3, 4, 3, 16, 16, 16), np.uint16)
        for dx, k, dz in np.ndindex(3, 4, 3):
            at = SubChunkPos(x + dx - 1, 2 * y - 1 + k, z + dz - 1)
            if not dimension.holds_section(at.y):
                continue
            if self.truth.get(at) is None:
                both[0, dx, k, dz] = store.table.placeholder
            else:
                both[0, dx, k, dz] = store.blocks_of(at).reshape(16, 16, 16).transpose(0, 2, 1)
                both[1, dx, k, dz] = store.layer1_of(at).reshape(16, 16, 16).transpose(0, 2, 1)
        volumes = both.transpose(0, 1, 4, 2, 5, 3, 6).reshape(2, 48, 64, 48)
        return volumes[0], volumes[1]

    def check_sight(self) -> None:
        """The walk from a place in the world reaches all that rays from there do."""
        eye = self.eye()
        reached = set(Walk().run(self.store, eye).places.tolist())
        for _ in range(RAYS):
            direction = self.rng.normal(size=3).tolist()
            for place in places_on_ray(self.store, eye, direction, 150):
                assert place in reached, f"eye {eye} sees place {place} along {direction}"

    def eye(self) -> tuple[float, float, float]:
        """A point in a column, anywhere in its height or beside it."""
        columns, dimension = list(self.world.columns), self.world.dimension
        x, z = columns[int(self.rng.integers(len(columns)))]
        y = float(self.rng.uniform(dimension.floor_y_blocks - 8, dimension.roof_y_blocks + 8))
        within = self.rng.uniform(0.1, 15.9, 2)
        return 16.0 * x + float(within[0]), y, 16.0 * z + float(within[1])


def sections_of(dimension) -> range:
    """Absolute numbers of its sub-chunks."""
    return range(dimension.floor_section, dimension.roof_section)
