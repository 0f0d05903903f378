"""What a picture must show, found without a GPU: rays from block to block through the store.

    cast         Casts rays through a store and says where each ended
    ray_kernels  One ray after another through the blocks of a store (Amanatides and Woo's traversal

It shares nothing with meshes, culling or light, so that where it and a picture differ, one of them is wrong.
"""

KERNELS_APART = True  # read by `net.kernels` and by warm-up: a first start does without these

from render.bench.oracle.cast import (  # noqa: E402 - kernels ask for it  # noqa: E402 - as above
    Ended,
    Hits,
    Passed,
    cast,
    cast_from,
    pixel_begins,
    pixel_rays,
    sphere_rays,
    stopped_by_cubes,
)

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
