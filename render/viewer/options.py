"""What the viewer may be told; the connection's own options are ``client.connection.Options``."""

from pathlib import Path

import msgspec

from client.options import PastOptions
from render.settings import Settings


class ViewerOptions(msgspec.Struct, frozen=True):
    """How the window looks."""

    size_px: tuple[int, int] = (1280, 720)  # width and height asked for
    fov_deg: float = 70.0  # vertical field of view
    gamma: float = 1.0  # over 1 lifts what is dark
    flat_light: bool = False  # one light value a face instead of smooth light
    gpu_light: bool = False  # light is made by compute shaders where the context has them, with the same pixels
    # what bricks of block ids and light may take on the GPU; None: what the driver bears
    gpu_budget_bytes: int | None = None
    overlays: tuple[str, ...] = ()  # names of overlays that are on at the start
    time: int | None = None  # time of day 0..23999 to show, or None for the server's
    packs: tuple[Path, ...] = ()  # resource packs over our textures, later ones over earlier
    pictures: Path = Path("shots")  # folder for pictures taken with F2; made when the first is taken
    events: Path | None = None  # file for one JSON line an event (``event_stream``), or None
    # what is set once and for all; of what also stands above, that counts
    settings: Settings = msgspec.field(default_factory=Settings)
    settings_file: Path | None = None  # where they lie, and where a change made in the window is kept; None: nowhere
    first_start: bool = False  # there were none yet: three lines say how to begin, and the file is written
    troubles: tuple[str, ...] = ()  # what is wrong with them, a sentence each
    ortho_blocks: float | None = None  # height of an orthographic picture; None: in perspective
    lan_ports: tuple[int, ...] = (19132, 19133)  # on which the connect screen looks for servers
    connect: bool = False  # begin with that screen, where there is no source to join
    address: str = ""  # that it begins with


def past_of(settings: Settings) -> PastOptions | None:
    """How much of the past is kept, as the settings say."""
    if not settings.past_minutes:
        return None
    return PastOptions(60.0 * settings.past_minutes, settings.past_mb << 20)
