"""How soon a place is needed; the same answer for the client that requests and for the server that sends (seed 003).

connectivity_kernels  Which faces of a sub-chunk see each other: a flood fill per open region, in words of four columns
priority              One float32 a place: 0 is needed most; prediction of what a player will see next (seed 003)
walk_kernels          The walk from one eye over the sub-chunks that a straight line of sight can reach
"""
