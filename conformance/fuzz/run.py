#!/usr/bin/env python3
"""Sends generated requests to a server, as three users at once: run.py ENVIRONMENTS

ENVIRONMENTS is the folder that install.sh filled. No request may be answered by a server error, and each answer must be as the
OpenAPI document says. The seed is fixed: FUZZ_SEED names another one, FUZZ_EXAMPLES the number of requests per endpoint. The last
line counts the endpoints that each user tried.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from server import Server

HERE = Path(__file__).parent
SEED = os.environ.get("FUZZ_SEED", "4711")
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "12")
USERS = ("owner", "stranger", "admin")
RUN_SECONDS = 30


def call(server, token, method, path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}/api/{path}", data, headers, method=method)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def make_runs(server, token):
    """Makes a run that was never started and one that has finished. Returns their names."""
    steps = [{"name": "greet", "environment": "any", "commands": ["mkdir -p results; date > results/now"]}]
    document = {"workflow": {"type": "serial", "specification": {"steps": steps}}, "outputs": {"directories": ["results"]}}
    names = [call(server, token, "POST", f"workflows?workflow_name={name}", document)["workflow_name"] for name in ("still", "done")]
    call(server, token, "PUT", f"workflows/{names[1]}/status?status=start", {})
    until = time.monotonic() + RUN_SECONDS
    while call(server, token, "GET", f"workflows/{names[1]}/status")["status"] != "finished":
        if time.monotonic() > until:
            raise SystemExit("The run that the requests are about has not finished.")
        time.sleep(0.2)
    return names


def start(binaries, server, token, runs, folder):
    """Starts the requests of one user. The configuration stands in the folder from which they are sent."""
    (folder / "schemathesis.toml").write_text((HERE / "schemathesis.toml").read_text())
    environment = {
        **os.environ,
        "SCHEMATHESIS_HOOKS": "hooks",
        "PYTHONPATH": str(HERE),
        "FUZZ_RUNS": " ".join(runs),
        "NO_COLOR": "1",
    }
    command = [binaries / "schemathesis", "run", f"{server.url}/api/openapi.json", "--header", f"Authorization: Bearer {token}"]
    command += ["--seed", SEED, "--max-examples", EXAMPLES, "--no-color"]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def outcome(name, process):
    """Returns how many endpoints were tried, and how many kinds of failures were found, after printing them."""
    printed, _ = process.communicate()
    tested = re.search(r"Tested: (\d+)", printed)
    found = re.search(r"(\d+) unique failures?", printed)
    if tested and process.returncode == 0:
        return int(tested.group(1)), 0
    begin = max(printed.find("= FAILURES ="), printed.find("= ERRORS ="), 0)
    print(f"{name}:", *(line[:500] for line in printed[begin:].splitlines()), sep="\n")
    return int(tested.group(1)) if tested else 0, int(found.group(1)) if found else 1


def main(environments):
    binaries = Path(environments) / "fuzz" / "bin"
    with tempfile.TemporaryDirectory(prefix="reprise-fuzz-") as name:
        folder = Path(name)
        server = Server(folder / "data")
        try:
            tokens = {"admin": server.token, **{user: server.add_user(f"{user}@example.org") for user in USERS[:2]}}
            runs = make_runs(server, tokens["owner"])
            processes = {}
            for user in USERS:
                (folder / user).mkdir()
                processes[user] = start(binaries, server, tokens[user], runs, folder / user)
            outcomes = [outcome(user, process) for user, process in processes.items()]
        finally:
            server.close()
    passed, failed = (sum(counts) for counts in zip(*outcomes))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
