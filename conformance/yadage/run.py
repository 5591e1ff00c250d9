"""Runs the specifications in Yadage's source packages by yadage and by a server of this checkout, and compares what they made.

run.py ENVIRONMENTS: the folder of virtual environments. Both leave the graph of a run in the same file: its nodes, edges, parameters,
results and states have to be equal, and the files of the steps too. YADAGE_CASES picks cases by a part of their names.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

from server import Server

HERE = Path(__file__).resolve().parent
SNAPSHOT = Path("_yadage/yadage_snapshot_workflow.json")
POLL_SECONDS = 0.05


def main():
    environments = Path(sys.argv[1])
    python = environments / "yadage/bin/python"
    sources = fetched(environments / "yadage-sources", python)
    wanted = os.environ.get("YADAGE_CASES", "")
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "data")
        try:
            for number, case in enumerate(yaml.safe_load((HERE / "cases.yaml").read_text())):
                if wanted not in name_of(case):
                    continue
                differences = compared(case, sources, Path(folder) / str(number), python, server)
                passed, failed = passed + (not differences), failed + bool(differences)
                for line in differences:
                    print(f"FAILED: {name_of(case)}: {line}")
        finally:
            server.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def fetched(folder, python):
    """Returns the folder with the unpacked source packages, in the versions that are installed."""
    pins = [line for line in (HERE / "requirements.txt").read_text().split() if line.startswith(("yadage", "packtivity"))]
    for pin in pins:
        if list(folder.glob(f"{pin.split('==')[0].replace('-', '?')}-{pin.split('==')[1]}")):
            continue
        download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([python, *download, "--dest", folder, pin], check=True, capture_output=True)
    for archive in folder.glob("*.tar.gz"):
        shutil.unpack_archive(archive, folder)
        archive.unlink()
    return folder


def name_of(case):
    given = "".join(f" {key}={value}" for key, value in case.get("parameters", {}).items())
    return f"{case['package']} {case.get('folder') or case.get('step')}{given}"


def compared(case, sources, work, python, server):
    spec = specification(case, sources, work)
    theirs = by_yadage(case, spec, work, python)
    ours = by_server(case, spec, server)
    if case.get("is_refused"):
        return [f"{who} did not refuse it" for who, made in (("yadage", theirs), ("the server", ours)) if made is not None]
    if theirs is None or ours is None:
        return [f"{'yadage' if theirs is None else 'the server'} refused it"]
    return list(differences(theirs, ours))


def specification(case, sources, work):
    """Lays out `spec`, the toplevel of the workflow, and `init`, the folder of its inputs."""
    [package] = sources.glob(f"{case['package'].replace('-', '?')}-[0-9]*")
    specs = package / "tests/testspecs"
    spec = work / "spec"
    if "step" in case:
        spec.mkdir(parents=True)
        shutil.copy(specs / case["step"], spec / "step.yml")
        (spec / "workflow.yml").write_text(yaml.safe_dump({"stages": [stage_of(case)]}))
    else:
        shutil.copytree(specs / case["folder"], spec)
    init = work / "init"
    if "initdir" in case:
        shutil.copytree(specs / case["folder"] / case["initdir"], init)
    else:
        init.mkdir()
    return spec


def stage_of(case):
    scheduler = {"scheduler_type": "singlestep-stage", "parameters": case["parameters"], "step": {"$ref": "step.yml"}}
    return {"name": "it", "dependencies": [], "scheduler": scheduler}


def parameters_of(case, spec):
    from_file = yaml.safe_load((spec / case["initfile"]).read_text()) if "initfile" in case else {}
    return {**from_file, **({} if "step" in case else case.get("parameters", {}))}


def by_yadage(case, spec, work, python):
    """Returns what yadage made; None if it refused the workflow."""
    parameters = work / "parameters.yml"
    parameters.write_text(yaml.safe_dump(parameters_of(case, spec)))
    made = work / "made"
    workflow = case.get("workflow", "workflow.yml")
    given = [workflow, parameters, "-t", spec, "-d", f"initdir={work / 'init'}", "-b", "multiproc:1", "--no-visualize"]
    path = f"{HERE}:{os.environ['PATH']}"
    ran = subprocess.run(
        [python.with_name("yadage-run"), made, *given],
        capture_output=True,
        env={**os.environ, "PATH": path, "PACKTIVITY_DOCKER_NOPULL": "1"},
    )
    if not (made / SNAPSHOT).exists() or (case.get("is_refused") and ran.returncode != 0):
        return None
    return summary(made, {str(made): "WORK", str(work / "init"): "WORK/init"})


def by_server(case, spec, server):
    """Returns what the server made; None if it refused the workflow."""
    workflow = {"type": "yadage", "file": case.get("workflow", "workflow.yml")}
    inputs = {"parameters": parameters_of(case, spec), "options": {"toplevel": "spec", "initdir": "init"}}
    run = call(server, "POST", "/api/workflows?workflow_name=yadage", {"workflow": workflow, "inputs": inputs})["workflow_id"]
    for path in sorted(spec.parent.rglob("*")):
        inside = path.relative_to(spec.parent)
        if path.is_file() and inside.parts[0] in ("spec", "init"):
            query = urllib.parse.urlencode({"file_name": str(inside)})
            send(server, "POST", f"/api/workflows/{run}/workspace?{query}", path.read_bytes(), "application/octet-stream")
    before = workspaces(server)
    try:
        call(server, "PUT", f"/api/workflows/{run}/status?status=start", {})
    except urllib.error.HTTPError as error:
        if error.code == 400:
            return None
        raise
    while call(server, "GET", f"/api/workflows/{run}/status")["status"] in ("queued", "pending", "running"):
        time.sleep(POLL_SECONDS)
    made = next((folder for folder in workspaces(server) - before), None)
    return None if made is None else summary(made, {str(made): "WORK"})


def workspaces(server):
    """Returns the workspaces of the runs that have left a graph."""
    return {path.parent.parent for path in server.data.glob(f"workspaces/**/{SNAPSHOT}")}


def summary(made, places):
    text = (made / SNAPSHOT).read_text()
    for place, name in places.items():
        text = text.replace(place, name)
    dag = json.loads(text)["dag"]
    names = {node["id"]: node_name(node) for node in dag["nodes"]}
    summed = {}
    for node in dag["nodes"]:
        parents = sorted(names[before] for before, after in dag["edges"] if after == node["id"])
        task = node["task"]
        summed[f"node {names[node['id']]}"] = {
            "name": node["name"],
            "parents": parents,
            "parameters": task["parameters"],
            "result": node["result"],
            "state": node["state"],
        }
    files = [str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()]
    return {**summed, "files": sorted(file for file in files if is_of_step(Path(file)))}


def node_name(node):
    return "{wflow_offset}/{wflow_stage}:{wflow_stage_node_idx}".format(**node["task"]["metadata"])


def is_of_step(file):
    # yadage notes the call of docker beside the files of the step.
    is_note = file.name.endswith(("docker-args.json", ".cid")) or "_packtivity" in file.parts
    return file.parts[0] not in ("_yadage", "init", "spec") and not is_note


def differences(theirs, ours):
    for name in sorted({*theirs, *ours}):
        if theirs.get(name) != ours.get(name):
            yield f"{name}\n  yadage:     {json.dumps(theirs.get(name))}\n  the server: {json.dumps(ours.get(name))}"


def call(server, method, path, body=None):
    payload = None if body is None else json.dumps(body).encode()
    return json.loads(send(server, method, path, payload, "application/json"))


def send(server, method, path, payload, content_type):
    mark = "&" if "?" in path else "?"
    request = urllib.request.Request(f"{server.url}{path}{mark}access_token={server.token}", data=payload, method=method)
    if payload is not None:
        request.add_header("Content-Type", content_type)
    with urllib.request.urlopen(request) as reply:
        return reply.read()


sys.exit(main())
