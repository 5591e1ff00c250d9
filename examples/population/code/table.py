"""table.py POPULATION.csv FIRST LAST TABLE.csv: the world in each year, its growth, and where most people live."""

import csv
import sys

source, first, last, target = sys.argv[1:]

with open(source, newline="") as file:
    rows = [row for row in csv.DictReader(file) if int(first) <= int(row["year"]) <= int(last)]
if not rows:
    sys.exit(f"{source} has no year from {first} to {last}.")

before = None
with open(target, "w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["year", "world", "growth_percent", "largest", "share_percent"])
    for row in rows:
        regions = {name: int(value) for name, value in row.items() if name != "year"}
        world = sum(regions.values())
        largest = max(regions, key=regions.get)
        growth = "" if before is None else f"{100 * (world / before - 1):.1f}"
        table.writerow([row["year"], world, growth, largest, f"{100 * regions[largest] / world:.1f}"])
        before = world
