"""Starts a server of this checkout for a client to be driven against."""

import re
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Server:
    """A server on a free port, with its data in the given folder."""

    def __init__(self, data):
        self.data = data
        command = ["node", "tools/run.js", "server/bin/reprise.js", "serve", "--data", str(self.data), "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--no-sample-run"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            raise SystemExit(f"The server did not start: {line}{self.process.stdout.read()}")
        self.url = found.group()
        self.token = (self.data / "admin-token").read_text().strip()

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
