"""Computes the mean distance from the origin of random points on the workers of a Dask cluster."""

import os
import random
import sys

from distributed import Client


def total(seed, points):
    numbers = random.Random(seed)
    return sum((numbers.random() ** 2 + numbers.random() ** 2) ** 0.5 for _ in range(points))


tasks, points = int(sys.argv[1]), int(sys.argv[2])
with Client(os.environ["DASK_SCHEDULER_URI"]) as client:
    totals = client.gather(client.map(total, range(tasks), points=points, pure=False))
print(f"{sum(totals) / (tasks * points):.6f}")
