"""The picture of one store: its bricks and meshes on the GPU, what is still being made, what each frame shows.

cells           Render cells: which mesh each shows, which it should, and what lies between
change_intake   Changes in: what the store's log and the anchors say becomes cells, light rows
diagnosis       Why blocks that are known are not in the picture, or not as they should be
edit_sets       One edit's cells and bricks: shown in one frame, or not yet
frame/          One frame of a scene: what is seen, its surroundings, particles and overlays
gpu_copy/       The copy of the world on the GPU: bricks, light, tints, and what blocks look like
grid            Places and render cells of a store: which cell holds which place, and which a change can reach
jobs            Work out: the ready list of one store, and which block slots its jobs still read
lighting        Light steps of a scene: one at a time, nearest columns first, edits before bulk
reach_kernels   Kernels of the scene: what lies around cells and places, where stores differ, which uploads are near
residency       Which columns of a store are on the GPU
scene           One store's picture: kept up to date step by step, drawn frame by frame
uploads         Uploads: what brings the GPU nearer to the store within a step's budget
work_state      Where the picture of one attached store stands: its limits, what of it is on the GPU, what is behind
world           What the scene reads of the store
world_view      One attached store: what the GPU shows of it, what is behind
"""

from render.passes.frame_uniforms import FrameSettings
from render.scene.cells import CellState
from render.scene.scene import Scene, SceneStats
from render.scene.work_state import SceneConfig

__all__ = ["CellState", "FrameSettings", "Scene", "SceneConfig", "SceneStats"]
