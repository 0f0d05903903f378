"""What the layers tell apart, measured on frames of ours: run with ``-s`` for the table in docs/develop/render.md.

The same classes twice: painted into the picture, and really made in the world. On a renderer that draws the same bits
every one of them fails by a single pixel; here all are judged as if two unlike renderers had drawn them.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from render.capture.channels import Shot
from render.gpu import Gpu
from render.scene_tests.compare import Rgb, channel_steps, compare, flip_errors
from render.scene_tests.verdict import COLOUR, DATA, SEMANTIC, Layer, LayerOutcome
from render.scene_tests.views import EXACT, CapturedView, Renderer
from tests.support.picture_changes import BENIGN, DEFECTS, changed
from tests.support.take_bench import PLACES, TakeBench

pytestmark = pytest.mark.golden

ELSEWHERE = Renderer("elsewhere", 1, "another driver")
SEEN_IN_COLOUR = {
    "noon": {"missing sub-chunk", "unknown block of 64 pixels", "wrong block of 256 pixels"},
    "night": {"missing sub-chunk", "unknown block of 64 pixels", "lamps a level low"},
    "cave": {"missing sub-chunk", "wrong block of 256 pixels", "lamps a level low"},
}
"""Defects of the world that colours alone give away. In the dark a block of another kind is 10 to 20 steps of 255 away,
by day a lamp one level lower fewer: that is what the other two layers are for."""


@pytest.fixture(scope="module", params=list(PLACES))
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
    subprocess.run([sys.executable, "-m", "tests.support.take_bench", str(file)], env=environment, check=True)
    print()  # noqa: T201 - as above
    for name, take in pickle.loads(file.read_bytes()).items():
        ours = TakeBench(context, PLACES[name]).take
        assert take.renderer.family == "llvmpipe"
        judged(f"{name}, without AVX", ours, take)
        verdict = compare(ours, take)
        assert verdict.passed, verdict.words
        assert verdict.layer(COLOUR).numbers["differing"] > 0, "it draws the same bits, so nothing was tested"
        assert verdict.layer(SEMANTIC).numbers["edges_differing"] < 50
