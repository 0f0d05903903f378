"""A window that has copied something, and lives until its standard input is closed; a process of its own.

python -m tests.support.copying_window TEXT
"""

import select
import sys

from render.viewer.window.clipboard import copied
from render.viewer.window.window import open_window


def run(text: str) -> None:
    """Copies, says so in a line, and goes on as a window does, frame by frame."""
    window = open_window((200, 100), "copies")
    sys.stdout.write(copied(window, text) + "\n")
    sys.stdout.flush()
    while not select.select([sys.stdin], [], [], 1 / 60)[0]:
        window.dispatch_events()
    window.close()


if __name__ == "__main__":
    run(sys.argv[1])
