"""What the client's end of the blob cache has counted."""

from net.frozen import frozen


@frozen
class BlobStats:
    """A frozen snapshot.

    Attributes:
        hits: announced blobs that were there already; one in several packets counts in each.
        misses: blobs that were asked for.
        saved_bytes: of the hits' contents, before compression.
        received_bytes: of the contents that were asked for and came.
        unasked: blobs refused because nobody had asked for them, or not any more.
        lying: blobs refused because they do not match their id.
        malformed: packets whose ids cannot be meant.
        timed_out: parts of packets given up because their blobs never came.
        overflowed: parts of packets dropped because too much waited.
        waiting: parts of packets that wait now.
        waiting_bytes: what they hold.
        asked: blobs asked for and not come yet.
    """

    hits: int
    misses: int
    saved_bytes: int
    received_bytes: int
    unasked: int
    lying: int
    malformed: int
    timed_out: int
    overflowed: int
    waiting: int
    waiting_bytes: int
    asked: int
