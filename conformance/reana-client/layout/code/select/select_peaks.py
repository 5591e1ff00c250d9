"""select_peaks.py SETTINGS THRESHOLD FILE...: the rows whose value is above the threshold."""

import configparser
import sys

from columns import rows

settings = configparser.ConfigParser()
settings.read(sys.argv[1])
for row in rows(sys.argv[3:], settings["select"]["separator"]):
    if float(row[settings.getint("select", "column")]) > float(sys.argv[2]):
        print(*row, sep=",")
