"""What we know of the world and what we want of it; see README.md beside this file. No GL in here.

The Python API is one call, documented in ``client.connect``:

    >>> import client
    >>> with client.connect("embedded:hills", radius=4) as world:  # doctest: +SKIP
    ...     world.wait_settled()
    ...     world.block((0, 64, 0)).name
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:  # Any: the protocol of module attributes
    """Loads ``client.connect`` when it is first used, so that ``import client`` stays free."""
    if name == "connect":
        return import_module("client.connect")
    raise AttributeError(f"module 'client' has no attribute {name!r}")
