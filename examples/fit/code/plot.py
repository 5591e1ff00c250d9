"""plot.py DATA.npy FIT.json PLOT.png: the events, and the fit over them."""

import json
import sys

import matplotlib

matplotlib.use("Agg")  # draws into files: a job has no screen
import matplotlib.pyplot as plt
import numpy as np

source, fit, target = sys.argv[1:]
BINS, HIGH = 50, 10.0

masses = np.load(source)
with open(fit) as file:
    fitted = json.load(file)
fraction, mean, width, slope = (fitted[name]["value"] for name in ("fraction", "mean", "width", "slope"))

mass = np.linspace(0, HIGH, 400)
scale = len(masses) * HIGH / BINS
peak = fraction * np.exp(-0.5 * ((mass - mean) / width) ** 2) / (width * np.sqrt(2 * np.pi))
falling = (1 - fraction) * np.exp(-mass / slope) / (slope * (1 - np.exp(-HIGH / slope)))

figure, axes = plt.subplots(figsize=(8, 5))
axes.hist(masses, bins=BINS, range=(0, HIGH), histtype="step", color="black", label="events")
axes.plot(mass, scale * (peak + falling), label="fit")
axes.plot(mass, scale * falling, linestyle="--", label="background")
axes.set(title=f"{len(masses)} events", xlabel="mass", ylabel="events in a bin")
axes.legend()
figure.savefig(target, dpi=100)
