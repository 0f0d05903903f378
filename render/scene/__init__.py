"""Draws one store: its bricks and meshes on the GPU, pending work, and what each frame shows.

cells           Render cells: the mesh that each shows, the mesh that it needs, and its state
change_intake   Reads changes from the store's log and the anchors, and marks cells, light rows, bricks and tints
diagnosis       Explains why known blocks are missing from the picture or outdated
edit_sets       One edit's cells and bricks: all shown in one frame
failures        The record of failed work
frame/          One frame of a scene: visible meshes, surroundings, particles and overlays
gpu_copy/       The copy of the world on the GPU: bricks, light, tints, and the appearance of blocks
grid            Places and render cells of a store: which cell holds which place, and which a change can reach
jobs            The ready list of one store, results of jobs, and the block slots that jobs still read
lighting        Light steps of a scene: one at a time, nearest columns first, edits before bulk
reach_kernels   Kernels: surroundings of cells and places, differences of stores, distances of uploads
residency       Which columns of a store are on the GPU
scene           One store's picture: kept up to date step by step, drawn frame by frame
uploads         Uploads light, meshes and block ids within a step's budget
work_state      State of one attached store's picture: limits, what is on the GPU, pending work
world_view      One attached store: what the GPU shows of it, and pending work
"""

from render.passes.frame_settings import FrameSettings
from render.scene.cells import CellState
from render.scene.scene import Scene, SceneStats
from render.scene.work_state import SceneConfig

__all__ = ["CellState", "FrameSettings", "Scene", "SceneConfig", "SceneStats"]
