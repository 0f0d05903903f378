"""Draw lists made by kernels equal plain ones: any cells, any eye, on borders and in symmetry, any look.

Drain kernels equal plain ones: Notes of a drain, numbers of its content, and the sorting of answers and of scanned rows
equal plain loops.

Marks equal plain ones: Which boxes and labels are drawn, and in which order: kernels against plain NumPy, as a camera
moves and turns.

Rows of entities equal plain ones: What moves of them, and which a camera sees, whatever numbers a server sends; and
moves that are applied together are those that are applied one by one.

Reach kernels equal plain ones: What a change reaches, by kernels, equals the plain count: any columns, any sides, any
floor.

Reach twin: What a change can reach, counted the plain way: places and render cells as positions in dictionaries.
"""

from itertools import product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from client.entities.table import KEPT_TRACK, Entities
from client.player import Eye, View
from client.world.answers import RESULT_ALL_AIR, RESULT_DATA, RETRIED_RESULTS
from client.world.changes import ChangeKind
from client.world.lifecycle import NEEDS_REQUEST, STATES, SubChunkState, table_of
from client.world.places import PlaceTables
from client.world.state_machine import Pending
from client.world.store_kernels import ENTRY_ROWS, FATES, NOT_HERE, sort_entries
from net.bedrock import AddActor, MoveActorAbsolute, MoveActorDelta, MoveMode, MovePlayer
from net.space import OVERWORLD, ColumnPos, Dimension, SubChunkPos
from net.subchunk import decode_kernels as columns
from net.subchunk.decode import Scanned
from net.subchunk.storage import SubChunkFault
from render.camera import Camera
from render.materials.biome_tints import LOWERED, TRANSLUCENT_QUAD
from render.mesh.vertex_format import CUBE, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, GROUPS, MODEL, Group, Words, pack
from render.passes.draw_list import (
    CELL_BLOCKS,
    ArenaMeshes,
    Blended,
    CellOrder,
    EyeList,
    MeshList,
    RunList,
    Runs,
    nearest_first,
    spot_of,
)
from render.passes.draw_list_kernels import AS_CUBES, AS_MODELS, PAGE, ROW
from render.passes.entities import EntityPacker
from render.passes.overlay.boxes import AHEAD_BLOCKS, AHEAD_DEG, STYLES, Boxes, Sighted, packed, share_used
from render.passes.overlay.labels import WHOLE_SHARE, LabelLayout, Labels, Texts
from render.passes.overlay.labels import packed as packed_texts
from render.passes.translucent_sort import TranslucentSort
from render.passes.translucent_sort_kernels import OF_MODELS, VERTICES
from render.scene.grid import Grid, cells_around, cells_touched, shut_sides
from render.scene.reach_kernels import WET
from tests.support.reference import draw_list, entity_moves, entity_rows
from tests.support.reference.overlay_marks import plain_packed, plain_seen, plain_shown
from tests.support.reference.visibility import Frustum
from tests.support.worlds.blocks import FakeWorld
from tests.support.worlds.entities import snapshot
from tests.support.worlds.painted import PaintedStore

# ---------------------------------------------------------------- draw lists equal plain ones

SEEDS = st.integers(0, 2**32 - 1)
AXES = st.one_of(st.integers(-6, 6).map(lambda step: step * 8.0), st.floats(-100.0, 100.0, width=32))
EYES = st.tuples(AXES, AXES, AXES)


def some_cells(rng: np.random.Generator, count: int = 60) -> np.ndarray:
    """Some cells around the origin, each once, in no order."""
    return rng.permutation(np.unique(rng.integers(-5, 5, (count, 3)).astype(np.int32), axis=0))


def some_meshes(rng: np.random.Generator, eye: tuple[float, float, float]) -> MeshList:
    """Meshes in their order, with gaps in the arena between them."""
    cells = some_cells(rng)
    cells = cells[nearest_first(cells, eye)]
    counts = rng.integers(0, 4, (len(cells), GROUPS)) * rng.integers(0, 2, (len(cells), GROUPS))
    return MeshList(cells, rng.permutation(len(cells)) * 640, counts.astype(np.int32), eye)


def pairs(runs: Runs | Blended) -> list[tuple[int, int]]:
    """Runs as first unit and quads."""
    return list(zip(runs[0].tolist(), runs[1].tolist(), strict=True))


def whole(meshes: MeshList) -> tuple[np.ndarray, ...]:
    """A draw list's arrays."""
    return meshes.cells, meshes.first_units, meshes.counts


