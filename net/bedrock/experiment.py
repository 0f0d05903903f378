"""Experiments: switches of the world that StartGame and ResourcePackStack both list."""

from net.frozen import frozen
from net.wire.fields import BOOL, STRING, U32LE, Field, Record, listed


@frozen
class Experiment:
    """One switch.

    Attributes:
        name: as the game calls it.
        enabled: its position.
    """

    name: str
    enabled: bool


EXPERIMENTS = listed(Record(Experiment, (Field("name", STRING), Field("enabled", BOOL))).kind, U32LE)
