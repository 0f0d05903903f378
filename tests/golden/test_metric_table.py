"""What the layers tell apart, measured on frames of ours: run with ``-s`` for the table in docs/develop/render.md.

The same classes twice: painted into the picture, and really made in the world. On a renderer that draws the same bits
every one of them fails by a single pixel; here all are judged as if two unlike renderers had drawn them.

Picture changes: Changes of a real picture: two that are harmless, and the defects that a comparison must not let pass.

The classes of the founding study, on frames of ours instead of made ones; sizes in pixels are the study's.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from render.capture.channels import NO_BLOCK, Shot
from render.gpu import Gpu
from render.scene_tests.compare import Rgb, channel_steps, compare, flip_errors
from render.scene_tests.verdict import COLOUR, DATA, SEMANTIC, Layer, LayerOutcome
from render.scene_tests.views import EXACT, CapturedView, Renderer
from tests.support.data.pictures import PLACES, TakeBench

# ---------------------------------------------------------------- picture changes

WOBBLE_SHARE: Final = 0.004
PURPLE: Final = (200, 0, 200)
TRIES: Final = 200

Change = Callable[[Shot, np.random.Generator], npt.NDArray[np.floating]]
"""The colours of a shot, changed: [height, width, 3], not rounded or clipped yet."""


def changed(shot: Shot, change: Change, seed: int) -> Rgb:
    """A picture with one change, the same for the same seed."""
    return np.clip(np.rint(change(shot, np.random.default_rng(seed))), 0, 255).astype(np.uint8)


def colours(shot: Shot) -> npt.NDArray[np.floating]:
    assert shot.colour is not None
    return shot.colour[..., :3].astype(np.float64)


def rounding(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """Every channel of every pixel one step up or down."""
    picture = colours(shot)
    return picture + rng.choice([-1, 1], picture.shape)


def wobble(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """0.4 % of all pixels, at borders of texels, show the texel beside."""
    picture = colours(shot)
    rows, columns = np.nonzero((picture[:, 1:] != picture[:, :-1]).any(axis=2))
    many = round(WOBBLE_SHARE * picture[..., 0].size)
    chosen = rng.choice(len(rows), min(many, len(rows)), replace=False)
    rows, columns = rows[chosen], columns[chosen]
    wobbled = picture.copy()
    wobbled[rows, columns + 1] = picture[rows, columns]
    return wobbled


def hole(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """40 x 40 pixels of terrain show the sky."""
    picture = colours(shot)
    picture[_square(shot, 40, rng)] = picture[0].mean(axis=0)
    return picture


def unknown_block(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """8 x 8 pixels are purple."""
    picture = colours(shot)
    picture[_square(shot, 8, rng)] = PURPLE
    return picture


def wrong_block(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """16 x 16 pixels of terrain show what another 16 x 16 show."""
    picture = colours(shot)
    here, there = (_square(shot, 16, rng) for _ in range(2))
    other = picture[there].copy()
    picture[here] = other
    return picture


def light_low(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """160 x 160 pixels as light at level 14 shows them instead of 15."""
    picture = colours(shot)
    picture[_square(shot, 160, rng)] *= _brightness(14) / _brightness(15)
    return picture


def black_light(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """160 x 160 pixels nearly without light."""
    picture = colours(shot)
    picture[_square(shot, 160, rng)] *= 0.1
    return picture


def drift(shot: Shot, _: np.random.Generator) -> npt.NDArray[np.floating]:
    """The whole frame 2 % brighter."""
    return colours(shot) * 1.02


BENIGN: Final[dict[str, Change]] = {"rounding everywhere": rounding, "0.4 % texel wobble": wobble}
DEFECTS: Final[dict[str, Change]] = {
    "hole, 40 x 40": hole,
    "unknown block, 8 x 8": unknown_block,
    "wrong block, 16 x 16": wrong_block,
    "light a level low, 160 x 160": light_low,
    "black light, 160 x 160": black_light,
    "frame 2 % brighter": drift,
}


def _brightness(level: int) -> float:
    """As the picture's shaders make it of a level (docs/develop/render.md)."""
    share = level / 15
    return share * (0.46 + 0.54 * share * share)


def _square(shot: Shot, side_px: int, rng: np.random.Generator) -> tuple[slice, slice]:
    """Of some squares the one with the most terrain."""
    assert shot.block is not None
    terrain = shot.block != NO_BLOCK
    height, width = terrain.shape
    best, best_share = (slice(0, side_px), slice(0, side_px)), -1.0
    for _ in range(TRIES):
        y, x = (int(rng.integers(0, side - side_px)) for side in (height, width))
        square = slice(y, y + side_px), slice(x, x + side_px)
        if (share := float(terrain[square].mean())) > best_share:
            best, best_share = square, share
    return best


