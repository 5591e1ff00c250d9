#!/usr/bin/env python3
"""Drives both of REANA's clients, command by command, against a server of this checkout: run.py [--write] ENVIRONMENTS

ENVIRONMENTS is the folder that install.sh has filled. Exit codes and what is printed are compared with the stories', every reply
with the OpenAPI document that the client brings. The tables in conformance/README.md have to say the same; --write
writes them. The last line counts.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bad_lines import BAD_LINES
from commands import COMMANDS
from languages import LANGUAGES
from layouts import LAYOUT, TESTS
from proxy import Recorder
from rows import NEWER, STABLE

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
README = HERE.parent / "README.md"
KNOWN = HERE / "known-differences.yaml"
CLIENTS = (STABLE, NEWER)
STORIES = (COMMANDS, LAYOUT, TESTS, *LANGUAGES, BAD_LINES)
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


def drive(client, environments):
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
            for number, story in enumerate(STORIES):
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


def all_titles():
    titles = [row.title for story in STORIES for row in story.rows]
    again = sorted({title for title in titles if titles.count(title) > 1})
    if again:
        raise SystemExit(f"Two rows have the same title: {', '.join(again)}.")
    return titles


def known_differences():
    """`CLIENT: COMMAND` with a reason, one a line: as simple as YAML can be."""
    lines = [line for line in KNOWN.read_text().splitlines() if line.strip() and not line.startswith("#")]
    pairs = [re.fullmatch(r'"([^"]+)": "([^"]+)"', line) for line in lines]
    if not all(pairs):
        raise SystemExit(f'{KNOWN.name}: a line has to be "CLIENT: COMMAND": "REASON".')
    return {pair.group(1): pair.group(2) for pair in pairs}


def tables(results, known):
    return "\n\n".join(f"### {story.title}\n\n{table(story, results, known)}" for story in STORIES)


def table(story, results, known):
    titles = dict.fromkeys(row.title for row in story.rows)
    lines = ["| command | 0.9.6 | 0.95.0a6 |", "|---|---|---|"]
    for title in titles:
        cells = [cell(results[client][0], client, title, known) for client in CLIENTS]
        lines.append(f"| {shown(title)} | {' | '.join(cells)} |".replace("|| ", "| "))
    return "\n".join(lines)


def shown(title):
    """What happens to a command on its way is no part of it."""
    command, *happens = title.split(": ", 1)
    return f"`{command}`: {happens[0]}" if happens else f"`{command}`"


def cell(problems, client, title, known):
    if title not in problems:
        return "–"
    if problems[title] is None:
        return "yes"
    return f"no: {known.get(f'{client}: {title}', 'see the run')}"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    environments = Path(arguments[0]).resolve()
    all_titles()
    with ThreadPoolExecutor(len(CLIENTS)) as pool:
        results = dict(zip(CLIENTS, pool.map(lambda client: drive(client, environments), CLIENTS)))
    known = known_differences()
    failures = report(results, known)
    text = README.read_text()
    begin, end = "<!-- the run writes from here -->\n", "\n<!-- to here -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    written = f"{before}{begin}{tables(results, known)}{end}{after}"
    if "--write" in sys.argv:
        README.write_text(written)
    elif written != text:
        failures.append("conformance/README.md says something else: run it with --write, and look at what has changed.")
    total = sum(len(problems) + looked_at for problems, _, looked_at in results.values())
    print("\n".join(failures))
    print(f"{total - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


def report(results, known):
    """What went wrong and is not known to; and what is known to and did not."""
    failures, seen = [], set()
    for client, (problems, faults, _) in results.items():
        for fault in faults:
            name = f"{client}: {fault.split(': ')[0]}"
            if name not in known:
                failures.append(f"{client} refuses a reply: {fault}")
            seen.add(name)
        for title, problem in problems.items():
            name = f"{client}: {title}"
            if problem is None and name in known:
                failures.append(f"{name} works by now: take it out of {KNOWN.name}.")
            elif problem is not None and name not in known:
                failures.append(problem)
            seen.add(name)
    if OF_TESTS:
        failures.extend(f"{name} of {KNOWN.name} is no command or reply." for name in known if name not in seen)
    return failures


main()
