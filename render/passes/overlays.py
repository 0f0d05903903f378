"""Boxes of sub-chunks: the overlay ``states``, each outlined and hatched by what is known of it; and ``light-seams``.

Columns that the server does not keep up to date (``client.session.staleness``) have a ring on each side of their
boxes; those of air have none, since they would hide the others. Seams are single sides, seen from both.

Boxes are instances in a buffer texture, drawn far to near over the terrain with its depth, so a hill hides what lies
behind it. Equal distances go by position.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import Knowledge
from net.space.layout import SubChunkPositions
from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.gpu.target import Target
from render.passes import state_styles
from render.passes.state_styles import FAILED, FAILED_STATE, SEAM_STYLES, STYLES

BOX_BYTES: Final = 16
VERTICES_PER_BOX: Final = 36
NO_BOX: Final = -1
STALE: Final = 1 << 24
"""Bit of a look: the box has a ring."""
FIRST_BARE: Final = 25
"""First of six bits of a look, by side: nothing is painted there."""
AIRY: Final = (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR)
TONES: Final = 16
"""Length of the shader's table of colours: more than there are states with a box."""
PAINTED: Final = {int(state): style for state, style in STYLES.items()} | {FAILED_STATE: FAILED} | SEAM_STYLES


def looks() -> npt.NDArray[np.int32]:
    """int32[256] by state: outline | hatch << 8 | the state's own number << 16; NO_BOX for states without a box."""
    table = np.full(256, NO_BOX, np.int32)
    for state, style in PAINTED.items():
        table[int(state)] = style.line | style.hatch << 8 | int(state) << 16
    return table


def tones() -> npt.NDArray[np.float32]:
    """float32[16, 4]: colour and hatch strength by state."""
    table = np.zeros((TONES, 4), np.float32)
    for state, style in PAINTED.items():
        table[int(state)] = (*style.colour, style.strength)
    return table


def boxes(
    positions: SubChunkPositions,
    states: npt.NDArray[np.uint8],
    eye: tuple[float, float, float],
    stale: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.int32]:
    """[n, 4] x, y, z and look of every box, farthest first; ``stale`` says which may have a ring, None: none."""
    chosen = looks()[states]
    if stale is not None:
        ringed = stale & (chosen != NO_BOX) & ~np.isin(states, AIRY)
        chosen = np.where(ringed, chosen | STALE, chosen)
    some = chosen != NO_BOX
    return _far_to_near(positions[some], chosen[some], eye)


def seam_boxes(
    positions: SubChunkPositions,
    states: npt.NDArray[np.uint8],
    sides: npt.NDArray[np.uint8],
    eye: tuple[float, float, float],
) -> npt.NDArray[np.int32]:
    """The same of seams: uint8[n] HANGING_STATE or WAITING_STATE, and bits 0-5 of the sides that are painted."""
    bare = ~sides.astype(np.int32) & 63
    return _far_to_near(positions, looks()[states] | bare << FIRST_BARE, eye)


def _far_to_near(
    positions: SubChunkPositions, chosen: npt.NDArray[np.int32], eye: tuple[float, float, float]
) -> npt.NDArray[np.int32]:
    offset = positions * 16.0 + 8.0 - np.array(eye)
    distance = (offset * offset).sum(axis=1)
    order = np.lexsort((chosen, positions[:, 2], positions[:, 1], positions[:, 0], distance))[::-1]
    return np.column_stack([positions[order], chosen[order]]).astype(np.int32)


class BoxesPass:
    """Draws boxes."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        program = gpu.program("boxes.vert", "boxes.frag", state_styles.defines())
        program["tones"].write(tones().tobytes())
        self._array: Any = gpu.ctx.vertex_array(program, [])
        self._boxes = BufferTexture(gpu, "state boxes", Unit.BOXES, rawgl.RGBA32I, 4096 * BOX_BYTES)

    def draw(self, target: Target, content: npt.NDArray[np.int32], from_within: bool = False) -> int:
        """Draws boxes, as ``boxes`` or ``seam_boxes`` makes them; gives how many there are.

        Args:
            target: what is drawn to; its depth is tested, not written.
            content: [n, 4].
            from_within: whether sides are seen from inside of their box, too.
        """
        if not len(content):
            return 0
        if content.nbytes > self._boxes.bytes:
            self._boxes.grow(1 << (content.nbytes - 1).bit_length())
        self._boxes.write(content, 0)
        self._boxes.bind()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND | (0 if from_within else ctx.CULL_FACE))
        ctx.blend_func = ctx.DEFAULT_BLENDING
        target.write_depth(False)
        self._array.render(vertices=VERTICES_PER_BOX * len(content))
        target.write_depth(True)
        return len(content)

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
        self._boxes.release()


def legend() -> tuple[tuple[Knowledge, str, tuple[float, float, float]], ...]:
    """State, label and colour of each box, for panels."""
    return tuple((state, style.label, style.colour) for state, style in STYLES.items())
