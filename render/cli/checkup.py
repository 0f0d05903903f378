"""What ``doctor`` looks at. Each check is independent: one that fails hides no other."""

import os
import platform
from importlib import metadata

from net.frozen import frozen
from render.extras import install_line

TESTED_PYTHONS = ("3.11",)
"""On which the whole of ./check ran; ./check pythons tries the others that are here, and one that passes joins."""
TESTED_NUMBA = "0.68"
TESTED_SYSTEMS = (("Linux", "x86_64"),)
NAMES = ("assets", "client", "net", "render", "shaders")


@frozen
class Finding:
    """One check.

    Attributes:
        check: what was looked at.
        ok: whether it is as it should be.
        found: what was found, or the line that mends it.
        needed: whether chunkscope cannot run without it.
    """

    check: str
    ok: bool
    found: str
    needed: bool = True


def checkup() -> list[Finding]:
    """All checks, in the order a user would mend them."""
    return [
        _own_version(), _python(), _tested(), _import_names(), _headless_gl(), _features(), _light(), _display(),
        _kernels(),
        _optional("panels (extra: ui)", "imgui-bundle"), _optional("films as MP4 (extra: film)", "imageio-ffmpeg"),
    ]  # fmt: skip


def _own_version() -> Finding:
    return Finding("chunkscope", True, metadata.version("chunkscope"))


def _python() -> Finding:
    return Finding("Python", True, f"{platform.python_version()} on {platform.platform(terse=True)}")


def _tested() -> Finding:
    """Whether this Python, Numba and system are among those that the tests ran on; others may well do."""
    here = ".".join(platform.python_version_tuple()[:2])
    numba = ".".join(metadata.version("numba").split(".")[:2])
    system = platform.system(), platform.machine()
    odd = [f"Python {here}"] if here not in TESTED_PYTHONS else []
    odd += [f"Numba {numba}"] if numba != TESTED_NUMBA else []
    odd += [" on ".join(reversed(system))] if system not in TESTED_SYSTEMS else []
    systems = ", ".join(f"{name} {machine}" for name, machine in TESTED_SYSTEMS)
    tested = f"Python {', '.join(TESTED_PYTHONS)} with Numba {TESTED_NUMBA} on {systems}"
    if odd:
        return Finding("tested", False, f"{tested} are tested, {' and '.join(odd)} not", needed=False)
    return Finding("tested", True, tested, needed=False)


def _import_names() -> Finding:
    """Five plain names are ours (architecture decision): another owner would shadow us, or we it."""
    owners = metadata.packages_distributions()
    clashes = {name: sorted(set(owners.get(name, [])) - {"chunkscope"}) for name in NAMES}
    clashes = {name: who for name, who in clashes.items() if who}
    if clashes:
        told = "; ".join(f"{name} also belongs to {', '.join(who)}" for name, who in clashes.items())
        return Finding("import names", False, f"{told}: install chunkscope in an environment of its own")
    return Finding("import names", True, ", ".join(NAMES))


def _headless_gl() -> Finding:
    try:
        from render.gpu import Gpu

        gpu = Gpu.standalone()
        try:
            can = gpu.capabilities
            told = f"{can.renderer}, OpenGL {can.version / 100:.1f} ({can.driver})"
            return Finding("OpenGL without a window", True, told)
        finally:
            gpu.release()
    except Exception as error:  # a doctor names every illness, expected or not
        remedy = "" if getattr(error, "too_old", False) else " (Debian: apt-get install libegl1 libgl1)"
        return Finding("OpenGL without a window", False, f"{error}{remedy}")


def _features() -> Finding:
    """What the context can do besides; by features, whoever made it."""
    check = "OpenGL features"
    try:
        from render.gpu import Gpu
        from render.gpu.capabilities import told_features

        gpu = Gpu.standalone()
        try:
            return Finding(check, True, told_features(gpu.capabilities), needed=False)
        finally:
            gpu.release()
    except Exception as error:
        return Finding(check, False, str(error), needed=False)


def _light() -> Finding:
    """Which light is drawn: the CPU's, and whether ``--light gpu`` would draw the other."""
    check = "light"
    try:
        from render.gpu import Gpu
        from render.gpu.capabilities import no_compute

        gpu = Gpu.standalone()
        try:
            can = gpu.capabilities
        finally:
            gpu.release()
    except Exception as error:
        return Finding(check, False, str(error), needed=False)
    if not can.computes:
        return Finding(check, True, no_compute(can), needed=False)
    advice = "slower here, where a CPU does both" if can.software else "compare frame times in the HUD"
    return Finding(check, True, f"made on the CPU; --light gpu makes the same on the GPU ({advice})", needed=False)


def _display() -> Finding:
    if platform.system() == "Linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return Finding("display", False, "none here: `view` needs one, `shot` and `dump` do not", needed=False)
    return Finding("display", True, os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or "native")


def _kernels() -> Finding:
    from client.kernel_cache import cache_directory, is_warm
    from render.cli.warm import PACKAGES

    warm = is_warm(PACKAGES)
    state = "compiled" if warm else "not compiled yet; the first start does it in ten to twenty seconds"
    return Finding("kernels", True, f"{state} ({cache_directory()})")


def _optional(check: str, package: str) -> Finding:
    try:
        return Finding(check, True, f"{package} {metadata.version(package)}", needed=False)
    except metadata.PackageNotFoundError:
        return Finding(check, False, install_line(package), needed=False)
