"""Recorded sessions: written, played, sought.

checkpoints  A session as it was at the end of one turn, from which any number of others begin
history      Rewinds a session that goes on: what is kept of its past, and for how long
recorder     Writes down what a session is told and does
replay       Plays a recording: at any speed, step by step, and to any place, forward and back
"""
