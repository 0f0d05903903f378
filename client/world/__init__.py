"""What the client was told: block table, pools, lifecycle, store, changes. No pixels, no messages, no clock.

answers         Writes announced columns and answered sub-chunks into the tables of a store
block_data      What blocks have besides their ids, kept where the blocks are
block_entities  Block entities: what a block is besides its state, as NBT: what a chest holds, what a sign says
block_pools     Block slots: ids of 4,096 blocks and what is derived from them
block_table     One dense number for every block state of a session, sorted by class
changes         What changed in the store, for whoever mirrors it: light, scene, planner
decode          Turns scanned sub-chunks into slots
edits           Single blocks that change
height_maps     The surface of each column: where rain stops, as far as answers and blocks tell
history         The life of each sub-chunk: the last things that happened to it, when, in which packet, and why
lifecycle       What the protocol says about a sub-chunk, and everything that can happen to that
places          Tables of places: which column a row holds, and who is beside whom
reports         What the store says about what it was told, and about itself
slots           Numbers of slots: free, in use, retired
state_machine   Lets things happen to places: only what ``lifecycle.LIFE`` names
store           Everything the server told about one dimension, by place: the tables, and all that changes them
store_kernels   Kernels of the store: finds places, sorts answers, lets something happen to places
store_state     What one store holds, for the functions that change it; which slots places show
"""
