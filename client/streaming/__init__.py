"""What to ask for, in which order, in which packets, and what became of each request."""

from client.streaming.anchors import Anchor, Anchors
from client.streaming.batches import Batch, pack
from client.streaming.ledger import Ledger, Outcome
from client.streaming.limits import Pacer, RequestLimits
from client.streaming.planner import Plan, Planner
from client.streaming.priority import order

__all__ = [
    "Anchor",
    "Anchors",
    "Batch",
    "Ledger",
    "Outcome",
    "Pacer",
    "Plan",
    "Planner",
    "RequestLimits",
    "order",
    "pack",
]
