#!/usr/bin/env python3
"""Generates a Python client from this checkout's OpenAPI document and drives it against a server: run.py ENVIRONMENTS

ENVIRONMENTS is the folder that install.sh filled. A warning of the generator counts as a failure: it leaves out an operation
or a type that it cannot express. The last line counts.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from server import ROOT, Server

HERE = Path(__file__).parent
DOCUMENT = ROOT / "fixtures" / "openapi.json"


def generate(binaries, target):
    command = [binaries / "openapi-python-client", "generate", "--path", DOCUMENT, "--output-path", target, "--meta", "none"]
    done = subprocess.run(
        [*command, "--config", HERE / "generator.yaml", "--fail-on-warning"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(f"openapi-python-client: expected a client without warnings from {DOCUMENT.name}, got:\n{done.stdout}")
        print("0 passed, 1 failed")
        sys.exit(1)


def main():
    binaries = Path(sys.argv[1]).resolve() / "generated-client" / "bin"
    with tempfile.TemporaryDirectory(prefix="reprise-conformance-") as name:
        folder = Path(name)
        generate(binaries, folder / "generated" / "reprise_api")
        server = Server(folder / "server")
        try:
            env = {**os.environ, "PYTHONPATH": str(folder / "generated")}
            driven = subprocess.run([binaries / "python", HERE / "drive.py", server.url, server.token], env=env, check=False)
        finally:
            server.close()
    sys.exit(driven.returncode)


main()
