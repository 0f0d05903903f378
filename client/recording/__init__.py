"""Recorded sessions: written, played, sought.

checkpoints  A session as it was at the end of one turn, from which any number of others begin
history      The way back in a session that goes on; its tape and checkpoints: ``net.storage.recent_history``
recorder     Writes down what a session is told and does
replay       Plays a recording: at any speed, step by step, and to any place, forward and back
"""
