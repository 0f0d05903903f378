"""What a picture shows besides the world; where from is the connection's view."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """How a picture is drawn.

    Attributes:
        size_px: width and height.
        fov_deg: vertical field of view.
        flat_light: one light value a face instead of smooth light.
        gpu_light: light is made by compute shaders where the context has them, with the same pixels.
        overlays: names of overlays, drawn over the world.
        time: time of day 0..23999, or None for the server's.
    """

    size_px: tuple[int, int] = (1280, 720)
    fov_deg: float = 70.0
    flat_light: bool = False
    gpu_light: bool = False
    overlays: tuple[str, ...] = ()
    time: int | None = None
