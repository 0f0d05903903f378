"""Work off the owner thread: a ready list, workers, a synchronous twin, results.

workers  Two places for jobs: worker threads, and the owner's own thread
"""
