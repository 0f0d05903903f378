"""Writes, plays and seeks recorded sessions.

checkpoints  The states that rewinding and seeking begin from: copies of a session, and how they are packed
history      Rewinds a live session; ``net.storage.recent_history`` decides which of its checkpoints are kept
recorder     Records the inputs and decisions of a session
replay       Plays a recording: at any speed, step by step, and seeks forward and back
"""