# ---------------------------------------------------------------- metric table

pytestmark = pytest.mark.golden

ELSEWHERE = Renderer("elsewhere", 1, "another driver")
SEEN_IN_COLOUR = {
    "noon": {"missing sub-chunk", "unknown block of 64 pixels", "wrong block of 256 pixels"},
    "night": {"missing sub-chunk", "wrong block of 256 pixels", "lamps a level low"},
    "cave": {"missing sub-chunk", "wrong block of 256 pixels", "lamps a level low"},
}
"""Defects of the world that colours alone give away. In the dark a block of another kind is 10 to 20 steps of 255 away,
by day a lamp one level lower fewer: that is what the other two layers are for."""


@pytest.fixture(
    scope="module",
    params=["noon", *(pytest.param(name, marks=pytest.mark.nightly) for name in list(PLACES) if name != "noon")],
)
def bench(request: pytest.FixtureRequest, context: Gpu) -> tuple[str, TakeBench]:
    return request.param, TakeBench(context, PLACES[request.param])


def judged(name: str, expected: CapturedView, actual: CapturedView) -> Layer:
    """The layer of colours, as a line of the table."""
    layer = compare(expected, replace(actual, renderer=ELSEWHERE)).layer(COLOUR)
    pictures = rgb(expected.shot), rgb(actual.shot)
    far = int((channel_steps(*pictures) > 2).sum())
    mean, worst = flip_errors(*pictures).mean(), layer.numbers["worst_tile"]
    print(f"{name:32} {int(layer.numbers['largest']):5} {far:8} {mean:10.4f} {worst:11.4f}")  # noqa: T201 - the table
    return layer


def rgb(shot: Shot) -> Rgb:
    assert shot.colour is not None
    return shot.colour[..., :3]


def painted(take: CapturedView, picture: Rgb) -> CapturedView:
    opaque = np.full((*picture.shape[:2], 1), 255, np.uint8)
    return replace(take, shot=replace(take.shot, colour=np.concatenate([picture, opaque], axis=2)))


def test_colours_tell_harmless_changes_from_defects(bench: tuple[str, TakeBench]) -> None:
    name, taken = bench[0], bench[1].take
    print(f"\n{name:32} {'max':>5} {'pixels>2':>8} {'FLIP mean':>10} {'worst tile':>11}")  # noqa: T201 - as above
    outcomes = {
        change: judged(change, taken, painted(taken, changed(taken.shot, function, seed=1))).outcome
        for change, function in (BENIGN | DEFECTS).items()
    }
    expected = {change: LayerOutcome.PASSED if change in BENIGN else LayerOutcome.FAILED for change in outcomes}
    assert outcomes == expected


def test_defects_of_the_world_fail_whatever_the_renderer(bench: tuple[str, TakeBench]) -> None:
    name, bench_ = bench
    print(f"\n{name}, in the world")  # noqa: T201 - as above
    seen = set()
    for defect, take in bench_.defects():
        if judged(defect, bench_.take, take).outcome is LayerOutcome.FAILED:
            seen.add(defect)
        verdict = compare(bench_.take, replace(take, renderer=ELSEWHERE))
        assert verdict.layer(DATA).outcome is LayerOutcome.FAILED, defect
        assert verdict.layer(SEMANTIC).outcome is LayerOutcome.FAILED, defect
        assert verdict.changed_subchunks, defect
    assert seen >= SEEN_IN_COLOUR[name]


def test_another_driver_that_only_rounds_passes(context: Gpu, tmp_path: Path) -> None:
    """A software renderer as on a CPU without AVX: 4 % to 38 % of the pixels differ."""
    if Renderer.of(context.capabilities).family != EXACT:
        pytest.skip("this is not llvmpipe with AVX2, whose twin without it could be compared")
    file = tmp_path / "takes"
    environment = {**os.environ, "GALLIUM_OVERRIDE_CPU_CAPS": "sse2"}
    subprocess.run([sys.executable, "-m", "tests.support.data.pictures", str(file)], env=environment, check=True)
    print()  # noqa: T201 - as above
    for name, take in pickle.loads(file.read_bytes()).items():
        ours = TakeBench(context, PLACES[name]).take
        assert take.renderer.family == "llvmpipe"
        judged(f"{name}, without AVX", ours, take)
        verdict = compare(ours, take)
        assert verdict.passed, verdict.words
        assert verdict.layer(COLOUR).numbers["differing"] > 0, "it draws the same bits, so nothing was tested"
        assert verdict.layer(SEMANTIC).numbers["edges_differing"] < 50
