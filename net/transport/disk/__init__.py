"""Threads that write files, so that nobody who talks to a server waits for a disk.

turns         from the owner to such a thread
recorder      one recording, written as it happens
ring          the last minutes, in memory
ring_parts    what they are made of, and how that thins
blob_store    blobs of earlier sessions, for the cache of the next
"""

from net.transport.disk.blob_store import BlobStore
from net.transport.disk.recorder import Arrived, Recorder, Turn
from net.transport.disk.ring import Ring
from net.transport.disk.ring_parts import Noted, Start

__all__ = ["Arrived", "BlobStore", "Noted", "Recorder", "Ring", "Start", "Turn"]
