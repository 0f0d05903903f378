"""The client's blob cache, without I/O: which packet waits for which blob (wire.md 2.7, 4).

    client_cache  Replaces blob ids in packets by their blobs; the interface of blob stores, and blob ids
    pending       Packets, or parts of them, that wait for blobs: their order, limits and timeouts

    receive(packet) ──▶ complete, and nothing that it touches waits: it is returned as if there were no cache
                 └─▶ it waits; ``statuses`` reports its ids, the server's ClientCacheMissResponse releases it

Rules:
1. Only blobs that were requested are accepted, and only if their xxHash64 is their id; others are rejected and counted.
2. Returned packets are complete and in the form without a cache, so no layer above depends on blobs.
3. Packets about one place are returned in the order of their arrival; packets about different places may overtake each
   other.
4. Everything has limits: bytes, parts and ids that wait, and the time that they wait. A dropped part counts as never
   sent: the ledger of requests requests it again.
"""

from net.blobs.client_cache import BlobSource, BlobStats, BlobWaiting, MemoryBlobs, blob_id_of
from net.blobs.pending import BlobLimits

__all__ = ["BlobLimits", "BlobSource", "BlobStats", "BlobWaiting", "MemoryBlobs", "blob_id_of"]
