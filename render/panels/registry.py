"""All panels that are declared in this folder (``panel``), in the order of the menu."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from render.panels.panel import PANELS

__all__ = ["PANELS"]

for _module in iter_modules([str(Path(__file__).parent)]):
    import_module(f"{__package__}.{_module.name}")  # each declares its panels
