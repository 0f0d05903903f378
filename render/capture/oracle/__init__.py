"""What a picture must show, found without a GPU: rays from block to block through the store.

It shares nothing with meshes, culling or light, so that where it and a picture differ, one of them is wrong.
"""

KERNELS_APART = True  # read by `net.kernels` and by warm-up: a first start does without these

from render.capture.oracle.cast import Ended, Hits, Passed, cast, cast_from, stopped_by_cubes  # noqa: E402 - kernels ask for it
from render.capture.oracle.rays import pixel_begins, pixel_rays, sphere_rays  # noqa: E402 - as above

__all__ = [
    "KERNELS_APART",
    "Ended",
    "Hits",
    "Passed",
    "cast",
    "cast_from",
    "pixel_begins",
    "pixel_rays",
    "sphere_rays",
    "stopped_by_cubes",
]
