"""One deterministic machine: message, tick, view and anchor in; store changes and messages out.

chat                 What is said to the player: the server's own lines and other players', as they came
config               What a session is told before it starts
dimension_state      What a session knows of the world and wants of it: the rooms that one block table is behind
dispatch             Which room takes which message
event_log            What happened to blocks, as events and sounds tell
join_steps           The steps of a join and of each change of dimension: which came, which is missing or wrong
movement             Says where the player is, twenty times a second, in the way the server wants to hear it
outbox               What a session heard and says: messages on their way out, counts of both directions
publisher_area       The publisher's circle: where the server keeps a client's columns up to date
request_log          What was asked of some places, what was answered and when
request_visibility   What the player and the look-outs see, for the planner
requests             Asks for sub-chunks: when a plan is made, from where, and what of it is asked
session              One session with one server: a deterministic machine
spawn                How the server lets the player in, into another dimension, back to life, and out
stats                What a session has counted so far
terrain              Hands what LevelChunk, SubChunk and UpdateBlock say to the store and to the ledger
weather              The world as a whole: its time, how much it rains and thunders, what its biomes are called
"""
