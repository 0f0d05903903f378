"""The key under which colours are accepted."""

from pathlib import Path

import pytest

from render.gpu.capabilities import Capabilities
from render.scene_tests.views import Renderer, uses_avx2

SEEN = {
    ("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa/X.org", "4.5 (Core Profile) Mesa 22.3.6"): "llvmpipe-avx2-22",
    ("llvmpipe (LLVM 19.1.7, 256 bits)", "Mesa", "4.5 (Core Profile) Mesa 25.0.7-2"): "llvmpipe-avx2-25",
    ("softpipe", "Mesa/X.org", "3.3 (Core Profile) Mesa 22.3.6"): "softpipe-22",
    ("NVIDIA H100/PCIe/SSE2", "NVIDIA Corporation", "4.6.0 NVIDIA 550.54.15"): "nvidia-550",
    ("NVE7", "nouveau", "4.3 (Core Profile) Mesa 24.2.1"): "nouveau-24",
    ("AMD Radeon RX 6600 (radeonsi, navi23)", "AMD", "4.6 (Core Profile) Mesa 24.0.3"): "radeonsi-24",
    ("AMD Radeon RX 6600", "ATI Technologies Inc.", "4.6.0 Core Profile Context 23.10.2"): "amd-23",
    ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "Intel", "4.6 (Core Profile) Mesa 23.1.0"): "intel-23",
    ("Apple M1", "Apple", "4.1 Metal - 88"): "apple-88",
    ("zink Vulkan 1.3(NVIDIA A10)", "Collabora Ltd", "4.6 (Core Profile) Mesa 24.1.0"): "zink-24",
    ("Mystery-9000!", "", "4.1"): "mystery-0",
    ("", "", ""): "unknown-0",
}


@pytest.mark.parametrize(("strings", "key"), list(SEEN.items()))
def test_the_key_is_family_and_major_version(strings: tuple[str, str, str], key: str) -> None:
    renderer, vendor, driver = strings
    assert Renderer.of(Capabilities(330, renderer, vendor, driver, 0, 0, 0), avx2=True).key == key


def test_llvmpipe_without_avx2_is_another_family_and_never_exact() -> None:
    capabilities = Capabilities(450, "llvmpipe (LLVM 15.0.6, 128 bits)", "Mesa", "4.5 Mesa 22.3.6", 0, 0, 0)
    with_avx2, without = (Renderer.of(capabilities, avx2=avx2) for avx2 in (True, False))
    assert without.key == "llvmpipe-22"
    assert with_avx2.draws_exactly_as(with_avx2)
    assert not without.draws_exactly_as(without)
    assert not with_avx2.draws_exactly_as(without)


@pytest.mark.parametrize(
    ("flags", "capped", "expected"),
    [
        ("flags\t\t: fpu sse4_1 avx avx2 bmi2", None, True),
        ("flags\t\t: fpu sse4_1 avx avx2", "avx", True),
        ("flags\t\t: fpu sse4_1 avx avx2", "sse4.1", False),
        ("flags\t\t: fpu sse4_1 avx", None, False),
        ("flags\t\t: fpu avx2_of_another_kind", None, False),
        ("model name\t: avx2 in name only\nflags\t\t: fpu", None, False),
    ],
)
def test_avx2_is_what_the_cpu_has_and_mesa_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, capped: str | None, expected: bool
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    listed = tmp_path / "cpuinfo"
    listed.write_text(f"processor\t: 0\n{flags}\n")
    environment = {} if capped is None else {"GALLIUM_OVERRIDE_CPU_CAPS": capped}
    assert uses_avx2(environment, listed) is expected


def test_a_system_that_lists_no_flags_has_no_avx2(tmp_path: Path) -> None:
    assert not uses_avx2({}, tmp_path / "nothing")
