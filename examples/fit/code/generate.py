"""generate.py EVENTS SEED DATA.npy: masses of a peak on a falling background, the same for the same seed."""

import sys

import numpy as np

events, seed, target = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

random = np.random.default_rng(seed)
signal = random.normal(5.0, 0.4, events // 4)
background = random.exponential(3.0, 20 * events)
background = background[background < 10][: events - len(signal)]
masses = np.concatenate([signal, background])
random.shuffle(masses)
np.save(target, masses[(masses > 0) & (masses < 10)])
