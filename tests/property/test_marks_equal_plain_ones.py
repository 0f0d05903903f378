"""Which boxes and labels are drawn, and in which order: kernels against plain NumPy, as a camera moves and turns."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from render.camera import Camera
from render.passes.overlay.boxes import AHEAD_BLOCKS, AHEAD_DEG, STYLES, Boxes, Sighted, packed, share_used
from render.passes.overlay.labels import WHOLE_SHARE, LabelLayout, Labels, Texts
from render.passes.overlay.labels import packed as packed_texts
from tests.support.reference.overlay_marks import plain_packed, plain_seen, plain_shown

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
