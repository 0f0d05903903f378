"""What the viewer may be told; the connection's own options are ``client.connection.Options``."""

from pathlib import Path

import msgspec

from client.options import PastOptions
from render.settings import Settings


class ViewerOptions(msgspec.Struct, frozen=True):
    """How the window looks.

    Attributes:
        size_px: width and height asked for.
        fov_deg: vertical field of view.
        ortho_blocks: height of an orthographic picture; None: in perspective.
        gamma: over 1 lifts what is dark.
        flat_light: one light value a face instead of smooth light.
        gpu_light: light is made by compute shaders where the context has them, with the same pixels.
        gpu_budget_bytes: what bricks of block ids and light may take on the GPU; None: what the driver bears.
        overlays: names of overlays that are on at the start.
        time: time of day 0..23999 to show, or None for the server's.
        packs: resource packs over our textures, later ones over earlier.
        pictures: folder for pictures taken with F2; made when the first is taken.
        events: file for one JSON line an event (``event_stream``), or None.
        settings: what is set once and for all; of what also stands above, that counts.
        settings_file: where they lie, and where a change made in the window is kept; None: nowhere.
        first_start: there were none yet: three lines say how to begin, and the file is written.
        troubles: what is wrong with them, a sentence each.
        lan_ports: on which the connect screen looks for servers.
        connect: begin with that screen, where there is no source to join.
        address: that it begins with.
    """

    size_px: tuple[int, int] = (1280, 720)
    fov_deg: float = 70.0
    gamma: float = 1.0
    flat_light: bool = False
    gpu_light: bool = False
    gpu_budget_bytes: int | None = None
    overlays: tuple[str, ...] = ()
    time: int | None = None
    packs: tuple[Path, ...] = ()
    pictures: Path = Path("shots")
    events: Path | None = None
    settings: Settings = msgspec.field(default_factory=Settings)
    settings_file: Path | None = None
    first_start: bool = False
    troubles: tuple[str, ...] = ()
    ortho_blocks: float | None = None
    lan_ports: tuple[int, ...] = (19132, 19133)
    connect: bool = False
    address: str = ""


def past_of(settings: Settings) -> PastOptions | None:
    """How much of the past is kept, as the settings say."""
    if not settings.past_minutes:
        return None
    return PastOptions(60.0 * settings.past_minutes, settings.past_mb << 20)
