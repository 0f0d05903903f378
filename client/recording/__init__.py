"""Writes, plays and seeks recorded sessions.

checkpoints  Copies of a session at the end of a turn, from which other sessions begin
history      Rewinds a live session; for the data see ``net.storage.recent_history``
recorder     Records the inputs and decisions of a session
replay       Plays a recording: at any speed, step by step, and seeks forward and back
"""
