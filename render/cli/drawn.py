"""How a picture is drawn, as a command line says it: checked before anything is loaded, made when drawing is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from net.frozen import frozen
from render.cli.options import Drawing, Joining
from render.cli.reading import LightChoice, parse_light, parse_overlays, parse_packs, parse_size

if TYPE_CHECKING:
    from render.capture.options import PictureOptions


@frozen
class Drawn:
    """What ``Drawing`` says, read.

    Attributes:
        size_px: of the picture.
        fov_deg: vertical field of view.
        gamma: over 1 lifts what is dark.
        light: who makes it.
        overlays: names.
        packs: resource packs, later ones over earlier.
        time: of day in ticks; None: the server's.
    """

    size_px: tuple[int, int]
    fov_deg: float
    gamma: float
    light: LightChoice
    overlays: tuple[str, ...]
    packs: tuple[Path, ...]
    time: int | None

    def picture(self, **more: Any) -> "PictureOptions":  # Any: each of its fields has its own type
        """As captures take it; this loads what draws.

        Args:
            **more: fields of ``PictureOptions`` that not all commands have.
        """
        from render.capture.options import PictureOptions

        return PictureOptions(
            size_px=self.size_px, fov_deg=self.fov_deg, gamma=self.gamma, flat_light=self.light.flat,
            gpu_light=self.light.gpu, overlays=self.overlays, packs=self.packs, time=self.time, **more,
        )  # fmt: skip


def parse_drawn(drawing: Drawing, joining: Joining) -> Drawn:
    """Reads how a picture is drawn.

    Raises:
        UsageError: naming the value that cannot be meant.
    """
    return Drawn(
        parse_size(drawing.size),
        drawing.fov,
        drawing.gamma,
        parse_light(drawing.light),
        parse_overlays(drawing.overlay),
        parse_packs(drawing.pack),
        joining.time,
    )
