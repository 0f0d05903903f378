"""User settings: one TOML file, environment variables that override it, and key bindings.

    actions   Every action that a key can trigger in the window, with its text for F1
    file      Settings files that users edit and windows write
    keys      Key names of pyglet and of keyboards, presets, and the user's own bindings
    overlays  The overlays by name, read from their declarations, with their letters in the chooser
    schema    Every setting: its place in the file, its default, its allowed values, and its meaning

Imports nothing that draws, so that the command line can read settings early.
"""

from render.settings.actions import Action
from render.settings.file import Loaded, load
from render.settings.keys import Keyboard
from render.settings.schema import Settings

__all__ = ["Action", "Keyboard", "Loaded", "Settings", "load"]
