"""Counts the sums of the dice: count.py THROWS OUTPUT"""

import sys
from collections import Counter

sums = Counter(sum(map(int, line.split(","))) for line in open(sys.argv[1]))
with open(sys.argv[2], "w") as file:
    for number, times in sorted(sums.items()):
        file.write(f"{number:2} {'*' * times}\n")
print(f"The most frequent sum is {sums.most_common(1)[0][0]}.")
