"""How soon a place is needed; the same answer for the client that asks and for the server that sends (seed 003).

weights    the configuration         need         the number
skyline    what lies above all       attention    what a player is likely to see next
           ground
connectivity_kernels, walk_kernels: what lets sight through, and what a line of sight can reach; the client looks with
           them through its store, the server through what it provided
"""

from net.interest.attention import Attention
from net.interest.need import NOWHERE, Looker, Sight, looked_at, need
from net.interest.skyline import NO_GROUND, Skyline
from net.interest.weights import Weights

__all__ = ["NOWHERE", "NO_GROUND", "Attention", "Looker", "Sight", "Skyline", "Weights", "looked_at", "need"]
