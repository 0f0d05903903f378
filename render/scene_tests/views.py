"""One take of a view as it is compared, and the key of the renderer that drew it.

Theory (gl.md 6). Baselines store colours by renderer key. llvmpipe draws the same bits in each process, with any number
of threads and any vector width, on every CPU with AVX2. Without AVX2 it rounds differently, so such CPUs have another
key. ``GALLIUM_OVERRIDE_CPU_CAPS`` makes Mesa assume a lesser CPU: with ``avx`` pictures stay the same, below that they
do not. The key contains Mesa's major version, since a new one may round differently, or the version of another driver.

Limits: CPU flags are read from Linux's /proc/cpuinfo. On other systems AVX2 counts as absent, so colours are compared
by tolerance.
"""

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from render.capture.channels import Shot
from render.gpu.capabilities import Capabilities
from render.scene_tests.compare_data import DataTruth

# ---------------------------------------------------------------- renderer

EXACT: Final = "llvmpipe-avx2"
"""The family whose pictures are the same bit for bit."""

CPU_FLAGS: Final = Path("/proc/cpuinfo")
CAPPED_BELOW_AVX: Final = frozenset({"nosse", "sse", "sse2", "sse3", "ssse3", "sse4.1"})

FAMILIES: Final = {
    **{
        name: name
        for name in ("llvmpipe", "softpipe", "zink", "virgl", "d3d12", "svga3d", "nouveau", "radeonsi", "nvidia")
    },
    "geforce": "nvidia", "intel": "intel", "radeon": "amd", "apple": "apple",
}  # fmt: skip
"""Substrings of renderer or vendor names with their driver family; the first match counts."""


class Renderer(msgspec.Struct, frozen=True):
    """What drew a picture."""

    family: str  # lower case, letters, digits and dashes: ``llvmpipe-avx2``, ``llvmpipe``, ``nvidia``
    major: int  # Mesa's major version, or else the driver's own; 0 where it names none
    words: str  # the GL strings, for people

    @property
    def key(self) -> str:
        """Family and major version, fit for a file's name: ``llvmpipe-avx2-25``."""
        return f"{self.family}-{self.major}"

    def draws_exactly_as(self, other: "Renderer") -> bool:
        """Whether pictures of both must be the same bit for bit."""
        return self.family == EXACT and self.key == other.key

    @classmethod
    def of(cls, capabilities: Capabilities, avx2: bool | None = None) -> "Renderer":
        """The renderer of a context; ``avx2`` says whether it may use AVX2, asked of this CPU unless given."""
        family = _family(f"{capabilities.renderer} {capabilities.vendor}")
        if family == "llvmpipe" and (uses_avx2() if avx2 is None else avx2):
            family = EXACT
        words = f"{capabilities.renderer}; {capabilities.vendor}; {capabilities.driver}"
        return cls(family, _major(capabilities.driver), words)


def uses_avx2(environment: Mapping[str, str] = os.environ, flags: Path = CPU_FLAGS) -> bool:
    """Whether llvmpipe draws with AVX2 here, or, by ``GALLIUM_OVERRIDE_CPU_CAPS``, as if it did."""
    if environment.get("GALLIUM_OVERRIDE_CPU_CAPS", "") in CAPPED_BELOW_AVX:
        return False
    try:
        listed = flags.read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return platform.machine() in {"x86_64", "AMD64"} and re.search(r"^flags\s*:.*\bavx2\b", listed, re.M) is not None


def _family(words: str) -> str:
    lower = words.lower()
    for needle, family in FAMILIES.items():
        if needle in lower:
            return family
    first = re.search(r"[a-z0-9]+", lower)
    return first.group() if first else "unknown"


def _major(driver: str) -> int:
    """``4.5 (Core Profile) Mesa 22.3.6`` is 22, ``4.6.0 NVIDIA 550.54`` is 550, ``4.1 Metal - 88`` is 88."""
    named = re.search(r"Mesa (\d+)", driver) or re.search(r"[A-Za-z][^\d]*(\d+)", driver)
    return int(named.group(1)) if named else 0


class CapturedView(msgspec.Struct, frozen=True):
    """One view of one run, or what was accepted of it; then any part may be missing."""

    shot: Shot  # colour and semantic channels; accepted ones without colour have none for this renderer
    data: DataTruth | None  # what was known and made of it; None where nothing was accepted
    renderer: Renderer  # what drew the colours
    scene_digest: str = ""  # of the scene file when it was accepted; empty where that is not known
