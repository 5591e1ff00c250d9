"""Drives one of the clients through all stories, against a server of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from proxy import Recorder
from rows import STABLE

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
COMMAND_SECONDS = 60
PATIENCE_SECONDS = 60
# What the server's own tests were answered, if they wrote it down.
OF_TESTS = sorted(Path(os.environ.get("REPRISE_TEST_REPLIES", "/nowhere")).glob("*.jsonl"))


class Server:
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


def environment(client, binaries, home, server_url, token):
    env = {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONWARNINGS": "ignore",
        "REANA_ACCESS_TOKEN": token,
        "COLUMNS": "200",
    }
    if client == STABLE:
        return {**env, "REANA_SERVER_URL": server_url}
    return {**env, "REANA_CLIENT_CONFIG": str(home / "client.json")}


def carry_out(row, client, env, folder, recorder):
    arguments = [word.replace("{server}", recorder.url) for word in row.arguments]
    command = [f"{env['PATH'].split(':')[0]}/reana-client", *arguments]
    recorder.plan(row.faults)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        done = subprocess.run(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=COMMAND_SECONDS
        )
        printed = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
        if done.returncode == row.exits and re.search(row.prints, printed):
            missed = recorder.not_happened()
            return f"{client}: {row.title}: did not happen: {missed}" if missed else None
        if not row.until or time.monotonic() > deadline:
            wanted = f"exit {row.exits} and /{row.prints}/"
            return f"{client}: {row.title}: wanted {wanted}, got exit {done.returncode} and:\n{printed}"


def tell(story, client, env, folder, recorder):
    if story.copied:
        shutil.copytree(story.copied, folder)
    folder.mkdir(exist_ok=True)
    for path, content in story.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    rows = [row for row in story.rows if row.only in (None, client)]
    return {row.title: carry_out(row, client, env, folder, recorder) for row in rows}


def drive(client, environments, stories):
    """Answers what went wrong: by the title of a command, and of replies."""
    with tempfile.TemporaryDirectory(prefix="reprise-conformance-") as name:
        home = Path(name) / "home"
        home.mkdir()
        server = Server(Path(name) / "server")
        recorder = Recorder(server.url)
        problems = {}
        try:
            binaries = environments / client / "bin"
            env = environment(client, binaries, home, recorder.url, server.token)
            for number, story in enumerate(stories):
                problems |= tell(story, client, env, home / str(number), recorder)
        finally:
            recorder.close()
            server.close()
        recorded = home / "replies.jsonl"
        recorded.write_text("".join(json.dumps(reply) + "\n" for reply in recorder.replies))
        validated = subprocess.run(
            [binaries / "python", HERE / "validate.py", recorded, *OF_TESTS],
            capture_output=True,
            text=True,
            env=env,
            check=False,
        )
        if validated.returncode != 0:
            raise SystemExit(f"{client}: the replies could not be validated:\n{validated.stderr}")
        *faults, looked_at = validated.stdout.strip().splitlines()
        return problems, [*faults, *broken_down(recorder.replies)], int(looked_at)


def broken_down(replies):
    """Whatever a client asks for, the server knows what to say of it; 501 is such an answer."""
    return [f"{it['method']} {it['path']} {it['status']}: {it['body']}" for it in replies if it["status"] in (500, 502, 503)]
