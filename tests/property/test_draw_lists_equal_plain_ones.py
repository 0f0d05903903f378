"""Draw lists made by kernels equal plain ones: any cells, any eye, on borders and in symmetry, any look."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.player import Eye, View
from client.visibility.frustum import Frustum
from render.camera import Camera
from render.materials.looks import CLEAR, LOWERED
from render.mesh.vertex_format import CUBE, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, GROUPS, MODEL, Group, Words, pack
from render.passes.draw_list import (
    CELL_SIZE,
    Blended,
    CellOrder,
    DrawList,
    EyeList,
    FrameList,
    MeshTable,
    Runs,
    nearest_first,
    spot_of,
)
from render.passes.draw_list_kernels import AS_CUBES, AS_MODELS, PAGE, ROW
from render.passes.translucent_kernels import OF_MODELS, VERTICES
from render.passes.translucent_sort import BlendOrder
from tests.support.reference import draw_list as plain

SEEDS = st.integers(0, 2**32 - 1)
AXES = st.one_of(st.integers(-6, 6).map(lambda step: step * 8.0), st.floats(-100.0, 100.0, width=32))
EYES = st.tuples(AXES, AXES, AXES)


def some_cells(rng: np.random.Generator, count: int = 60) -> np.ndarray:
    """Some cells around the origin, each once, in no order."""
    return rng.permutation(np.unique(rng.integers(-5, 5, (count, 3)).astype(np.int32), axis=0))


def some_meshes(rng: np.random.Generator, eye: tuple[float, float, float]) -> DrawList:
    """Meshes in their order, with gaps in the arena between them."""
    cells = some_cells(rng)
    cells = cells[nearest_first(cells, eye)]
    counts = rng.integers(0, 4, (len(cells), GROUPS)) * rng.integers(0, 2, (len(cells), GROUPS))
    return DrawList(cells, rng.permutation(len(cells)) * 640, counts.astype(np.int32), eye)


def pairs(runs: Runs | Blended) -> list[tuple[int, int]]:
    """Runs as first unit and quads."""
    return list(zip(runs[0].tolist(), runs[1].tolist(), strict=True))


def whole(meshes: DrawList) -> tuple[np.ndarray, ...]:
    """A draw list's arrays."""
    return meshes.cells, meshes.first_units, meshes.counts


def kinds(drawn: FrameList) -> list[tuple[tuple[int, int], str]]:
    """Translucent runs that are drawn in their mesh's order, and what they are of."""
    of = {AS_CUBES: "level", AS_MODELS: "slopes"}
    return list(zip(pairs(drawn.blended), [of[first] for first in drawn.blended[2].tolist()], strict=True))


@given(SEEDS, EYES)
def test_the_order_is_by_distance_then_by_position(seed: int, eye: tuple[float, float, float]) -> None:
    cells = some_cells(np.random.default_rng(seed), 200)
    assert np.array_equal(nearest_first(cells, eye), plain.nearest_first(cells, eye))
    assert not len(nearest_first(cells[:0], eye))


@given(EYES, st.tuples(*[st.integers(-7, 7)] * 3), st.integers(0, 2), st.booleans())
def test_a_cell_that_a_ray_enters_by_a_face_before_the_eye_comes_after_the_one_it_leaves(
    eye: tuple[float, float, float], cell: tuple[int, int, int], axis: int, upwards: bool
) -> None:
    """From wherever in its spot: the faces that are before an eye are before all others of its cell, too."""
    face = (cell[axis] + upwards) * int(CELL_SIZE[axis])
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
    eye_list = plain.eye_list(meshes)
    drawn = eye_list.narrowed(shown, eye)
    few = DrawList(meshes.cells[shown], meshes.first_units[shown], meshes.counts[shown], eye)
    assert (drawn.cells, drawn.quads) == (len(few.cells), int(few.counts.sum()))
    assert pairs(drawn.opaque) == plain.opaque(few)
    assert pairs(drawn.cutout) == [
        run for run in zip(*map(np.ndarray.tolist, few.group(Group.CUTOUT)), strict=True) if run[1]
    ]
    assert pairs(drawn.models) == [run for run in zip(*map(np.ndarray.tolist, few.models()), strict=True) if run[1]]
    assert all(np.array_equal(*part) for part in zip(whole(eye_list.drawn()), whole(few), strict=True))
    assert kinds(drawn) == plain.blended(few)


