"""Work off the owner thread: a ready list, workers, a synchronous twin, results; and tasks in other processes.

processes  Tasks in other processes, here or on a Dask cluster, by executors of ``concurrent.futures``; parts of work
workers    Two places for jobs: worker threads, and the owner's own thread
"""
