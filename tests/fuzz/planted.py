"""Targets with a fault that is meant to be found: they prove that a finding fails the run."""

from collections.abc import Callable, Mapping
from typing import Final

MAGIC: Final = b"!"


def crash(data: bytes) -> None:
    """Raises what nobody promised."""
    if data[:1] == MAGIC:
        raise KeyError("planted")


def hang(data: bytes) -> None:
    """Never ends."""
    while data[:1] == MAGIC:
        pass


def hoard(data: bytes) -> None:
    """Takes 256 MiB, and gives them back."""
    if data[:1] == MAGIC:
        bytearray(256 << 20)


def nothing(data: bytes) -> None:
    """No fault."""


def overrun(data: bytes) -> None:
    """A kernel reads beside its array."""
    from tests.fuzz import planted_kernel  # noqa: PLC0415 - see there

    planted_kernel.overrun(data)


_TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    f"planted-{target.__name__}": target for target in (crash, hang, hoard, nothing, overrun)
}
NAMES: Final = tuple(_TARGETS)


def target(name: str) -> Callable[[bytes], None]:
    """One of ``NAMES``."""
    return _TARGETS[name]
