"""What a person may set once and for all: one TOML file, the environment over it, and which key does what.

Knows no window and nothing that draws, so that the command line reads it before anything is loaded.
"""

from render.settings.actions import Action
from render.settings.keyboard import Keyboard
from render.settings.loading import Loaded, load
from render.settings.schema import Settings

__all__ = ["Action", "Keyboard", "Loaded", "Settings", "load"]
