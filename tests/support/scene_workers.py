"""Lives of processes that a suite could meet; each is told scenes by name what to do with them.

``dies`` and ``hangs`` do so whenever that scene is ordered; any other scene passes.
"""

import os
import signal
import threading
from multiprocessing.connection import Connection

from render.scene_tests.results import SceneResult
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict
from render.scene_tests.views import Renderer
from render.scene_tests.worker import Broken, Captured, CaptureOrder, Ready

PASSED = Verdict((Layer("data", LayerOutcome.PASSED, "the same", {}),))
RENDERER = Renderer("llvmpipe-avx2", 25, "none")


def sound(parent: Connection) -> None:
    """Takes everything but what kills or holds it."""
    parent.send(Ready(RENDERER))
    try:
        while True:
            order: CaptureOrder = parent.recv()
            if order.scene.name == "dies":
                os._exit(7)
            if order.scene.name == "hangs":
                threading.Event().wait()
            parent.send(Captured(tuple(SceneResult(order.scene, view, PASSED) for view in order.scene.views)))
    except EOFError:
        pass


def without_gl(parent: Connection) -> None:
    """Cannot draw."""
    parent.send(Broken("OpenGL 3.3 is needed", 5))


def stillborn(parent: Connection) -> None:
    """Ends before it says anything."""
    del parent
    os._exit(9)


def deaf(parent: Connection) -> None:
    """Ends with code 9 unless interrupts were held back from its first moment on."""
    if signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        os._exit(9)
    sound(parent)
