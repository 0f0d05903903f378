"""The client's blob cache, without I/O: which packet waits for which blob (wire.md 2.7, 4).

    hear(packet) ──▶ complete, and nothing it touches waits: it leaves as if there were no cache
                 └─▶ it waits; its ids are told in ``statuses``, the server's ClientCacheMissResponse releases it

    source    what a store of blobs is; ids          memory    blobs at hand, over a slower store
    parts     what packets touch; cache-off forms    order     which packet waits for which other one
    asked     ids asked and to be told               held      what waits, its bounds and times
    waiting   the machine                            stats     what it counts

Rules:
1. Only ids that were asked are taken, and only bytes whose xxHash64 is their id; the others are refused and counted.
2. What leaves is complete and in the form it has without a cache, so nobody above knows of blobs.
3. Packets about one place leave in the order in which they came; packets about others pass.
4. Everything is bounded: bytes, parts and ids that wait, and the time they may. What falls out counts as never sent:
   the ledger of requests asks again.
"""

from net.blobs.held import BlobLimits
from net.blobs.memory import MemoryBlobs
from net.blobs.parts import changed_columns
from net.blobs.source import BlobSource, blob_id_of
from net.blobs.stats import BlobStats
from net.blobs.waiting import BlobWaiting

__all__ = ["BlobLimits", "BlobSource", "BlobStats", "BlobWaiting", "MemoryBlobs", "blob_id_of", "changed_columns"]
