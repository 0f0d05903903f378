"""Where things are: positions, index order, vertical ranges. Imports nothing of ours.

dimensions  Dimensions: their numbers, names and vertical ranges (wire.md 2.5)
layout      Array aliases: dtype, shape, order and range of every array that crosses a module border
positions   Positions: the only place where one unit is turned into another
"""
