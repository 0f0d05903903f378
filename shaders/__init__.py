"""GLSL files, loaded by name; no GL in here."""
