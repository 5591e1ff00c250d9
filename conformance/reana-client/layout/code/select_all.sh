#!/bin/bash
# select_all.sh NIGHTS SETTINGS THRESHOLD TABLES: makes a table of each night.
set -e
for night in "$1"/*/; do
  python3 code/select/select_peaks.py "$2" "$3" "$night"*.csv > "$4/$(basename "$night").csv"
done
