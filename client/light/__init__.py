"""Light maps: four channels of 0..15 for every known block.

    border_kernels     Spreads light from cell to cell: across the region's border, and after edits
    edit_kernels       Updates light after single block changes; assigns light slots to seats
    light_map          The light map: the light slot of each place; prepares, runs and publishes light steps
    memory             The state of the world when each row was lit; numbers the places of a light step
    propagate_kernels  Spreads light from its sources, in bit planes: Dial's algorithm on sets of cells
    seat_kernels       Copies the store's tables for a light step
    simd               Vector steps of the light channels on sets of 4096 cells
    sky_kernels        Finds the cells with unbroken daylight: straight down from the sky
    slots              Light slots: 8 KiB each, in one reserved address range
    source_kernels     Collects the sources of light: emitters, and dimmed daylight
    step               Runs the kernels of one light step, in its working memory
    tables             The block table in the form that the light kernels need

What the values mean (architecture.md §3, algorithms.md 1.6):

1. A cell's level in R, G, B is the largest of its own emission and of what its six neighbours pass on: their level
   less ``max(1, opacity of this cell)`` in that channel. D (daylight) is the same without emission, but a level of 15
   runs down through opacity 0 without loss.
2. Over the dimension's roof D is 15 (0 where the dimension has no sky). Below its floor and in columns that are not
   loaded it is dark.
3. A placeholder stops all light. Where the place above a known sub-chunk is a placeholder, the store's ``sky_top`` has
   the cells, of the 256 top ones, through which daylight enters.

Other packages use only ``LightMap``: ``prepare`` (owner thread), ``run`` (any thread), ``publish`` (owner thread).
"""
