"""Records what yadage makes of fixtures/yadage: nodes, edges, parameters, results and files, as JSON beside each workflow.

Run it in the virtual environment that `conformance/install.sh` makes, with the version of Yadage that REANA has:
`python conformance/yadage/record.py`. The server's own tests compare the engine with these records.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "yadage"


def record(fixture: Path) -> dict:
    case = yaml.safe_load(fixture.read_text())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        spec, work = root / "spec", root / "work"
        spec.mkdir()
        (work / "init").mkdir(parents=True)
        (spec / "workflow.yml").write_text(yaml.safe_dump(case["workflow"]))
        (spec / "parameters.yml").write_text(yaml.safe_dump(case["parameters"]))
        for name, document in case.get("documents", {}).items():
            (spec / name).write_text(yaml.safe_dump(document))
        for name, text in case.get("files", {}).items():
            (work / "init" / name).write_text(text)
        run(spec, work)
        snapshot = json.loads((work / "_yadage" / "yadage_snapshot_workflow.json").read_text())
        return json.loads(json.dumps(summary(snapshot, work)).replace(str(work), "WORK"))


def run(spec: Path, work: Path) -> None:
    program = Path(sys.executable).with_name("yadage-run")
    given = ["workflow.yml", str(spec / "parameters.yml"), "-t", str(spec), "-d", f"initdir={work / 'init'}"]
    ran = subprocess.run(
        [program, work, *given, "-b", "multiproc:2", "--no-visualize"], capture_output=True, text=True
    )
    if ran.returncode != 0:
        raise SystemExit(f"{spec}: yadage failed\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}")


def summary(snapshot: dict, work: Path) -> dict:
    nodes = snapshot["dag"]["nodes"]
    names = {node["id"]: name_of(node) for node in nodes}
    parents = {names[node["id"]]: [] for node in nodes}
    for before, after in snapshot["dag"]["edges"]:
        parents[names[after]].append(names[before])
    return {
        "nodes": {
            names[node["id"]]: {
                "name": node["name"],
                "parents": sorted(parents[names[node["id"]]]),
                "parameters": node["task"]["parameters"],
                "result": node["result"],
            }
            for node in sorted(nodes, key=name_of)
        },
        "files": sorted(str(path.relative_to(work)) for path in work.rglob("*") if is_of_step(path, work)),
    }


def name_of(node: dict) -> str:
    metadata = node["task"]["metadata"]
    return "{wflow_offset}/{wflow_stage}:{wflow_stage_node_idx}".format(**metadata)


def is_of_step(path: Path, work: Path) -> bool:
    first = path.relative_to(work).parts[0]
    return path.is_file() and first not in ("_yadage", "init") and path.parent.name != "_packtivity"


for fixture in sorted(FIXTURES.glob("*.yml")):
    text = json.dumps(record(fixture), indent=2, sort_keys=True)
    fixture.with_suffix(".json").write_text(text + "\n")
    print(fixture.name)
