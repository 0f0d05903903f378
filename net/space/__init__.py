"""Where things are: positions, index order, vertical ranges. Imports of ours only ``net.frozen``."""
