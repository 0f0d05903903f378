"""Unsigned varints in bytes that nobody else reads: tables and batches hold them by the thousand."""

from net.errors import FolderError


def varint(data: bytes, at: int) -> tuple[int, int]:
    """(value, next offset) of the varint at ``at``, 64 bits at most.

    Raises:
        FolderError: the bytes end in it, or it is longer than ten.
    """
    value = shift = 0
    while shift < 70:
        if at >= len(data):
            raise FolderError("a number is cut")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise FolderError("a number is longer than ten bytes")


def prefixed(data: bytes, at: int) -> tuple[bytes, int]:
    """(bytes, next offset) of a length and so many bytes.

    Raises:
        FolderError: there are fewer.
    """
    length, at = varint(data, at)
    if length > len(data) - at:
        raise FolderError(f"{length} bytes are announced, {len(data) - at} are there")
    return data[at : at + length], at + length
