"""Seeded defects, planted between a settled session and its picture: a gate that lets a visible one pass is no gate.

    check       So many seeded defects over all scenes of a suite, in processes, and what came of each, in words
    defects     What can be planted, and what came of it
    planting    Plants defects in a settled session and its scene, and takes them back
    prediction  What rays see of a view, and what of that a defect changes
    program     Defects of the program, planted while scenes are taken
    stage       One view of one scene, settled once, for any number of defects, and where they are planted

``python -m tests.mutation`` plants 200 in the scenes of a folder.
"""
