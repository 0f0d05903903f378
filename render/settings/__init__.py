"""What a person may set once and for all: one TOML file, the environment over it, and which key does what.

    actions   Everything that a key can do in the window, with the words that F1 shows; an overlay says its key itself
    file      Small files that a person edits and windows write
    keys      Names of keys as pyglet has them, and as people see them on a keyboard
    overlays  The overlays by name, read from where they are declared: the letter that switches each in the chooser
    schema    Every setting once: its place in the file, its default, what it may be, and what it means

Knows no window and nothing that draws, so that the command line reads it before anything is loaded.
"""

from render.settings.actions import Action
from render.settings.file import Loaded, load
from render.settings.keys import Keyboard
from render.settings.schema import Settings

__all__ = ["Action", "Keyboard", "Loaded", "Settings", "load"]
