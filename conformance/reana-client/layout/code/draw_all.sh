#!/bin/bash
# draw_all.sh RESULTS TITLE: draws every table.
set -e
for table in "$1"/tables/*.csv; do
  python3 code/draw/draw_bars.py "$2" "$table" > "$1/plots/2025/$(basename "$table" .csv).svg"
done
cp "$1/plots/2025/night-1.svg" "$1/plots/first.svg"
