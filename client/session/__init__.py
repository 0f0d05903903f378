"""The session with one server: a deterministic state machine from packets and ticks to store changes and packets.

chat                 Keeps the last chat lines and the answers to commands
config               The configuration of a session
dimension_state      The store, requests and light of the dimension that the player is in
dispatch             Passes each received message to the component that handles it
event_log            Keeps the last level events and sounds that name a block
join_steps           The steps of a join and of a change of dimension, and the first one that is missing or wrong
movement             Sends the player's position 20 times a second, in the form that the server's movement mode needs
outbox               The queue of outgoing messages, and counts of the messages in both directions
publisher_area       The publisher's circle: where the server keeps a client's columns up to date
request_log          Request and answer data of chosen places, as a snapshot of arrays
request_visibility   The sub-chunks that the player and the pinned anchors see, for the planner
requests             Plans and sends sub-chunk requests
session              One session with one server: a deterministic state machine
spawn                Phases of a session: join, spawn, change of dimension, respawn, end
stats                Statistics of a session, its warnings, and what it still waits for
terrain              Passes each terrain message to the store (``client.world``) and to the ledger
weather              World state that belongs to no place: time, weather, names of biomes
"""
