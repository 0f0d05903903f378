"""The semantic layer counts what a plain loop over pixels and their neighbours counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.player import Eye, View
from render.capture.channels import Shot
from render.scene_tests.compare import compare
from render.scene_tests.verdict import SEMANTIC, LayerOutcome, Tolerance
from render.scene_tests.views import CapturedView, Renderer

ONE, OTHER = Renderer("one", 1, ""), Renderer("other", 2, "")


def shot(rng: np.random.Generator, size_px: tuple[int, int], like: Shot | None) -> Shot:
    """Large patches of two blocks and two faces; or another shot with some pixels changed."""
    width, height = size_px
    if like is None:
        halves = rng.integers(0, 2, (2, height // 4 + 1, width // 4 + 1)).repeat(4, axis=1).repeat(4, axis=2)
        block, face = halves[:, :height, :width]
        cell = np.zeros((height, width, 3), np.int32)
        cell[..., 0] = np.arange(width) // 5
        light = np.zeros((height, width), np.uint16)
    else:
        assert like.block is not None
        assert like.face is not None
        assert like.cell is not None
        assert like.light is not None
        block, face, cell, light = like.block.copy(), like.face.copy(), like.cell.copy(), like.light.copy()
        for array in (block, face, cell[..., 0], light):
            for _ in range(int(rng.integers(0, 4))):
                y, x = int(rng.integers(0, height)), int(rng.integers(0, width))
                array[y : y + int(rng.integers(1, 6)), x : x + int(rng.integers(1, 6))] += 1
    return Shot(
        View(Eye(0.0, 0.0, 0.0)),
        size_px,
        block=block.astype(np.uint32),
        face=face.astype(np.uint8),
        cell=cell,
        light=light,
    )


def plain(one: Shot, other: Shot) -> tuple[int, int]:
    """Pixels off edges that differ, and pixels at edges that do."""
    width, height = one.size_px
    wrong = edges = 0
    for y in range(height):
        for x in range(width):
            around = [
                (b, a)
                for b in range(max(y - 1, 0), min(y + 2, height))
                for a in range(max(x - 1, 0), min(x + 2, width))
            ]

            def alike(name: str, at: tuple[int, int], around: list[tuple[int, int]] = around) -> bool:
                arrays = [getattr(each, name) for each in (one, other)]
                return all(np.array_equal(array[at], array[near]) for array in arrays for near in around)

            inner = alike("block", (y, x)) and alike("face", (y, x))
            inner_cell = inner and alike("cell", (y, x))
            differs = [
                name
                for name in ("block", "face", "light", "cell")
                if not np.array_equal(getattr(one, name)[y, x], getattr(other, name)[y, x])
            ]
            if any(inner if name in ("block", "face") else inner_cell for name in differs):
                wrong += 1
            elif differs:
                edges += 1
    return wrong, edges


@given(st.integers(0, 1 << 32), st.integers(1, 18), st.integers(1, 14))
def test_counts_are_those_of_a_plain_loop(seed: int, width: int, height: int) -> None:
    rng = np.random.default_rng(seed)
    one = shot(rng, (width, height), None)
    other = shot(rng, (width, height), one)
    layer = compare(CapturedView(one, None, ONE), CapturedView(other, None, OTHER), Tolerance(edge_share=1.0)).layer(
        SEMANTIC
    )
    wrong, edges = plain(one, other)
    assert (layer.numbers["inner_differing"], layer.numbers["edges_differing"]) == (wrong, edges)
    assert (layer.outcome is LayerOutcome.FAILED) == (wrong > 0)
