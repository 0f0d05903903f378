"""Pictures that are compared with what was seen and accepted before.

Rules (gl.md 6):
1. On llvmpipe, on a CPU with AVX2, pictures are equal or different: one channel of one pixel by one step is a failure.
   It was measured that processes, thread counts, vector widths, Mesa 22 and 25 do not change them.
2. Elsewhere at most ``FAR_SHARE`` of the pixels may be off by more than ``FAR_STEPS``, and the mean of all channels by
   less than ``MEAN_STEPS``.
3. ``<name>.png`` serves every renderer; ``<name>.<renderer>.png`` replaces it where a renderer family or Mesa's major
   version is known to draw otherwise. Each holds in its labels what drew it.
4. Accepting draws twice, from nothing, and refuses a picture that is not the same both times.
"""

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from render.gpu import Gpu
from render.gpu.png import write_png
from render.gpu.target import Pixels

FAR_STEPS = 8
FAR_SHARE = 0.005
MEAN_STEPS = 1.0
AMPLIFIED = 8
"""How much brighter differences are shown than they are."""

Rgb = npt.NDArray[np.uint8]
"""[height, width, 3], row 0 at the top."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two pictures of one size differ.

    Attributes:
        pixels: of them differ at all.
        far: of them by more than ``FAR_STEPS``.
        largest: difference of a channel, 0..255.
        mean: difference of all channels.
        total: pixels of the picture.
    """

    pixels: int
    far: int
    largest: int
    mean: float
    total: int

    def tolerable(self, exact: bool) -> bool:
        """Whether they count as the same picture."""
        if exact:
            return self.pixels == 0
        return self.far <= FAR_SHARE * self.total and self.mean < MEAN_STEPS

    def __str__(self) -> str:
        return (
            f"{self.pixels} of {self.total} pixels differ, {self.far} by more than {FAR_STEPS}, at most {self.largest}"
        )


def difference(one: Rgb, other: Rgb) -> Difference:
    """Compares two pictures; those of different sizes differ everywhere."""
    if one.shape != other.shape:
        return Difference(one[..., 0].size, one[..., 0].size, 255, 255.0, one[..., 0].size)
    apart = np.abs(one.astype(np.int16) - other.astype(np.int16))
    worst = apart.max(axis=2)
    return Difference(
        int((worst > 0).sum()), int((worst > FAR_STEPS).sum()), int(worst.max()), float(apart.mean()), worst.size
    )


def renderer_key(renderer: str, driver: str) -> str:
    """Family and Mesa's major version: ``llvmpipe-mesa22``."""
    family = re.match(r"[a-z0-9]+", renderer.lower())
    mesa = re.search(r"Mesa (\d+)", driver)
    return (family.group() if family else "unknown") + (f"-mesa{mesa.group(1)}" if mesa else "")


def has_avx2() -> bool:
    """Whether this CPU has AVX2, as far as the system says so."""
    flags = Path("/proc/cpuinfo")
    return platform.machine() in {"x86_64", "AMD64"} and flags.exists() and " avx2 " in flags.read_text()


class Goldens:
    """One folder of accepted pictures, for one renderer.

    Args:
        baselines: the folder.
        failed: where pictures that failed are written.
        gpu: what draws.
        accept: whether pictures that are missing or differ are written instead of failing.
    """

    def __init__(self, baselines: Path, failed: Path, gpu: Gpu, accept: bool) -> None:
        self._baselines = baselines
        self._failed = failed
        self._accept = accept
        self._labels = {"Renderer": gpu.capabilities.renderer, "Driver": gpu.capabilities.driver}
        self.key = renderer_key(gpu.capabilities.renderer, gpu.capabilities.driver)
        self.exact = "llvmpipe" in gpu.capabilities.renderer and has_avx2()

    def path(self, name: str) -> Path:
        """The accepted picture of that name for this renderer; it may not exist."""
        own = self._baselines / f"{name}.{self.key}.png"
        return own if own.exists() else self._baselines / f"{name}.png"

    def compare(self, name: str, pixels: Pixels) -> Difference | None:
        """Against the accepted picture; None where there is none."""
        path = self.path(name)
        return difference(pixels[..., :3], _read(path)) if path.exists() else None

    def check(self, name: str, draw: Callable[[], Pixels]) -> None:
        """Fails unless ``draw`` gives the accepted picture.

        Raises:
            AssertionError: it differs, is missing, or is not stable; names the files to look at.
        """
        pixels = draw()
        found = self.compare(name, pixels)
        if found is not None and found.tolerable(self.exact):
            return
        if self._accept:
            self._take(name, pixels, draw())
            return
        files = self._write_failure(name, pixels)
        why = "there is no accepted picture" if found is None else str(found)
        raise AssertionError(f"{name}: {why}; see {', '.join(map(str, files))}. Accept with --accept.")

    def _take(self, name: str, pixels: Pixels, again: Pixels) -> None:
        unstable = difference(pixels[..., :3], again[..., :3])
        assert unstable.pixels == 0, f"{name} is not stable, so not accepted: of two pictures {unstable}"
        common = self._baselines / f"{name}.png"
        ours = not common.exists() or _label(common, "Key") == self.key
        path = common if ours else self._baselines / f"{name}.{self.key}.png"
        self._baselines.mkdir(parents=True, exist_ok=True)
        write_png(path, pixels, {**self._labels, "Key": self.key})

    def _write_failure(self, name: str, pixels: Pixels) -> list[Path]:
        self._failed.mkdir(parents=True, exist_ok=True)
        actual = self._failed / f"{name}.actual.png"
        write_png(actual, pixels, self._labels)
        path = self.path(name)
        if not path.exists():
            return [actual]
        expected = self._failed / f"{name}.expected.png"
        expected.write_bytes(path.read_bytes())
        accepted = _read(path)
        if accepted.shape != pixels[..., :3].shape:
            return [actual, expected]
        apart = np.abs(pixels[..., :3].astype(np.int16) - accepted)
        shown = self._failed / f"{name}.difference.png"
        Image.fromarray(np.minimum(apart * AMPLIFIED, 255).astype(np.uint8)).save(shown)
        return [actual, expected, shown]


def _read(path: Path) -> Rgb:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).copy()


def _label(path: Path, keyword: str) -> str:
    with Image.open(path) as image:
        return str(image.info.get(keyword, ""))
