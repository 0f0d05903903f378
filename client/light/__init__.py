"""Light maps: four channels of 0..15 for every block that is known.

What the values mean (architecture.md §3, algorithms.md 1.6):

1. A cell's level in R, G, B is the largest of its own emission and of what its six neighbours pass on: their level
   less ``max(1, opacity of this cell)`` in that channel. D (daylight) is the same without emission, but a level of 15
   runs down through opacity 0 without loss.
2. Over the dimension's roof D is 15 (0 where the dimension has no sky). Below its floor and in columns that are not
   loaded it is dark.
3. A placeholder stops all light. Where the place above a known sub-chunk is a placeholder, the store's ``sky_top``
   says through which of the 256 top cells daylight enters.

``LightMap`` is all that others use: ``prepare`` (owner thread), ``run`` (any thread), ``publish`` (owner thread).
"""
