"""Threads that write files, so that nobody who talks to a server waits for a disk.

recorder      one recording, written as it happens
blob_store    blobs of earlier sessions, for the cache of the next
"""

from net.transport.disk.blob_store import BlobStore
from net.transport.disk.recorder import Recorder

__all__ = ["BlobStore", "Recorder"]
