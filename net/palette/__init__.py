"""Block states and their runtime ids, one list a protocol (wire.md 6.1)."""

from net.palette.palette import CustomStates, Palette
from net.palette.state import BlockState, StateValue

__all__ = ["BlockState", "CustomStates", "Palette", "StateValue"]
