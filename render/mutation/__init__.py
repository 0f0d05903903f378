"""Seeded defects, planted between a settled session and its picture: a gate that lets a visible one pass is no gate.

check         The mutation check: so many seeded defects over all scenes of a suite, in processes
choosing      Where defects are planted: weighted by the view for those to be seen
defects       What can be planted, and what came of it
ground        Blocks of a store by their place in the world, many at a time
light_levels  A light map as it was, to say which blocks' light is another now
meshes        Defects of one render cell's mesh, in its packed quads
planting      Plants defects in a settled session and its scene, and takes them back
prediction    What rays see of a view, and what of that a defect changes
stage         One view of one scene, settled once, for any number of defects
subchunks     Other contents for sub-chunks of a store that has settled
telling       A mutation check in words: a table by class, and what was missed
work          One scene's share of a mutation check, and the processes that do it
"""

from render.mutation.check import CheckReport, check_suite
from render.mutation.defects import Defect, Sight, Trial, Wish
from render.mutation.telling import told_check
from render.mutation.work import Crew

__all__ = ["CheckReport", "Crew", "Defect", "Sight", "Trial", "Wish", "check_suite", "told_check"]
