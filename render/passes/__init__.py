"""What is drawn in which order: opaque, cut-out, models, sky, translucent and liquids, overlays."""
