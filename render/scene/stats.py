"""What a scene counts, as a frozen snapshot read by panels, tests and benchmarks alike."""

from net.frozen import frozen
from render.gpu.arena import ArenaStats
from render.scene.attached import Attached
from render.scene.frames import Drawn
from render.scene.mirror import MirrorStats
from render.scene.picture import Picture
from render.scene.pools import Pools


@frozen
class SceneStats:
    """One moment of a scene.

    Attributes:
        cells: render cells by picture state.
        cells_shown: cells with quads on the GPU.
        cells_drawn: of these, in the last frame.
        quads: on the GPU.
        quads_drawn: in the last frame, before faces that look away are left out.
        boxes_drawn: state boxes in the last frame.
        places_seen: sub-chunks the last frame's walk reached.
        meshes_made: mesh results accepted, in all.
        meshes_dropped: results older than what was there already, in all.
        failures: meshes and light of columns that could not be made, in all; ``cells`` says how many cells show it.
        failed: the last of them in words, or None.
        edits_shown: edits whose cells were swapped together, in all.
        frames: drawn, in all.
        arena: the quad arena.
        mirror: bricks of block ids and light.
        gpu_light: whether light is made on the GPU.
        gpu_bytes: arena and volumes together.
        settled: whether light, mesh and upload have nothing left to do.
    """

    cells: dict[Picture, int]
    cells_shown: int
    cells_drawn: int
    quads: int
    quads_drawn: int
    boxes_drawn: int
    places_seen: int
    meshes_made: int
    meshes_dropped: int
    failures: int
    failed: str | None
    edits_shown: int
    frames: int
    arena: ArenaStats
    mirror: MirrorStats
    gpu_light: bool
    gpu_bytes: int
    settled: bool


def snapshot(attached: Attached | None, pools: Pools, drawn: Drawn, frames: int) -> SceneStats:
    """Counts a scene.

    Args:
        attached: the side of the store that is shown; None: none is.
        pools: what lies on the GPU.
        drawn: by the last frame.
        frames: drawn, in all.
    """
    arena, mirror = pools.arena.stats(), pools.mirror.stats()
    return SceneStats(
        cells=attached.cells.by_picture() if attached else {},
        cells_shown=len(attached.cells.with_quads()) if attached else 0,
        cells_drawn=drawn.cells,
        quads=attached.cells.quads() if attached else 0,
        quads_drawn=drawn.quads,
        boxes_drawn=drawn.boxes,
        places_seen=drawn.places,
        meshes_made=attached.meshes_made if attached else 0,
        meshes_dropped=attached.meshes_dropped if attached else 0,
        failures=attached.failures.count if attached else 0,
        failed=attached.failures.last[-1].words if attached and attached.failures.last else None,
        edits_shown=attached.edits_shown if attached else 0,
        frames=frames,
        arena=arena,
        mirror=mirror,
        gpu_light=pools.mirror.twin is not None,
        gpu_bytes=arena.gpu_bytes + mirror.blocks.gpu_bytes + mirror.light.gpu_bytes,
        settled=attached is None or attached.settled,
    )
