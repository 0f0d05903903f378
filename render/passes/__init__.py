"""What is drawn in which order: sky, opaque, cut-out, models, translucent and liquids, overlays."""
