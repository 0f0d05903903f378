"""Texts that had room for a camera near by stay while it moves, and those of its own come when it rests."""

from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace

from render.camera import Camera
from render.gpu import Gpu, Target
from render.passes.overlay.labels import Labels, LabelsPass

pytestmark = pytest.mark.gpu

SIZE = (320, 180)
CAMERA = Camera((0.5, 0.5, 0.5), 0.0, 0.0, 70.0, SIZE[0] / SIZE[1])
BESIDE = replace(CAMERA, yaw_deg=2.0)
"""Sees the second text, too: larger angles look further to the right."""


@pytest.fixture(scope="module")
def labels(context: Gpu) -> Iterator[LabelsPass]:
    labels = LabelsPass(context)
    yield labels
    labels.release()


@pytest.fixture(scope="module")
def target(context: Gpu) -> Iterator[Target]:
    target = Target(context, SIZE)
    yield target
    target.release()


def two_texts() -> Labels:
    """One before the first camera, one just beside its picture."""
    aside = CAMERA.rays[1]
    points = [np.array(CAMERA.forward) * 20.0, (np.array(CAMERA.forward) + np.array(aside) * 1.02) * 20.0]
    return Labels.of(np.array(points) + 0.5, ["abc", "defgh"])


def characters(labels: LabelsPass, target: Target, texts: Labels, *cameras: Camera, ahead: bool = True) -> list[int]:
    """How many are drawn in each of some frames."""
    target.begin()
    return [labels.draw(target, camera, [(texts, 0.0)], ahead) for camera in cameras]


def test_a_camera_that_moves_a_little_keeps_the_texts_and_one_that_rests_has_its_own(
    labels: LabelsPass, target: Target
) -> None:
    assert characters(labels, target, two_texts(), CAMERA, BESIDE, BESIDE, BESIDE) == [3, 3, 8, 8]


def test_a_camera_that_moves_far_or_into_another_block_or_for_one_picture_has_its_own(
    labels: LabelsPass, target: Target
) -> None:
    far, other = replace(CAMERA, yaw_deg=4.0), replace(BESIDE, eye=(0.5, 1.01, 0.5))
    assert characters(labels, target, two_texts(), CAMERA, far) == [3, 8]
    assert characters(labels, target, two_texts(), replace(CAMERA, eye=(0.5, 0.99, 0.5)), other) == [3, 8]
    assert characters(labels, target, two_texts(), CAMERA, BESIDE, ahead=False) == [3, 8]
