"""Errors of the client's world."""


class WorldError(Exception):
    """The world was asked for something it cannot do: a bug of the caller's, or a full pool."""


class OutOfSlots(WorldError):
    """A pool has no free slot left.

    Attributes:
        what: the pool.
        capacity: how many slots it has.
    """

    def __init__(self, what: str, capacity: int) -> None:
        super().__init__(f"all {capacity} slots of the {what} pool are in use")
        self.what = what
        self.capacity = capacity
