"""Our server on a thread of this process: for peers that nobody here wrote."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from net.bedrock.releases import ProtocolRange
from net.server.host import Host
from net.server.options import HostOptions
from net.server.worlds import ServerWorld
from net.transport.udp_server import UdpHost


@contextmanager
def threaded_server(
    world: ServerWorld, protocol: int, options: HostOptions, beside: Sequence[ServerWorld] = ()
) -> Iterator[int]:
    """A server of clients of one protocol, no longer than the block; gives its port on 127.0.0.1."""
    host = Host(world, options, ProtocolRange.only(protocol), time.monotonic(), time.time(), os.urandom, beside=beside)
    server = UdpHost(host)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.address[1]
    finally:
        server.stop()
        thread.join()
