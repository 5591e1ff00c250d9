"""plot.py POPULATION.csv TABLE.csv PLOT.png: the regions on top of each other, in the years of the table."""

import csv
import sys

import matplotlib

matplotlib.use("Agg")  # draws into files: a job has no screen
import matplotlib.pyplot as plt

source, table, target = sys.argv[1:]

with open(table, newline="") as file:
    years = [row["year"] for row in csv.DictReader(file)]
with open(source, newline="") as file:
    rows = [row for row in csv.DictReader(file) if row["year"] in years]

regions = [name for name in rows[0] if name != "year"]
figure, axes = plt.subplots(figsize=(8, 5))
axes.stackplot(
    [int(year) for year in years],
    [[int(row[name]) for row in rows] for name in regions],
    labels=regions,
)
axes.set(title="World population", xlabel="year", ylabel="million people")
axes.legend(loc="upper left")
figure.savefig(target, dpi=100)
