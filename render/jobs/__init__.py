"""Work off the owner thread: worker threads, and tasks in other processes.

processes  Runs tasks in other processes, here or on a Dask cluster, by executors of ``concurrent.futures``
workers    Runs jobs of a ready list, on worker threads or on the owner's own thread
"""
