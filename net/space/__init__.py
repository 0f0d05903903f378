"""Where things are: positions, index order, vertical ranges. Imports nothing of the project."""
