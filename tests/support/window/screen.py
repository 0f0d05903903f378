"""A virtual X screen for tests of the window: Xvfb, real keys and mouse through xdotool, pictures of what is shown.

Pictures are read from the screen's memory, a file that Xvfb keeps (``-fbdir``). The server chooses the display's number
(``-displayfd``), so that tests do not collide. There is no window manager: a test must give a window the keyboard
focus, and the window keeps its requested size.

``python -m tests.support.window.screen TEXT`` is a window that copies a text and runs until its standard input closes.
"""

import ctypes
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from pyglet.libs.x11 import xlib

from render.viewer.input import copied
from render.viewer.window.window import open_window

# ---------------------------------------------------------------- screen

WIDTH, HEIGHT = 1280, 800
PATIENCE_S = 200.0
RESOURCE_MANAGER, XA_STRING = 23, 31
"""Predefined atoms (Xatom.h)."""


def peer_program(name: str) -> str:
    """The path of a program; if it is missing, the test is skipped, or fails with ``CHUNKSCOPE_REQUIRE_PEERS=1``."""
    path = shutil.which(name)
    if path is None:
        reason = f"{name} is not installed"
        if os.environ.get("CHUNKSCOPE_REQUIRE_PEERS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


class Screen(msgspec.Struct, frozen=True):
    """One running display."""

    name: str  # value of ``DISPLAY``
    memory: Path  # its pixels, an X window dump
    unplug: Callable[[], None]  # kills it

    @property
    def environment(self) -> dict[str, str]:
        """The environment of programs that use it."""
        return {**os.environ, "DISPLAY": self.name}

    def do(self, *words: str) -> str:
        """Runs an xdotool command; returns its output."""
        command = [peer_program("xdotool"), *words]
        done = subprocess.run(
            command, env=self.environment, check=True, capture_output=True, text=True, timeout=PATIENCE_S
        )
        return done.stdout.strip()

    def window(self, title: str) -> str:
        """Waits for a visible window with ``title`` in its title and focuses it; returns its number."""
        number = self.do("search", "--sync", "--onlyvisible", "--name", title).splitlines()[0]
        self.do("windowfocus", "--sync", number)
        return number

    def picture(self) -> npt.NDArray[np.uint8]:
        """The pixels of the screen: uint8[height, width, 3], row 0 at the top."""
        return read_xwd(self.memory.read_bytes())

    def ask_to_close(self, window: str) -> None:
        """Sends WM_DELETE_WINDOW, as a window manager does when the user closes a window."""
        display = xlib.XOpenDisplay(self.name.encode())
        event = xlib.XEvent()
        event.xclient.type = xlib.ClientMessage
        event.xclient.window = int(window)
        event.xclient.message_type = xlib.XInternAtom(display, b"WM_PROTOCOLS", False)
        event.xclient.format = 32
        event.xclient.data.l[0] = xlib.XInternAtom(display, b"WM_DELETE_WINDOW", False)
        xlib.XSendEvent(display, int(window), False, 0, event)
        xlib.XCloseDisplay(display)

    def destroy(self, window: str) -> None:
        """Destroys a window of another program without asking it."""
        display = xlib.XOpenDisplay(self.name.encode())
        xlib.XDestroyWindow(display, int(window))
        xlib.XCloseDisplay(display)

    def ask_for_dots(self, dots: float) -> None:
        """Sets Xft.dpi in the display's resources, as desktops with larger text do."""
        text = f"Xft.dpi:\t{dots:.1f}\n".encode()
        display = xlib.XOpenDisplay(self.name.encode())
        root = xlib.XDefaultRootWindow(display)
        bytes_of = ctypes.cast(ctypes.c_char_p(text), ctypes.POINTER(ctypes.c_ubyte))
        xlib.XChangeProperty(display, root, RESOURCE_MANAGER, XA_STRING, 8, 0, bytes_of, len(text))
        xlib.XCloseDisplay(display)

    def cut_off(self, window: str) -> None:
        """Ends the connection of the program that has this window, as xkill does."""
        display = xlib.XOpenDisplay(self.name.encode())
        xlib.XKillClient(display, int(window))
        xlib.XCloseDisplay(display)


def read_xwd(dump: bytes) -> npt.NDArray[np.uint8]:
    """The pixels of an X window dump of 32 bits per pixel: uint8[height, width, 3].

    The header is 25 big-endian words (X11/XWDFile.h): 0 its size, 4 width, 5 height, 11 bits a pixel, 12 bytes a row,
    19 colours; 12 bytes for each colour follow it. Pixels are blue, green, red, unused where bytes run upward.
    """
    header = np.frombuffer(dump, ">u4", 25)
    width, height, bits, row_bytes = (int(header[index]) for index in (4, 5, 11, 12))
    assert bits == 32
    start = int(header[0]) + 12 * int(header[19])
    rows = np.frombuffer(dump, np.uint8, height * row_bytes, start).reshape(height, row_bytes)
    return rows[:, : width * 4].reshape(height, width, 4)[..., 2::-1]


@contextmanager
def screen(gl: bool = True) -> Iterator[Screen]:
    """A display for the context, with or without OpenGL."""
    read_end, write_end = os.pipe()
    folder = tempfile.TemporaryDirectory()
    command = [peer_program("Xvfb"), "-displayfd", str(write_end), "-screen", "0", f"{WIDTH}x{HEIGHT}x24"]
    command += ["+extension" if gl else "-extension", "GLX", "-noreset", "-nolisten", "tcp", "-fbdir", folder.name]
    server = subprocess.Popen(command, pass_fds=(write_end,), stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()  # if Xvfb fails, it closes the pipe
        assert number, "Xvfb did not start"
        yield Screen(f":{number}", Path(folder.name) / "Xvfb_screen0", server.kill)
    finally:
        server.terminate()
        server.wait()
        folder.cleanup()


# ---------------------------------------------------------------- copying window


def run(text: str) -> None:
    """Copies the text, prints the answer as a line, and goes on frame by frame."""
    window = open_window((200, 100), "copies")
    sys.stdout.write(copied(window, text) + "\n")
    sys.stdout.flush()
    while not select.select([sys.stdin], [], [], 1 / 60)[0]:
        window.dispatch_events()
    window.close()


if __name__ == "__main__":
    run(sys.argv[1])
