"""Options of a window, and exceptions that end one.

The connection's own options are ``client.options.Options``.
"""

from pathlib import Path

import msgspec

from client.options import PastOptions
from client.source import OtherSource
from render.draw_options import DrawOptions
from render.errors import RenderError
from render.settings import Settings


class WindowOptions(DrawOptions, frozen=True):
    """Options of the window."""

    pictures: Path = Path("shots")  # folder for pictures taken with F2; made when the first is taken
    events: Path | None = None  # file for one JSON line an event (``event_stream``), or None
    # user settings; options above take precedence
    settings: Settings = msgspec.field(default_factory=Settings)
    settings_file: Path | None = None  # their file, which stores changes made in the window; None: nothing is stored
    first_start: bool = False  # without a settings file: a card of keys is shown, and the file is written
    troubles: tuple[str, ...] = ()  # problems of the settings, a sentence each
    lan_ports: tuple[int, ...] = (19132, 19133)  # ports on which the connect screen searches for servers
    discovery_port: int = 7551  # port on which it searches for LAN games of NetherNet, 0 for none
    connect: bool = False  # start with that screen, if there is no source to join
    address: str = ""  # initial address in it
    build: bool = False  # whether building is allowed on servers that are not ours
    against: OtherSource | None = None  # another world that is compared with the shown one (``Against``), or None


def past_of(settings: Settings) -> PastOptions | None:
    if not settings.past_minutes:
        return None
    return PastOptions(60.0 * settings.past_minutes, settings.past_mb << 20)


class NoDisplay(RenderError):
    """There is no display to open a window on: exit code 5."""


class WindowClosed(Exception):
    """The user closed the window before the world was loaded."""
