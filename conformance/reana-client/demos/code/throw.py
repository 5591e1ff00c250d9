"""Throws two dice, always the same ones for a seed: throw.py SEED THROWS OUTPUT"""

import sys

seed, throws, output = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with open(output, "w") as file:
    for _ in range(throws):
        seed = (1103515245 * seed + 12345) % 2**31
        file.write(f"{seed // 65536 % 6 + 1},{seed // 8 % 6 + 1}\n")
print(f"Threw the dice {throws} times.")