def kinds(drawn: RunList) -> list[tuple[tuple[int, int], str]]:
    """Translucent runs that are drawn in their mesh's order, and what they are of."""
    of = {AS_CUBES: "level", AS_MODELS: "slopes"}
    return list(zip(pairs(drawn.blended), [of[first] for first in drawn.blended[2].tolist()], strict=True))


@given(SEEDS, EYES)
def test_the_order_is_by_distance_then_by_position(seed: int, eye: tuple[float, float, float]) -> None:
    cells = some_cells(np.random.default_rng(seed), 200)
    assert np.array_equal(nearest_first(cells, eye), draw_list.nearest_first(cells, eye))
    assert not len(nearest_first(cells[:0], eye))


@given(EYES, st.tuples(*[st.integers(-7, 7)] * 3), st.integers(0, 2), st.booleans())
def test_a_cell_that_a_ray_enters_by_a_face_before_the_eye_comes_after_the_one_it_leaves(
    eye: tuple[float, float, float], cell: tuple[int, int, int], axis: int, upwards: bool
) -> None:
    """From wherever in its spot: the faces that are before an eye are before all others of its cell, too."""
    face = (cell[axis] + upwards) * int(CELL_BLOCKS[axis])
    beside = [at + (1 if upwards else -1) * (axis == along) for along, at in enumerate(cell)]
    is_before = eye[axis] <= face if upwards else eye[axis] >= face
    if upwards and eye[axis] == face:
        return  # it is in the cell beside, and looks back at this one
    cells = np.array([cell, beside], np.int32)
    assert not is_before or nearest_first(cells, spot_of(eye)).tolist() == [0, 1]


