"""The test environment of a user: a virtual environment with only pytest, xdist and our plug-in's wheel."""

import subprocess
import sys
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PLUGIN = Path(__file__).parents[3] / "render" / "pytest_plugin"
BORROWED = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "pytest-xdist", "execnet", "colorama")
"""What the plug-in and its tests need, by links to this environment's: no registry is asked."""


def plugin_wheel(folder: Path) -> Path:
    """Builds the plug-in's wheel."""
    command = [
        sys.executable,
        "-m",
        "build",
        "--quiet",
        "--no-isolation",
        "--wheel",
        "--outdir",
        str(folder),
        str(PLUGIN),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def stranger_environment(folder: Path) -> Path:
    """Makes the environment; gives its interpreter."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in BORROWED:
        _link(name, site)
    with zipfile.ZipFile(plugin_wheel(folder / "wheel")) as wheel:
        wheel.extractall(site)
    return folder / "bin" / "python"


def _link(name: str, site: Path) -> None:
    """Links a distribution's top-level files and folders."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    for top in {path.parts[0] for path in found.files or () if path.parts[0] != ".."}:
        target = Path(str(found.locate_file(top)))
        if target.exists() and not (site / top).exists():
            (site / top).symlink_to(target)
