"""Threads that write files, so that no session waits for a disk.

blob_store      Blobs of earlier sessions in one SQLite file, shared by all sessions of a user (wire.md 4)
generated_columns
                Cache of generated columns between runs, in one SQLite file
recent_history  The last minutes of a session in memory, bounded: which of its packets and checkpoints are kept
recorder        Writes one recording on a thread of its own
server_save     The server's storages: rows under keys and ticks in one SQLite file each; the save folder
world_files     The files of a world folder, or of one packed into a .mcworld or .zip, for ``net.saved_world``
"""

from net.storage.blob_store import BlobStore
from net.storage.recent_history import HistoryBuffer, Start, TimedTurn
from net.storage.recorder import Arrived, Recorder, Turn

__all__ = ["Arrived", "BlobStore", "HistoryBuffer", "Recorder", "Start", "TimedTurn", "Turn"]