@given(SEEDS, EYES)
def test_a_look_draws_the_runs_of_what_it_shows(seed: int, eye: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(seed)
    meshes = some_meshes(rng, eye)
    shown = rng.random(len(meshes.cells)) < rng.random()
    eye_list = draw_list.eye_list(meshes)
    drawn = draw_list.narrowed(eye_list, shown, eye)
    few = MeshList(meshes.cells[shown], meshes.first_units[shown], meshes.counts[shown], eye)
    assert (drawn.cells, drawn.quads) == (len(few.cells), int(few.counts.sum()))
    assert pairs(drawn.opaque) == draw_list.opaque(few)
    assert pairs(drawn.cutout) == [
        run for run in zip(*map(np.ndarray.tolist, few.group(Group.CUTOUT)), strict=True) if run[1]
    ]
    assert pairs(drawn.models) == [run for run in zip(*map(np.ndarray.tolist, few.models()), strict=True) if run[1]]
    assert all(np.array_equal(*part) for part in zip(whole(eye_list.drawn()), whole(few), strict=True))
    assert kinds(drawn) == draw_list.blended(few)


def assert_shown(eye_list: EyeList, meshes: MeshList, planes: np.ndarray, eye: tuple[float, float, float]) -> None:
    """Cells within a thousandth of a block of a plane may be either: sums are rounded in another order."""
    low = meshes.cells * CELL_BLOCKS - np.array(eye)
    surely, perhaps = (Frustum(planes).shows(low, (16, 32, 16), margin) for margin in (0.999, 1.001))
    assert (surely <= eye_list.shown).all()
    assert (eye_list.shown <= perhaps).all()


@given(SEEDS, EYES, st.floats(-180.0, 180.0), st.floats(-90.0, 90.0))
def test_a_look_shows_what_its_frustum_does(
    seed: int, eye: tuple[float, float, float], yaw: float, pitch: float
) -> None:
    meshes = some_meshes(np.random.default_rng(seed), eye)
    planes = Camera(eye, yaw, pitch, 70.0, 1.6).planes()
    eye_list = draw_list.eye_list(meshes)
    drawn = eye_list.see(planes, eye, eye)
    assert_shown(eye_list, meshes, planes, eye)
    assert eye_list.see(planes, eye, eye) is drawn
    assert draw_list.narrowed(eye_list, eye_list.shown.copy(), eye) is drawn


@given(SEEDS, EYES, st.floats(-180.0, 180.0), st.floats(-90.0, 90.0), st.sampled_from([None, 40.0]))
def test_a_look_of_an_order_that_another_eye_of_its_spot_made_shows_what_its_frustum_does(
    seed: int, eye: tuple[float, float, float], yaw: float, pitch: float, ortho_blocks: float | None
) -> None:
    camera = Camera.of(View(Eye(*eye), yaw, pitch, 70.0, ortho_blocks), 1.6)
    stand = camera.stand if camera.is_parallel else spot_of(eye)
    meshes = some_meshes(np.random.default_rng(seed), stand)
    eye_list = draw_list.eye_list(meshes)
    eye_list.see(camera.planes(), eye, camera.stand)
    assert_shown(eye_list, meshes, camera.planes(), eye)


def some_cubes(rng: np.random.Generator, count: int) -> Words:
    """Translucent cube quads inside of a cell, surfaces of liquids among them, many in one plane or few."""
    faces = rng.integers(0, 6, count) if rng.random() < 0.7 else np.full(count, rng.integers(0, 6))
    low, size = rng.integers(0, (16, 32, 16), (count, 3)), np.array((16, 32, 16))
    if rng.random() < 0.4:
        low[:] = low[:1] if count else 0
    width, height = (np.array(axes)[faces] for axes in (FACE_WIDTH_AXIS, FACE_HEIGHT_AXIS))
    each, longest = np.arange(count), rng.integers(1, 4)
    sizes = [np.minimum(rng.integers(1, longest + 1, count), size[axis] - low[each, axis]) for axis in (width, height)]
    flags = LOWERED * rng.integers(0, 2, count)
    return pack(
        CUBE, count, x=low[:, 0], y=low[:, 1], z=low[:, 2], face=faces, width=sizes[0], height=sizes[1], flags=flags
    )


def some_slopes(rng: np.random.Generator, count: int) -> Words:
    """Translucent model quads inside of a cell: panes and slopes."""
    at, size = rng.integers(0, (16, 32, 16), (count, 3)), rng.integers(0, 9, (count, 6))
    begin = 16 * at + rng.integers(0, 8, (count, 3))
    names = ("x", "y", "z"), ("ux", "uy", "uz", "vx", "vy", "vz"), ("block_x", "block_y", "block_z")
    values = {
        name: part[:, k] for part, row in zip((begin, size, at), names, strict=True) for k, name in enumerate(row)
    }
    return pack(
        MODEL, count, face=rng.integers(0, 6, count), flags=TRANSLUCENT_QUAD * rng.integers(0, 2, count), **values
    )


@given(SEEDS, EYES, EYES)
def test_translucent_quads_are_drawn_in_the_plain_order(
    seed: int, eye: tuple[float, float, float], before: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(seed)
    cells = some_cells(rng, 8)
    cells = cells[nearest_first(cells, eye)]
    rows, order = np.zeros((len(cells), ROW), np.int32), TranslucentSort()
    quads, gap = [], 30  # as if ten models lay between
    for number, cell in enumerate(cells.tolist()):
        if number == 3:
            order.arrange(rows, before)
            order.drop(rows, 1)
            order.put(rows, 1, tuple(cells[1].tolist()), *quads[1], len(quads[1][0]) + gap)
        quads.append((some_cubes(rng, rng.choice([0, 1, 40])), some_slopes(rng, rng.choice([0, 0, 1, 9, 30]))))
        rows[number, [Group.LIQUID, Group.MODEL, Group.SLOPE]] = len(quads[-1][0]), 10, len(quads[-1][1])
        rows[number, PAGE] = 1000 * number
        order.put(rows, number, tuple(cell), *quads[-1], len(quads[-1][0]) + gap)
    eye_list = EyeList(ArenaMeshes(rows, 1, order), CellOrder.of(cells, np.arange(len(cells)), eye))
    drawn = draw_list.narrowed(eye_list, np.ones(len(cells), np.bool_), eye)
    wanted: list[tuple[int, str]] = []
    for number in reversed(range(len(cells))):
        cubes, slopes = quads[number]
        units = [*range(len(cubes)), *(len(cubes) + gap + 3 * k for k in range(len(slopes)))]
        numbers = draw_list.translucent_sort(cubes, slopes, tuple(cells[number].tolist()), eye)
        wanted += [
            (1000 * number + units[quad], "level" if quad < len(cubes) else "slopes")
            for quad in (range(len(units)) if numbers is None else numbers)
        ]
    assert quads_drawn(drawn, order) == wanted
    begin, end = order.take_changed()
    assert (begin < end) == (len(order) > 0)
    draw_list.narrowed(eye_list, np.zeros(len(cells), np.bool_), eye).arrange()
    assert order.take_changed() == (0, 0)


def quads_drawn(drawn: RunList, order: TranslucentSort) -> list[tuple[int, str]]:
    """First units of translucent quads one by one, as drawn, and what draws them."""
    found: list[tuple[int, str]] = []
    for unit, quads, index in zip(*(part.tolist() for part in drawn.blended), strict=True):
        if index < 0:
            kind, step = ("level", 1) if index == AS_CUBES else ("slopes", 3)
            found += [(unit + step * k, kind) for k in range(quads)]
        else:
            for vertex in order.indices[index // 6 : index // 6 + quads, 0].tolist():
                found.append((unit + vertex // VERTICES, "slopes" if vertex % VERTICES == OF_MODELS else "level"))
    return found


def test_fields_of_models_lie_where_the_kernel_reads_them() -> None:
    sides = [MODEL[name] for name in ("ux", "uy", "uz", "vx", "vy", "vz")]
    assert [(field.word, field.bits) for field in sides] == [(1, 7)] * 3 + [(2, 7)] * 3
    assert [field.shift for field in sides[:3]] == [field.shift for field in sides[3:]]


# ---------------------------------------------------------------- drain kernels equal plain ones

HEIGHT = OVERWORLD.sections
ROWS = 3
KINDS = st.sampled_from([ChangeKind.STATE, ChangeKind.EDIT, ChangeKind.DATA])
SOME_PLACES = st.lists(st.integers(HEIGHT, (ROWS + 1) * HEIGHT - 1), max_size=8)
STEPS = st.lists(st.tuples(KINDS, SOME_PLACES) | st.integers(1, ROWS), max_size=12)


def tables() -> PlaceTables:
    made = PlaceTables(OVERWORLD)
    for row in range(ROWS):
        assert made.add(ColumnPos(row, -row)) == row + 1
    return made


@given(st.lists(STEPS, max_size=4))
def test_a_place_is_told_once_a_drain_with_the_heaviest_kind(
    drains: list[list[tuple[ChangeKind, list[int]] | int]],
) -> None:
    world, pending, last = tables(), Pending(), 0
    for steps in drains:
        plain: dict[int, ChangeKind] = {}
        removed: list[int] = []
        for step in steps:
            if isinstance(step, int):
                pending.remove(step, ColumnPos(step - 1, 1 - step), world.places_of_row(step))
                plain = {place: kind for place, kind in plain.items() if place // HEIGHT != step}
                removed += [step] if step not in removed else []
            else:
                pending.record(np.array(step[1], np.int32), step[0])
                for place in step[1]:
                    plain[place] = max(plain.get(place, step[0]), step[0])
        content = sorted(place for place, kind in plain.items() if kind > ChangeKind.STATE)
        assert pending.number_content(world.revision, last) == last + len(content)
        assert world.revision[content].tolist() == list(range(last + 1, last + 1 + len(content)))
        last += len(content)
        batch = pending.take(world)
        assert batch.places.tolist() == [row * HEIGHT for row in removed] + sorted(plain)
        assert batch.kinds[len(removed) :].tolist() == [plain[place] for place in sorted(plain)]
        told = batch.positions[len(removed) :]
        assert (told == world.positions_of(batch.places[len(removed) :])).all()
        whole = batch.boxes.tolist() == [
            [0, 0, 0, 16, 16, 16] if kind == ChangeKind.DATA else [0] * 6 for kind in batch.kinds.tolist()
        ]
        assert whole


@given(
    st.lists(st.tuples(st.integers(0, (ROWS + 1) * HEIGHT - 1), st.integers(0, 7)), max_size=24),
    st.lists(st.sampled_from(SubChunkState), min_size=HEIGHT, max_size=HEIGHT),
)
def test_entries_are_sorted_as_a_plain_loop_does(entries: list[tuple[int, int]], states: list[SubChunkState]) -> None:
    world = tables()
    for row in range(1, ROWS + 1):
        world.state[world.places_of_row(row)] = np.roll(np.array(states, np.uint8), row)
    places = [place if place >= HEIGHT else 0 for place, _ in entries]
    results = np.array([result for _, result in entries], np.uint8)
    by_fate, counts = np.empty((ENTRY_ROWS, len(entries)), np.int64), np.zeros(FATES, np.int64)
    needs, retried = table_of(NEEDS_REQUEST), np.isin(np.arange(STATES), RETRIED_RESULTS)
    sort_entries(
        np.array(places, np.int32), results, world.state, needs, retried,
        world.sections, world.scratch, by_fate, counts,
    )  # fmt: skip
    each = counts.tolist()
    used_found, data, air, closed, ignored = (row[:count].tolist() for row, count in zip(by_fate, each, strict=False))
    used: dict[int, int] = {}
    for at, (place, result) in enumerate(zip(places, results.tolist(), strict=True)):
        state = SubChunkState(int(world.state[place]))
        if (
            place
            and result in (RESULT_DATA, RESULT_ALL_AIR)
            and (state in NEEDS_REQUEST or state is SubChunkState.KNOWN_AIR)
        ):
            used.setdefault(place, at)
    closing = [
        at
        for at, (place, result) in enumerate(zip(places, results.tolist(), strict=True))
        if place and place not in used and result not in (RESULT_DATA, RESULT_ALL_AIR, *RETRIED_RESULTS)
        if SubChunkState(int(world.state[place])) in NEEDS_REQUEST
    ]
    taken = sorted(used.values())
    assert used_found == taken
    assert data == [at for at in taken if results[at] == RESULT_DATA]
    assert air == [at for at in taken if results[at] == RESULT_ALL_AIR]
    assert closed == closing
    assert ignored == [at for at, place in enumerate(places) if place and at not in taken + closing]
    assert each[NOT_HERE] == places.count(0)
    assert not world.scratch.any()


@given(
    st.lists(
        st.tuples(st.sampled_from(SubChunkFault), st.integers(0, 3), st.sampled_from([-1, 0, 1, 4, 16]), st.booleans()),
        max_size=24,
    )
)
def test_rows_are_sorted_as_a_plain_loop_does(rows: list[tuple[SubChunkFault, int, int, bool]]) -> None:
    table = np.zeros((len(rows), columns.COLUMNS), np.int64)
    for at, (fault, layers, bits, _) in enumerate(rows):
        table[at, [columns.STATUS, columns.LAYERS, columns.LAYER + columns.BITS, columns.END]] = fault, layers, bits, 10
    limits = np.array([10 + rest for *_, rest in rows], np.int64)
    none = np.zeros(0, np.int64)
    found = Scanned(np.zeros(1, np.uint8), np.zeros(len(rows), np.int64), limits, table, none).sort()
    sound = [at for at, (fault, *_) in enumerate(rows) if fault is SubChunkFault.NONE]
    layered = [at for at in sound if rows[at][1]]
    named = [at for at, (fault, *_) in enumerate(rows) if fault is SubChunkFault.NAMED_PALETTE]
    assert found.indexed.tolist() == [at for at in layered if rows[at][2] > 0]
    assert found.single.tolist() == [at for at in layered if rows[at][2] == 0]
    assert found.empty.tolist() == [at for at in sound if not rows[at][1]]
    assert found.rare.tolist() == sorted(named + [at for at in layered if rows[at][2] == columns.LEGACY])
    assert found.second.tolist() == [at for at in sound if rows[at][1] > 1]
    assert found.with_rest.tolist() == [at for at in sound if rows[at][3]]


# ---------------------------------------------------------------- marks equal plain ones

PAINTS = tuple(STYLES.values())
SIZES = st.sampled_from([(320, 180), (1280, 720)])


@st.composite
def cameras(draw: st.DrawFn) -> list[Camera]:
    """A few, of which some share an eye, or its block."""
    eyes = st.tuples(*[st.sampled_from([-30.25, 0.0, 0.4, 0.5, 17.5])] * 3)
    turned = st.tuples(st.floats(-180, 180), st.floats(-89, 89))
    return [
        Camera(draw(eyes), *draw(turned), 70.0, 16 / 9, ortho_blocks=draw(st.sampled_from([None, 90.0])))
        for _ in range(draw(st.integers(1, 4)))
    ]


@example(0, 387, [Camera((-30.25, -30.25, -30.25), 1.0, 0.0, 70.0, 16 / 9, ortho_blocks=90.0)])
@given(st.integers(0, 1 << 30), st.integers(0, 400), cameras())
def test_boxes_in_sight_and_their_order(seed: int, many: int, seen_by: list[Camera]) -> None:
    rng = np.random.default_rng(seed)
    lows = rng.integers(-6, 6, (many, 3)) * 16  # many equal distances
    sizes = 3 if seed % 2 else (many, 3)  # of one size, or of many
    boxes = Boxes.of(lows, rng.integers(0, len(PAINTS), many), PAINTS, rng.choice([1, 16, 300], sizes))
    sighted = Sighted(boxes)
    for camera in seen_by:
        assert (sighted.rows(camera) == packed(boxes)[plain_seen(boxes, camera)]).all()
        boxes = replace(boxes, chosen=rng.integers(0, len(PAINTS), many).astype(np.uint8))
        assert sighted.repaint(boxes)
        assert (sighted.rows(camera) == packed(boxes)[plain_seen(boxes, camera)]).all()
    elsewhere = replace(boxes, lows=boxes.lows + np.int32(1))
    assert sighted.repaint(elsewhere) == (many == 0)


@given(
    st.integers(0, 1 << 30),
    st.tuples(st.floats(-180, 180), st.floats(-89, 89)),
    st.tuples(*[st.floats(-1, 1)] * 2),
    st.tuples(*[st.floats(-1, 1)] * 3),
)
def test_what_is_sent_ahead_holds_what_cameras_near_by_see_in_their_order(
    seed: int, angles: tuple[float, float], turned: tuple[float, float], went: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(seed)
    boxes = Boxes.of(rng.integers(-9, 9, (300, 3)) * 8, 0, PAINTS, rng.choice([8, 16, 64], (300, 3)))
    first = Camera((3.5, 4.0, -3.0), *angles, 70.0, 16 / 9)
    shares = np.array(turned) / max(sum(map(abs, turned)), 1.0) * AHEAD_DEG
    x, y, z = (np.array(first.eye) + np.array(went) / max(float(np.linalg.norm(went)), 1.0) * AHEAD_BLOCKS).tolist()
    second = replace(first, eye=(x, y, z), yaw_deg=angles[0] + shares[0], pitch_deg=angles[1] + shares[1])
    sighted = Sighted(boxes)
    ahead = sighted.rows(first, ahead=True).tolist()
    assert share_used(second, first) <= 1.0 + 1e-9
    if sighted.in_order_for(second):
        exact = Sighted(boxes).rows(second).tolist()
        seen = set(map(tuple, exact))
        assert [row for row in ahead if tuple(row) in seen] == exact


@given(st.integers(0, 1 << 30), st.integers(0, 300), cameras(), SIZES, st.booleans())
def test_labels_with_room(
    seed: int, many: int, seen_by: list[Camera], size_px: tuple[int, int], on_a_grid: bool
) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(-6, 6, (many, 3)) * 16 if on_a_grid else rng.uniform(-90, 90, (many, 3))
    texts = ["12"[: number % 3] + ("x\nmore" if number % 5 == 0 else "xy") for number in range(many)]
    tones, hidden = rng.integers(0, 256, (many, 3)), (0.55, 1.0)
    first = int(rng.integers(0, many + 1))
    second = Labels.of(points[first:], Texts(many - first, texts[first:].__getitem__), tones[first:], (2, 1))
    parts = [Labels.of(points[:first], texts[:first], tones[:first], (2, 1)), second]
    layout, both = LabelLayout(parts), Labels.of(points, texts, tones)
    shares = np.where(np.arange(many) < first, *(round(WHOLE_SHARE * share) for share in hidden))
    for camera in seen_by:
        placed = layout.shown(camera, size_px)
        found = [(number, *rows) for number, rows in zip(placed.numbers.tolist(), placed.rows.tolist(), strict=True)]
        assert found == plain_shown(both, camera, size_px)
        assert [layout.text(number) for number, *_ in found] == [texts[number] for number, *_ in found]
        rows = packed_texts(layout, placed, hidden, camera.eye_block, 2)
        assert rows.tolist() == plain_packed(both, found, shares, camera, 2)
        layout = LabelLayout(parts, layout)  # what was made stays made


# ---------------------------------------------------------------- rows of entities equal plain ones

NUMBERS = [4, 5, 6, 8, 9, 10]
"""Words of a row that are floats that move."""
PLACES = st.one_of(st.floats(-70.0, 70.0), st.floats(-(2.0**30) + 1, 2.0**30 - 1), st.sampled_from([0.0, -1.0, -0.0]))
ANY_PLACES = st.one_of(PLACES, st.floats())
TURNS = st.one_of(st.floats(-720.0, 720.0, width=32), st.floats(width=32))
ENTITIES = st.fixed_dictionaries({
    "kind": st.sampled_from(["minecraft:cow", "minecraft:falling_block", "minecraft:item", "minecraft:painting"]),
    "at": st.tuples(PLACES, PLACES, PLACES),
    "before": st.tuples(ANY_PLACES, ANY_PLACES, ANY_PLACES),
    "angles": st.tuples(TURNS, TURNS, TURNS),
    "angles_before": st.tuples(TURNS, TURNS, TURNS),
    "moved_at": st.integers(0, 1 << 40),
    "teleported": st.booleans(),
    "block": st.sampled_from([-1, 0, 5]),
    "painting": st.sampled_from(["", "", "Pool"]),
    "direction": st.integers(0, 3),
})  # fmt: skip


@given(st.lists(ENTITIES, max_size=12), EYES, st.floats(0, 360), st.floats(-90, 90))
def test_rows_of_entities_equal_plain_ones(
    entities: list[dict[str, object]], eye: tuple[float, float, float], yaw_deg: float, pitch_deg: float
) -> None:
    packer, looks = EntityPacker(), np.zeros((8, 6), np.uint64)
    found = packer.pack(snapshot(entities), looks)
    forms = packer._forms
    assert forms is not None
    expected = entity_rows.plain_packed(found.entities, forms)
    assert found.since_us == expected.since_us
    rows = (one.words[: 4 * len(entities)].reshape(-1, 16).copy() for one in (found, expected))
    for row in zip(*rows, strict=True):
        numbers, plain = (words.view(np.float32) for words in row)
        assert np.array_equal(numbers[NUMBERS], plain[NUMBERS]), "0 with either sign"
        numbers[NUMBERS] = plain[NUMBERS]
        assert np.array_equal(*row)
    assert np.array_equal(found.words[4 * len(entities) :], expected.words[4 * len(entities) :])
    assert np.allclose(found.middles, expected.middles, rtol=0, atol=1e-6)
    assert np.allclose(found.radii, expected.radii, rtol=1e-12, atol=1e-9)
    camera = Camera(eye, yaw_deg, pitch_deg, 70.0, 16 / 9)
    assert found.in_sight(camera).tolist() == entity_rows.plain_seen(found, camera).tolist()


SOME = st.one_of(st.none(), st.floats(-1e6, 1e6, width=32))
MOVERS = st.integers(10, 13)
MOVES = st.one_of(
    st.builds(MoveActorAbsolute, MOVERS, st.tuples(PLACES, PLACES, PLACES), TURNS, TURNS, TURNS, st.integers(0, 15)),
    st.builds(MoveActorDelta, MOVERS, SOME, SOME, SOME, SOME, SOME, SOME, teleport=st.booleans()),
    st.builds(MovePlayer, MOVERS, st.tuples(PLACES, PLACES, PLACES), TURNS, TURNS, TURNS, st.sampled_from(MoveMode)),
)


@given(st.lists(st.tuples(MOVES, st.floats(0, 0.2)), max_size=12), st.integers(0, KEPT_TRACK))
def test_moves_of_entities_equal_plain_ones(moves: list[tuple[MoveActorDelta, float]], tracked: int) -> None:
    table = Entities(486)
    for at, kind in enumerate(("pig", "player", "item", "tnt"), start=10):
        table.receive(AddActor(-at, at, f"minecraft:{kind}", (0.5 * at, 64.0, 3.0)), at, 1.0)
    table._tracked = tracked
    rows, now, waiting = table._rows.copy(), 1.0, []
    for packet, (move, later_s) in enumerate(moves, start=10):
        now += later_s
        table.receive(move, packet, now)
    waiting = np.array(table._waiting).reshape(-1, 10).tolist()
    with np.errstate(all="ignore"):
        places = entity_moves.apply(rows, table._lifts.tolist(), waiting)
    table.apply()
    for name in rows.dtype.names or ():
        if name == "angles_before":
            assert np.allclose(table._rows[name], rows[name], rtol=1e-5, atol=1e-3, equal_nan=True)
        else:
            assert np.allclose(table._rows[name], rows[name], rtol=1e-12, atol=1e-9, equal_nan=True), name
    kept = [table._track[(tracked + number) % KEPT_TRACK].tolist()[:4] for number in range(len(places))]
    assert [(number, list(at), time, once) for at, time, number, once in kept] == places
    assert table._tracked == tracked + len(moves)


# ---------------------------------------------------------------- reach kernels equal plain ones

# ---------------------------------------------------------------- reach twin

SIDE_BITS = ({-1: 0, 1: 1}, {-1: 4, 1: 5}, {-1: 2, 1: 3})
"""By axis x, y, z and step: the bit of a side."""

Cell = tuple[int, int, int]


def positions(world: FakeWorld, grid: Grid) -> dict[SubChunkPos, int]:
    """All places of the store by position."""
    return {
        SubChunkPos(column.x, grid.floor + section, column.z): row * grid.sections + section
        for column, row in world.row_of.items()
        for section in range(grid.sections)
    }


def around_places(world: FakeWorld, grid: Grid, turned: dict[int, int], sides: np.ndarray) -> set[Cell]:
    """The cells of changed places, and of those around that can notice; ``turned`` by place."""
    at = positions(world, grid)
    found = set()
    for here, place in at.items():
        for step in product((-1, 0, 1), repeat=3):
            other = SubChunkPos(*(axis + way for axis, way in zip(here, step, strict=True)))
            if place not in turned or other not in at:
                continue
            crossed = [1 << SIDE_BITS[axis][way] for axis, way in enumerate(step) if way]
            wet = (turned[place] | int(sides[at[other]])) & WET
            if all(turned[place] & bit for bit in crossed) and (len(crossed) < 2 or wet):
                found.add(tuple(other.cell))
    return found


def around_blocks(world: FakeWorld, grid: Grid, blocks: list[tuple[int, int]]) -> set[Cell]:
    """The cells of single blocks, [place, index there], and those that they touch."""
    at = positions(world, grid)
    where = {place: here for here, place in at.items()}
    found = set()
    for place, index in blocks:
        block = np.array(where[place]) * 16 + np.array([index >> 8, index & 15, index >> 4 & 15])
        for step in product((-1, 0, 1), repeat=3):
            other = SubChunkPos(*((block + step) >> 4).tolist())
            if other in at:
                found.add(tuple(other.cell))
    return found


def shut(cube: np.ndarray, opaque_from: int, liquid_from: int, liquid_to: int) -> int:
    """The sides of [16, 16, 16] blocks, indexed x, z, y."""
    layers = (cube[0], cube[15], cube[:, 0], cube[:, 15], cube[:, :, 0], cube[:, :, 15])
    bits = sum(int((layer >= opaque_from).all()) << bit for bit, layer in enumerate(layers))
    return bits | (WET if ((cube >= liquid_from) & (cube < liquid_to)).any() else 0)


# ---------------------------------------------------------------- reach kernels equal plain ones

DIMENSIONS = st.sampled_from([Dimension(0, "whole", -2, 6, True), Dimension(9, "odd", -3, 5, True)])
SQUARE = [ColumnPos(x, z) for x in range(-1, 3) for z in range(-1, 3)]


def some_columns(dimension: Dimension, rng: np.random.Generator) -> PaintedStore:
    """A square of columns, some of them missing."""
    store = PaintedStore(dimension)
    for column in SQUARE:
        if rng.random() < 0.7:
            store.add_column(column)
    return store


@given(DIMENSIONS, SEEDS)
def test_the_cells_that_notice_changed_places(dimension: Dimension, seed: int) -> None:
    rng = np.random.default_rng(seed)
    store, grid = some_columns(dimension, rng), Grid.of(dimension)
    places = np.array(sorted(positions(store, grid).values()), np.int32)
    chosen = places[rng.random(len(places)) < rng.choice([0.02, 0.3])]
    turned = rng.integers(0, 128, len(chosen)).astype(np.uint8)
    sides = (rng.random(len(store.slot)) < 0.3).astype(np.uint8) * np.uint8(64)
    found = cells_around(store, grid, chosen, turned, sides)
    expected = around_places(store, grid, dict(zip(chosen.tolist(), turned.tolist(), strict=True)), sides)
    assert len(found) == len(expected)
    assert {tuple(at) for at in grid.cell_positions(found, store.columns).tolist()} == expected


@given(DIMENSIONS, SEEDS)
def test_the_cells_that_single_blocks_touch(dimension: Dimension, seed: int) -> None:
    rng = np.random.default_rng(seed)
    store, grid = some_columns(dimension, rng), Grid.of(dimension)
    places = np.array(sorted(positions(store, grid).values()), np.int32)
    chosen = rng.choice(places, rng.integers(0, 8)) if len(places) else places
    axes = rng.choice([0, 7, 15], (3, len(chosen)))
    blocks = (axes[0] << 8 | axes[1] << 4 | axes[2]).astype(np.uint16)
    found = cells_touched(store, grid, chosen, blocks)
    expected = around_blocks(store, grid, list(zip(chosen.tolist(), blocks.tolist(), strict=True)))
    assert len(found) == len(expected)
    assert {tuple(at) for at in grid.cell_positions(found, store.columns).tolist()} == expected


@given(SEEDS, st.sampled_from([0.0, 0.02, 0.5, 1.0]))
def test_sides_that_are_wholly_opaque(seed: int, holes: float) -> None:
    rng = np.random.default_rng(seed)
    store = PaintedStore()
    first = store.table.first
    place = store.place(ColumnPos(0, 0), 0) if store.add_column(ColumnPos(0, 0)) else 0
    cube = np.full((16, 16, 16), first.opaque, np.uint16)
    cube[rng.random((16, 16, 16)) < holes * 0.1] = rng.choice([0, first.liquid])
    for axis in range(3):
        if rng.random() < holes:
            cube[tuple(rng.choice([0, 15]) if at == axis else slice(None) for at in range(3))] = 0
    store.show(place, cube.reshape(4096))
    found = shut_sides(store.pools, store.slot[[place]])
    assert found.tolist() == [shut(cube, first.opaque, first.liquid, first.placeholder)]
