"""Shots and scenes for another program, one JSON line an order and an answer (``chunkscope studio``)."""

from render.capture.desk.desk import Desk, serve
from render.capture.desk.orders import PROTOCOL

__all__ = ["PROTOCOL", "Desk", "serve"]
