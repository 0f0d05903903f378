"""How soon a place is needed; the same answer for the client that asks and for the server that sends (seed 003)."""

from net.interest.need import NOWHERE, Looker, need
from net.interest.weights import Weights

__all__ = ["NOWHERE", "Looker", "Weights", "need"]
