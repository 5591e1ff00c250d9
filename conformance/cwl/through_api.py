"""Runs one test of the suite as cwltest asks for it, through the API of a server: `through_api.py --outdir=DIR --quiet TOOL [JOB]`.

CWL_SERVER and CWL_TOKEN name the server. The files that the documents name are uploaded, and the outputs are downloaded.
CWL_KILL names the file with the id of the server's process: it is killed at a moment that CWL_SEED decides, and each
request is repeated until it is answered.
"""

import http.client
import json
import os
import random
import re
import signal
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal
from pathlib import Path

POLL_SECONDS = 0.02
# The server dies within this time after a run was started. Most runs take about as long.
KILL_WITHIN_SECONDS = 0.8
ANSWERED_WITHIN_SECONDS = 90
UNSUPPORTED = 33
# A file that a document or an input object names, by whatever field: what does not exist is no file.
NAMED = re.compile(r"[^\s\"'\[\]{},]+")


class Refused(Exception):
    """A sentence of the server."""


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    places = [word for word in sys.argv[1:] if not word.startswith("--")]
    outdir = Path(next(word for word in options if word.startswith("--outdir=")).removeprefix("--outdir="))
    tool, *job = places
    try:
        outputs = run(tool, job[0] if job else None, outdir)
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        is_unsupported = "Unsupported" in str(refusal) or "requires a container" in str(refusal)
        sys.exit(UNSUPPORTED if is_unsupported else 1)
    print(json.dumps(outputs))


def number(text):
    """Reads 1e+42 as the whole number that it is: Python's own would be the nearest binary one."""
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else float(text)


def run(tool, job, outdir):
    # The name by which cwl-runner gives a job, whose paths start at its own folder, as the suite has them.
    inputs = {"inputs": {"parameters": {"cwl-runner:inputs": job}}} if job else {}
    specification = {"workflow": {"type": "cwl", "file": tool}, **inputs}
    created = call("POST", "/api/workflows?workflow_name=cwl", specification)
    workflow = f"/api/workflows/{created['workflow_id']}"
    for name in named_files([tool.split("#")[0], *([job] if job else [])]):
        query = urllib.parse.urlencode({"file_name": name})
        send("POST", f"{workflow}/workspace?{query}", Path(name).read_bytes(), "application/octet-stream")
    killed = kill_soon(f"{tool} {job}")
    call("PUT", f"{workflow}/status?status=start", {})
    while (status := call("GET", f"{workflow}/status")["status"]) in ("queued", "pending", "running"):
        time.sleep(POLL_SECONDS)
    killed()
    if status != "finished":
        failure = call("GET", f"{workflow}/failure")["failure"] or {"sentence": f"The run was {status}.", "last_lines": []}
        raise Refused("\n".join([*failure["last_lines"], failure["sentence"]]))
    return fetched(call("GET", f"{workflow}/outputs")["outputs"], workflow, outdir)


def kill_soon(test):
    """Kills the server at a random moment from now on. Returns a function that waits until that has happened."""
    if "CWL_KILL" not in os.environ:
        return lambda: None
    delay = random.Random(f"{os.environ.get('CWL_SEED', '1')} {test}").uniform(0, KILL_WITHIN_SECONDS)
    timer = threading.Timer(delay, kill)
    timer.start()
    return timer.join


def kill():
    try:
        os.kill(int(Path(os.environ["CWL_KILL"]).read_text()), signal.SIGKILL)
    except ProcessLookupError:
        pass  # Another test has just killed it.


def named_files(names):
    """Returns what the documents name, however deep: also the files beside one that share its name, and whole folders."""
    found, todo = set(), [Path(os.path.normpath(name)) for name in names]
    while todo:
        path = todo.pop()
        if path in found or path.is_absolute() or ".." in path.parts:
            continue
        if path.is_dir():
            todo += [inner for inner in path.rglob("*") if inner.is_file()]
            continue
        found.add(path)
        todo += beside(path)
        if path.suffix in (".cwl", ".json", ".yml", ".yaml"):
            todo += mentioned(path)
    return sorted(str(path) for path in found)


def beside(path):
    """Files that may be secondary ones."""
    stem = path.name.split(".")[0]
    return [one for one in path.parent.glob(f"{stem}.*") if one.is_file()]


def mentioned(document):
    text = document.read_text(errors="replace")
    for word in {*NAMED.findall(text), *re.findall(r'"([^"\n]+)"', text), *re.findall(r":\s+(\S.*\S)", text)}:
        name = urllib.parse.unquote(word.split("#")[0].removeprefix("file://")).strip("'\"")
        path = Path(os.path.normpath(document.parent / name)) if 0 < len(name) < 200 else None
        if path and name not in (".", "..") and not name.startswith("/") and path != document.parent and path.exists():
            yield path


def fetched(value, workflow, outdir):
    """Downloads the files in a value, and says where they are now."""
    if isinstance(value, list):
        return [fetched(item, workflow, outdir) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("class") not in ("File", "Directory"):
        return {name: fetched(item, workflow, outdir) for name, item in value.items()}
    place = outdir / Path(value["location"]).relative_to("outputs")
    if value["class"] == "Directory":
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(send("GET", f"{workflow}/workspace/{urllib.parse.quote(value['location'])}"))
    inner = {key: fetched(value[key], workflow, outdir) for key in ("secondaryFiles", "listing") if key in value}
    return {**value, **inner, "location": place.resolve().as_uri(), "path": str(place.resolve())}


def call(method, path, body=None):
    sent = None if body is None else json.dumps(body).encode()
    return json.loads(send(method, path, sent, "application/json"), parse_float=number)


def send(method, path, body=None, content_type="application/json"):
    headers = {"Authorization": f"Bearer {os.environ['CWL_TOKEN']}", "Content-Type": content_type}
    if method != "GET":
        headers["Idempotency-Key"] = str(uuid.uuid4())
    until = time.monotonic() + ANSWERED_WITHIN_SECONDS
    while True:
        try:
            return sent_once(method, path, body, headers)
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
            if "CWL_KILL" not in os.environ or time.monotonic() > until:
                raise
            time.sleep(POLL_SECONDS)


def sent_once(method, path, body, headers):
    request = urllib.request.Request(os.environ["CWL_SERVER"] + path, data=body, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.read()
    except urllib.error.HTTPError as error:
        raise Refused(json.loads(error.read())["message"]) from error


main()
