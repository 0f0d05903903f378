"""The terrain received from the server: block table, pools, lifecycle, store, changes. No rendering, packets or clock.

answers         Applies announced columns and answered sub-chunks to a store
block_data      Data of blocks besides their ids: block entities, small values, cracks, further layers
block_entities  Block entities as NBT, for example the items of a chest and the text of a sign
block_pools     Block slots: ids of 4,096 blocks and the masks derived from them
block_table     The session's block ids: one dense number for every block state, sorted by class
changes         The change log of the store, for light, scene and planner
decode          Decodes scanned sub-chunks into slots
edits           Applies changes of single blocks
height_maps     The surface of each column, from height maps and blocks
history         The last events of each sub-chunk: when, in which packet, and why
lifecycle       The states of a sub-chunk, the events, and the table of transitions
places          The tables of places: the row of each column, and the neighbours of each place
reports         Frozen reports of the store
slots           Slot lists (free, in use, retired), reserved memory, and arrays that grow
state_machine   Applies events to places by ``lifecycle.LIFE``, and collects the changes of a drain
store           The known blocks of one dimension, by place: the tables, and the methods that change and read them
store_kernels   Kernels of the store: find places, sort answers, apply events, show slots
store_state     The parts of a store, for the functions that change it: the slots that places show, biomes
"""
