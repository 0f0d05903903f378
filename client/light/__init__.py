"""Light maps: four channels of 0..15 for every block that is known.

    border_kernels     Light that crosses from lit sub-chunks into their neighbours
    edit_kernels       Light after single block changes, and which seats get light slots of their own
    light_map          The light map: which light slot each place shows, and the three moves of a light step
    memory             What the world looked like when each row was lit, and which places take part in a light step
    propagate_kernels  How light spreads from its sources, in bit planes: Dial's algorithm on sets of cells
    seat_kernels       Gathers what a light step reads of the store's tables, in one pass each
    sky_kernels        Where daylight stands unbroken: straight down from the sky, before any of it spreads sideways
    slots              Light slots: 8 KiB each, in one address range that is reserved once and committed by touch
    source_kernels     Sources of light from nothing: cells that are lit for another reason than a lit neighbour
    step               Runs one light step, in its working memory: which kernel follows which
    tables             The block table as the light kernels want it

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
