"""The comparison of goldens: what it lets pass, what it writes, and what it refuses to accept."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from PIL import Image

from render.gpu import Gpu
from tests.support import golden_pictures
from tests.support.golden_pictures import Goldens, difference, renderer_key

LLVMPIPE = ("llvmpipe (LLVM 15.0.6, 256 bits)", "4.5 (Core Profile) Mesa 22.3.6")
NEWER = ("llvmpipe (LLVM 19.1.7, 256 bits)", "4.5 (Core Profile) Mesa 25.0.7")
CARD = ("NVIDIA H200/PCIe/SSE2", "4.6.0 NVIDIA 570.1")


def goldens(folder: Path, renderer: tuple[str, str] = LLVMPIPE, accept: bool = False) -> Goldens:
    capabilities = SimpleNamespace(renderer=renderer[0], driver=renderer[1])
    gpu = cast(Gpu, SimpleNamespace(capabilities=capabilities))
    return Goldens(folder / "baselines", folder / "failed", gpu, accept)


@pytest.fixture(autouse=True)
def _avx2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_pictures, "has_avx2", lambda: True)


def picture(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (60, 80, 4), dtype=np.uint8)


def one_step(pixels: np.ndarray) -> np.ndarray:
    changed = pixels.copy()
    changed[7, 9, 1] ^= 1
    return changed


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def test_one_channel_by_one_step_fails_on_llvmpipe_and_names_three_files(tmp_path: Path) -> None:
    goldens(tmp_path, accept=True).check("hills", picture)
    goldens(tmp_path).check("hills", picture)
    with pytest.raises(AssertionError, match="1 of 4800 pixels differ") as failure:
        goldens(tmp_path).check("hills", lambda: one_step(picture()))
    written = {"hills.actual.png", "hills.expected.png", "hills.difference.png"}
    assert names(tmp_path / "failed") == written
    assert all(str(tmp_path / "failed" / name) in str(failure.value) for name in written)


def test_a_renderer_of_another_family_may_be_off_a_little_and_no_more(tmp_path: Path) -> None:
    goldens(tmp_path, accept=True).check("hills", picture)
    card = goldens(tmp_path, CARD)
    assert not card.exact
    card.check("hills", lambda: one_step(picture()))
    holed = picture()
    holed[:8, :8] = 255 - holed[:8, :8]
    with pytest.raises(AssertionError, match="by more than 8"):
        card.check("hills", lambda: holed)


def test_a_llvmpipe_without_avx2_is_compared_with_tolerance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_pictures, "has_avx2", lambda: False)
    assert not goldens(tmp_path).exact


def test_a_missing_baseline_fails_and_shows_the_picture(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="there is no accepted picture"):
        goldens(tmp_path).check("hills", picture)
    assert names(tmp_path / "failed") == {"hills.actual.png"}


def test_a_picture_of_another_size_differs_everywhere(tmp_path: Path) -> None:
    assert difference(picture()[:30, :, :3], picture()[:, :, :3]).pixels == 30 * 80
    goldens(tmp_path, accept=True).check("hills", picture)
    with pytest.raises(AssertionError, match="2400 of 2400"):
        goldens(tmp_path).check("hills", lambda: picture()[:30])


def test_an_unstable_picture_is_not_accepted(tmp_path: Path) -> None:
    drawn = iter((picture(), one_step(picture())))
    with pytest.raises(AssertionError, match="not stable"):
        goldens(tmp_path, accept=True).check("hills", lambda: next(drawn))
    assert names(tmp_path / "baselines") == set()


def test_accepting_leaves_what_is_the_same_and_replaces_what_differs(tmp_path: Path) -> None:
    goldens(tmp_path, accept=True).check("hills", picture)
    path = tmp_path / "baselines" / "hills.png"
    before = path.stat().st_mtime_ns
    drawn: Iterable[np.ndarray] = iter((picture(),))  # once is enough where nothing differs
    goldens(tmp_path, accept=True).check("hills", lambda: next(iter(drawn)))
    assert path.stat().st_mtime_ns == before
    goldens(tmp_path, accept=True).check("hills", lambda: picture(2))
    assert names(tmp_path / "baselines") == {"hills.png"}
    goldens(tmp_path).check("hills", lambda: picture(2))


def test_a_renderer_that_draws_otherwise_gets_a_picture_of_its_own(tmp_path: Path) -> None:
    goldens(tmp_path, accept=True).check("hills", picture)
    goldens(tmp_path, NEWER, accept=True).check("hills", lambda: one_step(picture()))
    assert names(tmp_path / "baselines") == {"hills.png", "hills.llvmpipe-mesa25.png"}
    goldens(tmp_path).check("hills", picture)
    goldens(tmp_path, NEWER).check("hills", lambda: one_step(picture()))
    with Image.open(tmp_path / "baselines" / "hills.llvmpipe-mesa25.png") as image:
        assert (image.info["Renderer"], image.info["Driver"]) == NEWER


def test_keys_name_the_family_and_mesas_major_version() -> None:
    assert [renderer_key(*each) for each in (LLVMPIPE, NEWER, CARD)] == ["llvmpipe-mesa22", "llvmpipe-mesa25", "nvidia"]