def assert_shown(eye_list: EyeList, meshes: DrawList, planes: np.ndarray, eye: tuple[float, float, float]) -> None:
    """Cells within a thousandth of a block of a plane may be either: sums are rounded in another order."""
    low = meshes.cells * CELL_SIZE - np.array(eye)
    surely, perhaps = (Frustum(planes).shows(low, (16, 32, 16), margin) for margin in (0.999, 1.001))
    assert (surely <= eye_list.shown).all()
    assert (eye_list.shown <= perhaps).all()


@given(SEEDS, EYES, st.floats(-180.0, 180.0), st.floats(-90.0, 90.0))
def test_a_look_shows_what_its_frustum_does(
    seed: int, eye: tuple[float, float, float], yaw: float, pitch: float
) -> None:
    meshes = some_meshes(np.random.default_rng(seed), eye)
    planes = Camera(eye, yaw, pitch, 70.0, 1.6).planes()
    eye_list = plain.eye_list(meshes)
    drawn = eye_list.look(planes, eye, eye)
    assert_shown(eye_list, meshes, planes, eye)
    assert eye_list.look(planes, eye, eye) is drawn
    assert eye_list.narrowed(eye_list.shown.copy(), eye) is drawn


@given(SEEDS, EYES, st.floats(-180.0, 180.0), st.floats(-90.0, 90.0), st.sampled_from([None, 40.0]))
def test_a_look_of_an_order_that_another_eye_of_its_spot_made_shows_what_its_frustum_does(
    seed: int, eye: tuple[float, float, float], yaw: float, pitch: float, ortho_blocks: float | None
) -> None:
    camera = Camera.of(View(Eye(*eye), yaw, pitch, 70.0, ortho_blocks), 1.6)
    stand = camera.stand if camera.is_parallel else spot_of(eye)
    meshes = some_meshes(np.random.default_rng(seed), stand)
    eye_list = plain.eye_list(meshes)
    eye_list.look(camera.planes(), eye, camera.stand)
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
    return pack(MODEL, count, face=rng.integers(0, 6, count), flags=CLEAR * rng.integers(0, 2, count), **values)


@given(SEEDS, EYES, EYES)
def test_translucent_quads_are_drawn_in_the_plain_order(
    seed: int, eye: tuple[float, float, float], before: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(seed)
    cells = some_cells(rng, 8)
    cells = cells[nearest_first(cells, eye)]
    rows, order = np.zeros((len(cells), ROW), np.int32), BlendOrder()
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
    eye_list = EyeList(MeshTable(rows, 1, order), CellOrder.of(cells, np.arange(len(cells)), eye))
    drawn = eye_list.narrowed(np.ones(len(cells), np.bool_), eye)
    wanted: list[tuple[int, str]] = []
    for number in reversed(range(len(cells))):
        cubes, slopes = quads[number]
        units = [*range(len(cubes)), *(len(cubes) + gap + 3 * k for k in range(len(slopes)))]
        numbers = plain.blend_order(cubes, slopes, tuple(cells[number].tolist()), eye)
        wanted += [
            (1000 * number + units[quad], "level" if quad < len(cubes) else "slopes")
            for quad in (range(len(units)) if numbers is None else numbers)
        ]
    assert quads_drawn(drawn, order) == wanted
    begin, end = order.take_changed()
    assert (begin < end) == (len(order) > 0)
    eye_list.narrowed(np.zeros(len(cells), np.bool_), eye).arrange()
    assert order.take_changed() == (0, 0)


def quads_drawn(drawn: FrameList, order: BlendOrder) -> list[tuple[int, str]]:
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
