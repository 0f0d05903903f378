"""Work off the owner thread: a ready list, workers, a synchronous twin, results."""
