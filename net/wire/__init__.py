"""Bytes of the Bedrock wire: cursors, varints, limits, and one field description for both directions.

cursor  Reads and writes bytes, and the limits of received data
fields  One description of a packet's fields for both directions, and its dialects
"""
