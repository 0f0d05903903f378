"""Chance for a session: a machine whose replay must be what it was, so its chance comes from what is recorded."""

from collections.abc import Callable
from hashlib import sha256


def entropy_of(started_at: float) -> Callable[[int], bytes]:
    """Gives up to 32 bytes that differ between clients, and not between a session and its replay.

    Args:
        started_at: when the session was made, monotonic seconds; a recording holds it.
    """
    return lambda size: sha256(repr(started_at).encode()).digest()[:size]
