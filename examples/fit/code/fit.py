"""fit.py DATA.npy FIT.json: where the peak is and how wide, by an unbinned fit of the largest likelihood."""

import json
import sys

import numpy as np
from iminuit import Minuit
from iminuit.cost import UnbinnedNLL

source, target = sys.argv[1:]
LOW, HIGH = 0.0, 10.0


def density(mass, fraction, mean, width, slope):
    peak = np.exp(-0.5 * ((mass - mean) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    falling = np.exp(-mass / slope) / (slope * (np.exp(-LOW / slope) - np.exp(-HIGH / slope)))
    return fraction * peak + (1 - fraction) * falling


masses = np.load(source)
minuit = Minuit(UnbinnedNLL(masses, density), fraction=0.3, mean=4.5, width=0.6, slope=2.5)
minuit.limits["fraction"] = (0, 1)
minuit.limits["mean"] = (LOW, HIGH)
minuit.limits["width", "slope"] = (0.05, 20)
minuit.migrad()
minuit.hesse()
if not minuit.valid:
    sys.exit(f"The fit of {len(masses)} events did not converge. Generate more of them.")

results = {
    name: {"value": round(minuit.values[name], 4), "error": round(minuit.errors[name], 4)}
    for name in minuit.parameters
}
with open(target, "w") as file:
    json.dump({"events": len(masses), **results}, file, indent=2)
    file.write("\n")
print(f"A peak at {results['mean']['value']} +- {results['mean']['error']}")
