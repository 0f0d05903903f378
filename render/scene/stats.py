"""What a scene counts, as a frozen snapshot read by panels, tests and benchmarks alike."""

from net.frozen import frozen
from render.gpu.arena import ArenaStats
from render.scene.mirror import MirrorStats
from render.scene.picture import Picture


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
