"""What each player of a server needs, and how soon (seed 003's player attention predictor).

    sight      which sub-chunks lines of sight from an eye reach, through what was provided so far
    player     one player: place, look, speed; which columns it is owed, in its own order

Rules:
1. Sans I/O: a player is told where it is and what was provided, and is stepped with the time.
2. Nobody here makes a column: sight listens to what was provided, and takes the rest for opaque. So what is reached and
   not there yet is wanted, and with each column that comes sight goes on.
"""
