"""What a picture must show, found without a GPU: rays from block to block through the store.

It shares nothing with meshes, culling or light, so that where it and a picture differ, one of them is wrong.
"""

from render.capture.oracle.cast import Ended, Hits, Passed, cast, stopped_by_cubes
from render.capture.oracle.rays import pixel_rays, sphere_rays

__all__ = ["Ended", "Hits", "Passed", "cast", "pixel_rays", "sphere_rays", "stopped_by_cubes"]
