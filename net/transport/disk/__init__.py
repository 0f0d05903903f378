"""Threads that write files, so that nobody who talks to a server waits for a disk.

recorder    one recording, written as it happens
"""

from net.transport.disk.recorder import Recorder

__all__ = ["Recorder"]
