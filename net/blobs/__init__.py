"""The client's blob cache, without I/O: which packet waits for which blob (wire.md 2.7, 4).

    client_cache  The machine: packets in, packets without blobs out; what a store of blobs is, and what their ids are
    pending       Parts of packets that wait: how many may, for what, and for how long

    receive(packet) ──▶ complete, and nothing it touches waits: it leaves as if there were no cache
                 └─▶ it waits; its ids are told in ``statuses``, the server's ClientCacheMissResponse releases it

Rules:
1. Only ids that were asked are taken, and only bytes whose xxHash64 is their id; the others are refused and counted.
2. What leaves is complete and in the form it has without a cache, so nobody above knows of blobs.
3. Packets about one place leave in the order in which they came; packets about others pass.
4. Everything is bounded: bytes, parts and ids that wait, and the time they may. What falls out counts as never sent:
   the ledger of requests asks again.
"""

from net.blobs.client_cache import BlobSource, BlobStats, BlobWaiting, MemoryBlobs, blob_id_of
from net.blobs.pending import BlobLimits

__all__ = ["BlobLimits", "BlobSource", "BlobStats", "BlobWaiting", "MemoryBlobs", "blob_id_of"]
