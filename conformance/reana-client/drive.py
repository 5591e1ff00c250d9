"""Drives one of the clients through all stories, against a server of its own."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from proxy import Recorder
from rows import LIMITED, READER, WITH_ADDRESS
from server import Server

HERE = Path(__file__).parent
PATIENCE_SECONDS = 60
# What the server's own tests were answered, if they wrote it down.
OF_TESTS = sorted(Path(os.environ.get("REPRISE_TEST_REPLIES", "/nowhere")).glob("*.jsonl"))


class Client:
    """The client of one version: a process that carries out one command after the other (client.py)."""

    def __init__(self, version, env):
        self.version = version
        python = f"{env['PATH'].split(':')[0]}/python"
        self.process = subprocess.Popen(
            [python, HERE / "client.py"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def enter(self, folder):
        self._send({"enter": str(folder)})

    def run(self, arguments):
        self._send({"run": arguments})
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.version}: the client ended at {' '.join(arguments)}.")
        done = json.loads(line)
        return done["exit"], re.sub(r"\x1b\[[0-9;]*m", "", done["printed"])

    def _send(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
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
    if client in WITH_ADDRESS:
        return {**env, "REANA_SERVER_URL": server_url}
    return {**env, "REANA_CLIENT_CONFIG": str(home / "client.json")}


def carry_out(row, client, recorder):
    arguments = [word.replace("{server}", recorder.url) for word in row.arguments]
    recorder.plan(row.faults)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        exits, printed = client.run(arguments)
        if exits == row.exits and re.search(row.prints, printed):
            missed = recorder.not_happened()
            return f"{client.version}: {row.title}: did not happen: {missed}" if missed else None
        if not row.until or time.monotonic() > deadline:
            wanted = f"exit {row.exits} and /{row.prints}/"
            return f"{client.version}: {row.title}: wanted {wanted}, got exit {exits} and:\n{printed}"


def tell(story, people, folder, recorder):
    if story.copied:
        shutil.copytree(story.copied, folder)
    folder.mkdir(exist_ok=True)
    for path, content in story.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    for client in people.values():
        client.enter(folder)
    rows = [row for row in story.rows if row.only is None or people[None].version in row.only]
    return {row.title: carry_out(row, people[row.by], recorder) for row in rows}


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
            people = {None: Client(client, env)}
            for email in (READER, LIMITED):
                own_home = Path(name) / email
                own_home.mkdir()
                own_env = environment(client, binaries, own_home, recorder.url, server.add_user(email))
                people[email] = Client(client, own_env)
            server.limit(LIMITED, cpu=3000, disk=1_000_000)
            for number, story in enumerate(stories):
                problems |= tell(story, people, home / str(number), recorder)
            for process in people.values():
                process.close()
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
