"""Bytes to messages and back, and both ends of the wire; see README.md beside this file."""
