"""What of a scene lies on the GPU whatever a frame shows of it: quads, bricks, textures, tints."""

from render.gpu.capabilities import no_compute
from render.gpu.device import Gpu
from render.gpu.quad_arena import QuadArena
from render.scene.config import SceneConfig
from render.scene.gpu_copy.block_appearance import LookSource, LookTextures
from render.scene.gpu_copy.tint_map import TintMap
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.world import LOG


class GpuPools:
    """Of one scene, whichever store it shows. Owner thread only."""

    def __init__(self, gpu: Gpu, looks: LookSource, config: SceneConfig) -> None:
        """Empty; says so where light cannot be made on the GPU, as ``config`` would have it."""
        self.arena = QuadArena(gpu, config.first_pages)  # quads
        twin = config.gpu_light and gpu.capabilities.computes
        if config.gpu_light and not twin:
            LOG.warning("%s", no_compute(gpu.capabilities))
        twin_columns = config.light_columns if twin else None
        self.mirror = GpuVolumes(gpu, config.first_bricks, twin_columns, config.gpu_budget_bytes)  # block ids and light
        self.textures = LookTextures(gpu, looks)  # of block states
        self.tints = TintMap(gpu, looks)  # of columns

    def bind(self, seconds: float) -> None:
        """Binds what every pass reads; ``seconds``: of textures that move."""
        self.mirror.bind()
        self.textures.show(seconds)
        self.textures.bind()
        self.tints.bind()

    def release(self) -> None:
        """Frees every GL object."""
        for pool in (self.textures, self.tints, self.mirror, self.arena):
            pool.release()
