"""What a picture shows besides the world; where from is the connection's view."""

from msgspec.structs import replace

from client.player import View
from client.session.session import Session
from net.space import ColumnPos
from render.camera import Camera
from render.draw_options import DrawOptions
from render.passes.atmosphere import TICKS_PER_DAY
from render.passes.frame_uniforms import FrameSettings
from render.scene.frame.frame import session_look


class PictureOptions(DrawOptions, frozen=True):
    """How a picture is drawn."""

    entities: bool = False  # whether entities are drawn
    day: int = 0  # days since a full moon, with ``time``
    frozen: View | None = None  # draws what would be seen from there, through the same lens; None: what is seen
    # the world is drawn all along (``render.capture.picture``), so overlays tell when things were drawn
    watched: bool = False

    def seen(self, view: View) -> View:
        """A view through this picture's lens."""
        return replace(view, fov_deg=self.fov_deg, ortho_blocks=self.ortho_blocks)

    @property
    def culling(self) -> Camera | None:
        """The camera whose list is drawn, where that is not the picture's own."""
        width, height = self.size_px
        return None if self.frozen is None else Camera.of(replace(self.frozen, fov_deg=self.fov_deg), width / height)

    def look(
        self, session: Session, anchor: ColumnPos, anchor_radius_columns: int, seconds: float = 0.0
    ) -> FrameSettings:
        """The look of a frame of a session, ``seconds`` old; overlays show the surroundings of a column."""
        look = session_look(session)
        return replace(
            look,
            time_ticks=look.time_ticks if self.time is None else self.time + self.day * TICKS_PER_DAY,
            weather=look.weather if self.weather is None else self.weather,
            seconds=seconds,
            gamma=self.gamma,
            overlays=frozenset(self.overlays),
            anchor=anchor,
            anchor_radius_columns=anchor_radius_columns,
            frozen=self.culling,
            entities=session.entities.picture() if self.entities else None,
            now_us=round(session.now * 1e6),
        )
