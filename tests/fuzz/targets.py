"""What is fuzzed: one function of bytes a reader, which raises for a finding alone.

A target is imported when it is asked for: atheris instruments what is imported with it, which took 5 s for all targets
and takes 0.2 to 4 s for one.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

MODULES: Final[Mapping[str, str]] = {
    **{"datagrams": "datagrams", "batches": "packets", "packets": "packets", "entities": "entities"},
    **{"nbt": "subchunks", "subchunks": "subchunks", "recordings": "recordings", "folders": "folders"},
    **{
        "databases": "databases",
        "packs": "packs",
        "settings": "settings",
        "nethernet": "nethernet",
        "dtls": "nethernet",
    },
}
"""The module in this folder of each target; the function has the target's name."""


def load_target(name: str) -> Callable[[bytes], None]:
    """The function of a target; imports what it reads with."""
    target: Callable[[bytes], None] = getattr(import_module(f"tests.fuzz.{MODULES[name]}"), name)
    return target
