"""The blob cache of a connection: which sources get one, and where it lies.

A server's terrain is kept between visits, unless the user says otherwise: a second visit then transfers ids in the
place of what was seen before. It is off for the embedded server, which is on this machine, and while recording, since a
recording must be complete by itself.
"""

from pathlib import Path
from typing import Final

import platformdirs

from client.connect.options import Options
from client.connect.source import Remote, Source
from net.storage import BlobStore
from net.storage.blob_store import FILE_NAME

FOLDER: Final = "chunkscope"


def open_blob_cache(source: Source, options: Options) -> BlobStore | None:
    """The store for a connection, None where it has none. It never fails: what is wrong with a disk is a warning."""
    wanted = isinstance(source, Remote) if options.cache is None else options.cache
    if not wanted or options.record:
        return None
    return BlobStore((options.cache_dir or cache_folder()) / FILE_NAME)


def cache_folder() -> Path:
    """Where blobs lie unless the user says otherwise; not created here."""
    return Path(platformdirs.user_cache_dir(FOLDER, appauthor=False))
