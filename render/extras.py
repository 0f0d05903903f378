"""The line that installs an optional package where this program runs.

It names the package, not an extra of ours: pip asks an index for that, and a checkout lies in none.
It names the interpreter, since ``pip`` alone is that of whatever environment a shell has.
"""

import shlex
import sys


def install_line(package: str) -> str:
    """What to type, e.g. ``/home/me/chunkscope/.venv/bin/python -m pip install matplotlib``."""
    return f"{shlex.quote(sys.executable)} -m pip install {package}"
