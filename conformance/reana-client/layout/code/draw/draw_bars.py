"""draw_bars.py TITLE TABLE: a picture with a bar for each row."""

import sys

title, table = sys.argv[1:]
with open(table) as lines:
    values = [float(line.split(",")[1]) for line in lines]
bars = "".join(f'<rect x="{12 * at}" width="10" height="{value}"/>' for at, value in enumerate(values))
print(f'<svg xmlns="http://www.w3.org/2000/svg"><title>{title}</title>{bars}</svg>')
