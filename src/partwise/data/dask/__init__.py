"""Dask arrays as data: parts on workers or one by one in this process, and what runs on a worker."""
