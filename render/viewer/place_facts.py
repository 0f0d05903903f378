"""All that is known of one block, with what the window makes of it: for the panel Inspector and the key beside it."""

from client.report.why import facts_of
from client.report.why_facts import Facts, Outlook
from client.session.session import Session
from net.space.positions import BlockPos
from render.scene import Picture, Scene
from render.scene.picture import TOLD


def facts_at(session: Session, scene: Scene, block: BlockPos, now: float) -> Facts:
    """Gathers them.

    Args:
        session: read only.
        scene: that shows it.
        block: inside the dimension.
        now: the session's monotonic seconds.
    """
    picture, cell = scene.picture(block), block.subchunk.cell
    told = f"render cell {cell.x} {cell.y} {cell.z} {TOLD[picture]}"
    shown = picture in (Picture.SHOWN, Picture.STALE)
    return facts_of(session, block, now, Outlook(shown, told, scene.undrawn(block)))
