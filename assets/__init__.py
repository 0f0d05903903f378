"""Data files and their typed accessors."""
